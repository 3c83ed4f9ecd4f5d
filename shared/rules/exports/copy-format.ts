import { foldedPassphrase, letterSealNonceBytes, letterSealTagBytes } from '#shared/rules/letter-seal.ts';
import { sealedSegmentBytes } from '#shared/rules/letters/sealed-envelope.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';

/* The copy of a vault that opens without us: one page whose content is sealed with a passphrase. The server writes it, and
   the page's own script opens it. docs/copy-format.md describes it for other programs. */

export const copyFormatName = 'everkept-copy';
export const copyFormatVersion = 1;
/** Letters and digits that the passphrase of a copy has at least. There is no hint, and guessing has no limit. */
export const copyPassphraseLettersMin = 12;
/** Larger files become files of their own, because a page that holds them is slow to open. */
export const inPageBytesMax = 90 * bytesPerMegabyte;
/** Bytes that are sealed at a time, each piece with a tag of its own. */
export const copySegmentBytes = sealedSegmentBytes;
/** Bytes of a sealed piece, unless it is the last. */
export const sealedPieceBytes = copySegmentBytes + letterSealTagBytes;
/** Sealed without content, to distinguish a wrong passphrase from a damaged page. */
export const checkItem = { name: 'check', number: 0 };
/** Item with all text of the vault. */
export const copyDataName = 'vault.json';
/** First bytes of a file beside the page. */
export const furtherMark = 'EKCOPY1\n';
export const furtherEnding = '.sealed';

/** Numbers of a seal, as the page names them. Bytes are base64. */
export type CopySeal = { format: string; version: number; iterations: number; salt: string; check: string };

export type PieceNumber = { item: number; piece: number; isLast: boolean };

const lengthOfNumber = 4;

/** Nonce of a piece. Bytes 0 to 3 are the number of its item, bytes 7 to 10 its own, and byte 11 marks the last piece. */
export function copyNonce({ item, piece, isLast }: PieceNumber): Uint8Array<ArrayBuffer> {
  const nonce = new Uint8Array(letterSealNonceBytes);
  const view = new DataView(nonce.buffer);
  view.setUint32(0, item);
  view.setUint32(letterSealNonceBytes - 1 - lengthOfNumber, piece);
  view.setUint8(letterSealNonceBytes - 1, isLast ? 1 : 0);
  return nonce;
}

/** Bound into every piece of an item, so that none passes for a piece of another. */
export function copyPurpose(name: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`everkept copy ${copyFormatVersion} ${name}`);
}

/** True if a passphrase is long enough for a copy, counted as the seal uses it. */
export function isCopyPassphrase(typed: string): boolean {
  return [...foldedPassphrase(typed)].length >= copyPassphraseLettersMin;
}
