import {
  type CopySeal,
  checkItem,
  copyFormatName,
  copyFormatVersion,
  copyNonce,
  copyPurpose,
  furtherMark,
  type PieceNumber,
  sealedPieceBytes,
} from '#shared/rules/exports/copy-format.ts';
import {
  foldedPassphrase,
  letterSealIterations,
  letterSealNonceBytes,
  letterSealSaltBytes,
} from '#shared/rules/letter-seal.ts';
import { fromBase64Url } from '#web/lib/sealing/base64url.ts';
import { passphraseKey } from '#web/lib/sealing/letter-seal.ts';

/** A sealed piece as the page has it. Blobs can lie outside of memory. */
export type Piece = { nonce: string; sealed: Blob };
export type Items = ReadonlyMap<string, readonly Piece[]>;

/** Content that is cut, changed or rearranged. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

/** Bytes of base64. Damaged text has none and so opens nothing: a wrong character costs one item, and not the page. */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64Url(text);
  } catch {
    return new Uint8Array();
  }
}

/** Key of a page; null for a wrong passphrase. @throws DamagedError for a page of another kind. */
export async function openSeal(
  { format, version, iterations, salt, check }: CopySeal,
  passphrase: string,
): Promise<CryptoKey | null> {
  if (format !== copyFormatName || version !== copyFormatVersion) throw new DamagedError('Another format');
  const key = await passphraseKey(foldedPassphrase(passphrase), { salt: fromBase64Url(salt), iterations });
  const number = { item: checkItem.number, piece: 0, isLast: true };
  return (await openPiece(key, checkItem.name, number, fromBase64Url(check))) && key;
}

/** Content of an item of the page. @throws DamagedError if any piece is missing, moved or changed. */
export async function openItem(key: CryptoKey, name: string, items: Items): Promise<Blob> {
  const pieces = items.get(name) ?? [];
  const first = bytesIn(pieces[0]?.nonce ?? '');
  const item = first.length === letterSealNonceBytes ? new DataView(first.buffer).getUint32(0) : 0;
  const opened: Blob[] = [];
  for (const [piece, { nonce, sealed }] of pieces.entries()) {
    const number = { item, piece, isLast: piece === pieces.length - 1 };
    if (!isSame(copyNonce(number), bytesIn(nonce))) throw new DamagedError(name);
    opened.push(await openedPiece(key, name, number, sealed));
  }
  if (opened.length === 0) throw new DamagedError(name);
  return new Blob(opened);
}

export type Further = { name: string; key: CryptoKey; body: Blob };

/** Finds which of the named files this is, under whatever name it was saved; null if it is none of them. */
export async function recogniseFurther(
  file: Blob,
  names: readonly string[],
  passphrase: string,
): Promise<Further | null> {
  const mark = new TextEncoder().encode(furtherMark);
  const start = mark.length + letterSealSaltBytes;
  const head = new Uint8Array(await file.slice(0, start).arrayBuffer());
  if (!isSame(mark, head.subarray(0, mark.length))) return null;
  const key = await passphraseKey(foldedPassphrase(passphrase), {
    salt: head.slice(mark.length),
    iterations: letterSealIterations,
  });
  const body = file.slice(start);
  const first = new Uint8Array(await body.slice(0, sealedPieceBytes).arrayBuffer());
  const number = { item: 0, piece: 0, isLast: body.size <= sealedPieceBytes };
  for (const name of names) if (await openPiece(key, name, number, first)) return { name, key, body };
  return null;
}

/** Content of a file beside the page. @throws DamagedError if any piece is missing, moved or changed. */
export async function openFurther({ name, key, body }: Further): Promise<Blob> {
  const opened: Blob[] = [];
  for (let at = 0; at < body.size; at += sealedPieceBytes) {
    const number = { item: 0, piece: opened.length, isLast: at + sealedPieceBytes >= body.size };
    opened.push(await openedPiece(key, name, number, body.slice(at, at + sealedPieceBytes)));
  }
  return new Blob(opened);
}

async function openedPiece(key: CryptoKey, name: string, number: PieceNumber, sealed: Blob): Promise<Blob> {
  const bytes = await openPiece(key, name, number, new Uint8Array(await sealed.arrayBuffer()));
  if (!bytes) throw new DamagedError(name);
  return new Blob([bytes]);
}

async function openPiece(key: CryptoKey, name: string, number: PieceNumber, sealed: Uint8Array<ArrayBuffer>) {
  const how = { name: 'AES-GCM', iv: copyNonce(number), additionalData: copyPurpose(name) };
  try {
    return await crypto.subtle.decrypt(how, key, sealed);
  } catch (error) {
    // The one thing that AES-GCM says of a wrong key; anything else is a fault.
    if (error instanceof Error && error.name === 'OperationError') return null;
    throw error;
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => other[index] === byte);
}
