import { keyBytes } from './envelope.ts';

export type MasterKey = { version: number; key: Buffer };

/** Error that keeps the server from starting. Its text is for the operator and never holds key material. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

const howToMakeOne = 'Make one with: openssl rand -base64 32';
/** 32 random bytes have 30 different values on average, and fewer than this once in 10^15 times. */
const distinctBytesMin = 16;
const keysMax = 100;

/**
 * Reads `key` or `version:key`, one per line or separated by commas. The key is base64, base64url or hexadecimal. A
 * key without a number is version 1. `source` names the origin of the text in errors.
 */
export function parseMasterKeys(text: string, source: string): MasterKey[] {
  const entries = text.split(/[\n,]/).flatMap((line) => line.trim() || []);
  if (entries.length === 0) throw new MasterKeyError(`${source} is empty. ${howToMakeOne}`);
  if (entries.length > keysMax) throw new MasterKeyError(`${source} holds more than ${keysMax} keys.`);

  const keys = entries.map((entry) => parseEntry(entry, source));
  if (new Set(keys.map(({ version }) => version)).size < keys.length) {
    throw new MasterKeyError(`${source} holds two keys of the same version.`);
  }
  return keys;
}

function parseEntry(entry: string, source: string): MasterKey {
  const [, version = '1', encoded = ''] = /^(?:([1-9]\d{0,5}):)?(.+)$/.exec(entry) ?? [];
  const key = decode(encoded);
  if (key?.length !== keyBytes) {
    throw new MasterKeyError(`${source} does not hold a key of ${keyBytes} bytes. ${howToMakeOne}`);
  }
  if (!looksRandom(key)) {
    throw new MasterKeyError(`${source} holds a sample key, which strangers can guess. ${howToMakeOne}`);
  }
  return { version: Number(version), key };
}

function decode(encoded: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(encoded)) return Buffer.from(encoded, 'hex');
  if (/^[\w+/-]{43}=?$/.test(encoded)) return Buffer.from(encoded, 'base64');
  return undefined;
}

/** Refuses what people put in examples: one byte over and over, a rising row of bytes, or words. */
function looksRandom(key: Buffer): boolean {
  const steps = new Set(key.subarray(1).map((byte, index) => byte - (key[index] ?? 0)));
  const isText = key.every((byte) => byte >= 0x20 && byte < 0x7f);
  return new Set(key).size >= distinctBytesMin && steps.size > 1 && !isText;
}
