import { createCipheriv, createSecretKey, type KeyObject, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import {
  type CopySeal,
  checkItem,
  copyFormatName,
  copyFormatVersion,
  copyNonce,
  copyPurpose,
  copySegmentBytes,
  type PieceNumber,
} from '#shared/rules/exports/copy-format.ts';
import {
  foldedPassphrase,
  letterSealIterations,
  letterSealSaltBytes,
  letterSealTagBytes,
} from '#shared/rules/letter-seal.ts';

const keyBytes = 32;
const derive = promisify(pbkdf2);

/** Key of one file. Its salt is random, so no nonce is used twice under it. */
export type CopyKey = { key: KeyObject; salt: Buffer };
export type Item = { name: string; number: number };

/** Derives a key from a passphrase as sealed letters do, on a thread. */
export async function newCopyKey(passphrase: string): Promise<CopyKey> {
  const salt = randomBytes(letterSealSaltBytes);
  return { key: await copyKeyOf(passphrase, { salt, iterations: letterSealIterations }), salt };
}

async function copyKeyOf(passphrase: string, { salt, iterations }: { salt: Buffer; iterations: number }) {
  return createSecretKey(await derive(foldedPassphrase(passphrase), salt, iterations, keyBytes, 'sha256'));
}

/** Numbers that a reader needs beside the passphrase. */
export function sealOf({ key, salt }: CopyKey): CopySeal {
  const check = sealPiece(key, checkItem.name, { item: checkItem.number, piece: 0, isLast: true }, Buffer.alloc(0));
  return {
    format: copyFormatName,
    version: copyFormatVersion,
    iterations: letterSealIterations,
    salt: salt.toString('base64'),
    check: check.toString('base64'),
  };
}

export type SealedPiece = { nonce: Uint8Array; sealed: Buffer };

/** Seals an item piece by piece, so that only one is in memory. The last piece is marked, also if it is empty. */
export async function* sealItem(
  { key }: CopyKey,
  { name, number: item }: Item,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<SealedPiece> {
  let piece = 0;
  for await (const { bytes, isLast } of inPieces(content)) {
    const number = { item, piece, isLast };
    yield { nonce: copyNonce(number), sealed: sealPiece(key, name, number, bytes) };
    piece += 1;
  }
}

function sealPiece(key: KeyObject, name: string, number: PieceNumber, bytes: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, copyNonce(number), { authTagLength: letterSealTagBytes });
  cipher.setAAD(copyPurpose(name));
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Only a byte after a full piece shows that the piece was not the last. */
async function* inPieces(content: AsyncIterable<Buffer>): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      if (pendingBytes === copySegmentBytes) {
        yield { bytes: Buffer.concat(pending, pendingBytes), isLast: false };
        pending = [];
        pendingBytes = 0;
      }
      const part = chunk.subarray(at, at + copySegmentBytes - pendingBytes);
      pending.push(part);
      pendingBytes += part.length;
      at += part.length;
    }
  }
  yield { bytes: Buffer.concat(pending, pendingBytes), isLast: true };
}
