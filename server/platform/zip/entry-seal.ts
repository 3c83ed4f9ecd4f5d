import { createCipheriv, createHmac, createSecretKey, type KeyObject, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const saltBytes = 16;
const keyBytes = 32;
const verifierBytes = 2;
const tagBytes = 10;
const iterations = 1_000;
const blockBytes = 16;
const wordsPerBlock = blockBytes / Int32Array.BYTES_PER_ELEMENT;
const wordBytes = BigUint64Array.BYTES_PER_ELEMENT;

/** Bytes that sealing adds to an entry. */
export const entrySealBytes = saltBytes + verifierBytes + tagBytes;

const derive = promisify(pbkdf2);

/** Key material of one entry. No two entries may share it, or a holder of both can read both. */
export type EntryKey = { salt: Buffer; cipherKey: KeyObject; tagKey: KeyObject; verifier: Buffer };

/** Number of keys that are made before they are asked for. */
const keysAhead = 3;

/**
 * Returns a key for each entry. The format needs about two milliseconds of work per key, as much as sealing a hundred
 * kilobytes. Other threads prepare the next keys meanwhile.
 */
export function createEntryKeys(password: string): () => Promise<EntryKey> {
  const next = Array.from({ length: keysAhead }, () => deriveKey(password));
  return () => {
    next.push(deriveKey(password));
    return next.shift() ?? deriveKey(password);
  };
}

async function deriveKey(password: string): Promise<EntryKey> {
  const salt = randomBytes(saltBytes);
  const derived = await derive(password, salt, iterations, 2 * keyBytes + verifierBytes, 'sha1');
  // As objects: given bytes, Node finds out by an exception, each time, that they are none.
  const cipherKey = createSecretKey(derived.subarray(0, keyBytes));
  const tagKey = createSecretKey(derived.subarray(keyBytes, 2 * keyBytes));
  return { salt, cipherKey, tagKey, verifier: derived.subarray(2 * keyBytes) };
}

/**
 * Seals the bytes of one entry like WinZip's AE-2 with AES-256 (https://www.winzip.com/en/support/aes-encryption/).
 * The result is a salt, two bytes that detect a wrong password, ciphertext in counter mode, and ten bytes of an
 * HMAC-SHA-1. Node has no little-endian counter mode, so the counters are enciphered here.
 */
export async function* sealEntry(key: EntryKey, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const keystream = counterStream(key.cipherKey);
  const tag = createHmac('sha1', key.tagKey);
  yield Buffer.concat([key.salt, key.verifier]);
  for await (const piece of content) {
    const sealed = keystream(piece);
    tag.update(sealed);
    yield sealed;
  }
  yield tag.digest().subarray(0, tagBytes);
}

/** Enciphers piece after piece, wherever a piece ends. */
function counterStream(key: KeyObject): (piece: Buffer) => Buffer {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  let position = 0;
  let counters = new Int32Array(0);
  return (piece) => {
    const skip = position % blockBytes;
    const firstBlock = Math.floor(position / blockBytes);
    const blocks = Math.ceil((skip + piece.length) / blockBytes);
    if (counters.length < blocks * wordsPerBlock) counters = new Int32Array(blocks * wordsPerBlock);
    count(counters, firstBlock + 1, blocks);
    const stream = cipher.update(Buffer.from(counters.buffer, 0, blocks * blockBytes)).subarray(skip);
    position += piece.length;
    return combineInto(stream, piece);
  };
}

/** Sets the counters of blocks, the first of which is 1. Their low 32 bits are enough for 64 GB. */
function count(counters: Int32Array, first: number, blocks: number): void {
  const end = blocks * wordsPerBlock;
  let counter = first | 0;
  for (let at = 0; at < end; at += wordsPerBlock) {
    counters[at] = counter;
    counter = (counter + 1) | 0;
  }
}

/**
 * XORs both into `stream`, which is ours alone. The time for large files is most of the cost of an export, so it
 * works in words of 64 bits if both are aligned.
 */
function combineInto(stream: Buffer, piece: Buffer): Buffer {
  const { length } = piece;
  const areAligned = piece.byteOffset % wordBytes === 0 && stream.byteOffset % wordBytes === 0;
  const words = areAligned ? Math.floor(length / wordBytes) : 0;
  const left = new BigUint64Array(piece.buffer, areAligned ? piece.byteOffset : 0, words);
  const both = new BigUint64Array(stream.buffer, areAligned ? stream.byteOffset : 0, words);
  for (let at = 0; at < words; at += 1) both[at] = (both[at] as bigint) ^ (left[at] as bigint);
  for (let at = words * wordBytes; at < length; at += 1) stream[at] = (stream[at] as number) ^ (piece[at] as number);
  return stream.subarray(0, length);
}
