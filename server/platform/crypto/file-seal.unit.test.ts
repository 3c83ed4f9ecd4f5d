import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { openFile, sealedBytesOf, sealFile, segmentBytes } from './file-seal.ts';
import { createVaults, SealBrokenError } from './vault.ts';

const masterKey = randomBytes(32);
const vaults = createVaults({ current: { version: 1, key: masterKey }, find: () => masterKey });
const newVault = (ownerId = randomUUID()) => vaults.open(ownerId, vaults.create(ownerId));
const vault = newVault();

const headerBytes = 62;
const sealedSegment = segmentBytes + 16;
const streamOf = (...parts: Buffer[]) => Readable.from(parts, { objectMode: false });

/** Seals content that arrives in pieces of this size. */
async function seal(content: Buffer, { fileId = 'file', pieceBytes = 10_000, by = vault } = {}): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < content.length; at += pieceBytes) pieces.push(content.subarray(at, at + pieceBytes));
  const sealer = sealFile(by, fileId);
  const [sealed] = await Promise.all([buffer(sealer), pipeline(streamOf(...pieces), sealer)]);
  return sealed;
}

type Opening = { sizeBytes: number; fileId?: string; range?: { start: number; end: number }; by?: typeof vault };

async function open(sealed: Buffer, { sizeBytes, fileId = 'file', range, by = vault }: Opening): Promise<Buffer> {
  const read = async ({ start, end }: { start: number; end?: number }) =>
    streamOf(sealed.subarray(start, end === undefined ? undefined : end + 1));
  return buffer(await openFile({ vault: by, fileId, sizeBytes, range, read }));
}

describe('a sealed file', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 2 * 65_536, 200_000, 10 * 1024 * 1024])(
    'a file of %i bytes comes back as it was, in pieces of any size',
    async (sizeBytes) => {
      const content = randomBytes(sizeBytes);
      for (const pieceBytes of [65_536, 99_991, 7_777]) {
        const sealed = await seal(content, { pieceBytes });
        expect(sealed.length).toBe(sealedBytesOf(sizeBytes));
        expect((await open(sealed, { sizeBytes })).equals(content)).toBe(true);
      }
    },
  );

  it('is never sealed the same way twice, and shows nothing of its content', async () => {
    const content = Buffer.alloc(200_000, 'the blue box ');
    const [first, second] = [await seal(content), await seal(content)];
    expect(first.equals(second)).toBe(false);
    expect(first.includes('blue box')).toBe(false);
    const segments = new Set<string>();
    for (let at = headerBytes; at < first.length; at += 16) segments.add(first.subarray(at, at + 16).toString('hex'));
    expect(segments.size).toBe(Math.ceil((first.length - headerBytes) / 16));
  });

  it('opens in its middle', async () => {
    const content = randomBytes(3 * segmentBytes + 1_000);
    const sealed = await seal(content);
    const edges = [0, 1, segmentBytes - 1, segmentBytes, segmentBytes + 1, 2 * segmentBytes, content.length - 1];
    for (const start of edges) {
      for (const end of edges.filter((edge) => edge >= start)) {
        const part = await open(sealed, { sizeBytes: content.length, range: { start, end } });
        expect(part.equals(content.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
      }
    }
  });

  it('opens a part without reading the rest', async () => {
    const content = randomBytes(10 * segmentBytes);
    const sealed = await seal(content);
    let bytesRead = 0;
    const read = async ({ start, end }: { start: number; end?: number }) => {
      const part = sealed.subarray(start, end === undefined ? undefined : end + 1);
      bytesRead += part.length;
      return streamOf(part);
    };
    const range = { start: 5 * segmentBytes + 10, end: 5 * segmentBytes + 20 };
    const part = await buffer(await openFile({ vault, fileId: 'file', sizeBytes: content.length, range, read }));
    expect(part.equals(content.subarray(range.start, range.end + 1))).toBe(true);
    expect(bytesRead).toBe(headerBytes + sealedSegment);
  });
});

describe('a manipulated file is refused', () => {
  const sizeBytes = 3 * segmentBytes + 500;
  const content = randomBytes(sizeBytes);
  const segmentsOf = (sealed: Buffer) => {
    const parts: Buffer[] = [];
    for (let at = headerBytes; at < sealed.length; at += sealedSegment) {
      parts.push(sealed.subarray(at, at + sealedSegment));
    }
    return parts;
  };

  it('every byte of a file of 4 KiB, turned over one at a time', async () => {
    const small = randomBytes(4_096);
    const sealed = await seal(small);
    for (let at = 0; at < sealed.length; at += 1) {
      const flipped = Buffer.from(sealed);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      await expect(open(flipped, { sizeBytes: small.length }), `byte ${at}`).rejects.toThrow(SealBrokenError);
    }
  });

  it('cut at and around every edge', async () => {
    const sealed = await seal(content);
    const edges = [0, 1, 2, 3, 4].map((segment) => Math.min(headerBytes + segment * sealedSegment, sealed.length));
    const cuts = edges.flatMap((edge) => [edge - 17, edge - 16, edge - 1, edge, edge + 1, edge + 16]);
    for (const cut of [0, 1, ...cuts].filter((each) => each < sealed.length)) {
      await expect(open(sealed.subarray(0, cut), { sizeBytes }), `at ${cut}`).rejects.toThrow(SealBrokenError);
    }
  });

  it('a size that was changed where it is written down', async () => {
    const sealed = await seal(content);
    const others = [
      0,
      1,
      sizeBytes - 1,
      sizeBytes + 1,
      segmentBytes,
      2 * segmentBytes,
      3 * segmentBytes,
      4 * segmentBytes + 1,
      10 * segmentBytes,
    ];
    for (const other of others) {
      await expect(open(sealed, { sizeBytes: other }), `${other}`).rejects.toThrow(SealBrokenError);
    }
  });

  it('swapped, repeated, left out, added and borrowed segments', async () => {
    const sealed = await seal(content);
    const header = sealed.subarray(0, headerBytes);
    const [a, b, c, d] = segmentsOf(sealed) as [Buffer, Buffer, Buffer, Buffer];
    const foreign = await seal(content);
    const [foreignA] = segmentsOf(foreign) as [Buffer];
    const forgeries = {
      swapped: [b, a, c, d],
      'last two swapped': [a, b, d, c],
      repeated: [a, a, b, c, d],
      'repeated in place of another': [a, a, c, d],
      'left out': [a, c, d],
      'the last left out': [a, b, c],
      'the last twice': [a, b, c, d, d],
      'one added': [a, b, c, d, a],
      'a byte added': [a, b, c, d, Buffer.of(0)],
      'of another file': [foreignA, b, c, d],
      nothing: [],
    };
    for (const [name, segments] of Object.entries(forgeries)) {
      await expect(open(Buffer.concat([header, ...segments]), { sizeBytes }), name).rejects.toThrow(SealBrokenError);
    }
    const otherHeader = Buffer.concat([foreign.subarray(0, headerBytes), a, b, c, d]);
    await expect(open(otherHeader, { sizeBytes })).rejects.toThrow(SealBrokenError);
  });

  it('a file whose segments are all whole, with one added or its last left out', async () => {
    const whole = randomBytes(2 * segmentBytes);
    const sealed = await seal(whole);
    const [a, b] = segmentsOf(sealed) as [Buffer, Buffer];
    const header = sealed.subarray(0, headerBytes);
    for (const segments of [[a], [a, b, b], [a, b, Buffer.alloc(16)]]) {
      const forged = Buffer.concat([header, ...segments]);
      await expect(open(forged, { sizeBytes: whole.length })).rejects.toThrow(SealBrokenError);
      const until = { sizeBytes: whole.length, range: { start: segmentBytes, end: whole.length - 1 } };
      await expect(open(forged, until)).rejects.toThrow(SealBrokenError);
    }
  });

  it('a file in the place of another, or of another owner', async () => {
    const sealed = await seal(content);
    await expect(open(sealed, { sizeBytes, fileId: 'other' })).rejects.toThrow(SealBrokenError);
    await expect(open(sealed, { sizeBytes, by: newVault() })).rejects.toThrow(SealBrokenError);
  });

  it('after the earlier segments, and no more', async () => {
    const sealed = await seal(content);
    sealed[headerBytes + 2 * sealedSegment + 5] = (sealed[headerBytes + 2 * sealedSegment + 5] ?? 0) ^ 1;
    const read = async ({ start, end }: { start: number; end?: number }) =>
      streamOf(sealed.subarray(start, end === undefined ? undefined : end + 1));
    const given: Buffer[] = [];
    const opened = await openFile({ vault, fileId: 'file', sizeBytes, read });
    const reading = (async () => {
      for await (const part of opened) given.push(part);
    })();
    await expect(reading).rejects.toThrow(SealBrokenError);
    const before = Buffer.concat(given);
    expect(before.equals(content.subarray(0, before.length))).toBe(true);
    expect(before.length).toBeLessThanOrEqual(2 * segmentBytes);
  });

  it('a store that stops in the middle', async () => {
    const sealed = await seal(content);
    const read = async ({ start, end }: { start: number; end?: number }) => {
      const part = sealed.subarray(start, end === undefined ? undefined : end + 1);
      return Readable.from(
        (async function* () {
          yield part.subarray(0, 100_000);
          throw new Error('the store went away');
        })(),
        { objectMode: false },
      );
    };
    await expect(buffer(await openFile({ vault, fileId: 'file', sizeBytes, read }))).rejects.toThrow('went away');
  });
});
