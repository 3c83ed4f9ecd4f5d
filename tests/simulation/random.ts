import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Lots drawn from a seed: the same names give the same lots, and other names have no influence on them. */
export type Random = {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number, at least 0 and below `limit`. */
  below(limit: number): number;
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
};

/** Small Fast Counter (Chris Doty-Humphrey's sfc32), seeded by the SHA-256 of the names. */
export function randomOf(...names: readonly (string | number)[]): Random {
  const digest = crypto.createHash('sha256').update(names.join('/')).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];

  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (least, most) => least + next() * (most - least),
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}

/**
 * Makes this whole process draw its keys, ids and tokens from the seed, so that a run can be repeated to the byte.
 * Modules that have imported the functions by name see the new ones: the exports of Node's own modules are live.
 */
export function seedThisProcess(seed: number): void {
  let drawn = 0;
  const bytes = (size: number): Buffer => {
    const parts: Buffer[] = [];
    for (let length = 0; length < size; length += 32) {
      drawn += 1;
      parts.push(crypto.createHash('sha256').update(`${seed}/${drawn}`).digest());
    }
    return Buffer.concat(parts).subarray(0, size);
  };
  const uuid = (raw: Buffer, version: number) => {
    raw[6] = (version << 4) | ((raw[6] ?? 0) & 0x0f);
    raw[8] = 0x80 | ((raw[8] ?? 0) & 0x3f);
    return raw.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const ordered = () => {
    const raw = bytes(16);
    raw.writeUIntBE(drawn, 0, 6);
    return uuid(raw, 7);
  };
  Object.assign(crypto, { randomBytes: bytes, randomUUID: () => uuid(bytes(16), 4), randomUUIDv7: ordered });
  syncBuiltinESMExports();
}
