import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { openArchive } from './zip-archive.ts';

const directoryBytesMax = 100_000;
const limits = { entriesMax: 1_000, directoryBytesMax, contentBytesMax: 1_000_000 };

/** Opens an archive and records each part that is read of it. */
async function openCounted(archive: Buffer) {
  const reads: number[] = [];
  const read = async ({ start, end }: { start: number; end: number }) => {
    reads.push(end - start + 1);
    return Readable.from([archive.subarray(start, end + 1)], { objectMode: false });
  };
  const problem = await openArchive({ sizeBytes: archive.length, read, password: null, limits }).then(
    () => null,
    (error: Error) => error.message,
  );
  return { reads, problem };
}

const localHead = Buffer.from('PK\x03\x04', 'latin1');

/** An entry of the list (APPNOTE.TXT §4.3.12) without content. */
function listed(name: string, { extra = Buffer.alloc(0), comment = Buffer.alloc(0), offset = 0 } = {}): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt16LE(comment.length, 32);
  head.writeUInt32LE(offset, 42);
  return Buffer.concat([head, Buffer.from(name, 'latin1'), extra, comment]);
}

/** The end of an archive (§4.3.16). */
function endRecord({ entries, sizeBytes, offset }: { entries: number; sizeBytes: number; offset: number }): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(sizeBytes, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

/** The large record and its locator (§4.3.14, §4.3.15), `extensionBytes` long beyond their own fields. */
function largeRecord({ at, extensionBytes, sizeBytes }: { at: number; extensionBytes: number; sizeBytes: number }) {
  const record = Buffer.alloc(56 + extensionBytes);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(BigInt(44 + extensionBytes), 4);
  record.writeBigUInt64LE(1n, 32);
  record.writeBigUInt64LE(BigInt(sizeBytes), 40);
  record.writeBigUInt64LE(4n, 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at), 8);
  return Buffer.concat([record, locator]);
}

/** One additional field (§4.5.1) of so many bytes in all. */
function oneField(bytes: number): Buffer {
  const field = Buffer.alloc(bytes);
  field.writeUInt16LE(bytes - 4, 2);
  return field;
}

/** Opens an archive of two entries, of which the second has more than a name. */
function openListed(more: Parameters<typeof listed>[1]) {
  const list = Buffer.concat([listed('a'), listed('b', more)]);
  const end = endRecord({ entries: 2, sizeBytes: list.length, offset: listAt });
  return openCounted(Buffer.concat([localHead, list, end]));
}

const elsewhere = 0xffffffff;
const entry = listed('vault.json');
const filler = Buffer.alloc(3_000_000);
const listAt = localHead.length;

const longLists: [what: string, archive: Buffer][] = [
  [
    'that says how long it is',
    Buffer.concat([localHead, filler, endRecord({ entries: 1, sizeBytes: filler.length, offset: listAt })]),
  ],
  [
    'that begins long before its end and says that it is short',
    Buffer.concat([localHead, entry, filler, endRecord({ entries: 1, sizeBytes: entry.length, offset: listAt })]),
  ],
  [
    'that begins long before its end and says that it is empty',
    Buffer.concat([localHead, entry, filler, endRecord({ entries: 1, sizeBytes: 0, offset: listAt })]),
  ],
  [
    'that a large record describes',
    Buffer.concat([
      localHead,
      filler,
      largeRecord({ at: listAt + filler.length, extensionBytes: 0, sizeBytes: filler.length }),
      endRecord({ entries: 1, sizeBytes: elsewhere, offset: elsewhere }),
    ]),
  ],
  [
    'whose large record is long itself',
    Buffer.concat([
      localHead,
      entry,
      largeRecord({ at: listAt + entry.length, extensionBytes: 3_000_000, sizeBytes: entry.length }),
      endRecord({ entries: 0xffff, sizeBytes: entry.length, offset: listAt }),
    ]),
  ],
];

describe('a list of entries', () => {
  test.each(longLists)('%s is refused before more of it is read than a list may have', async (_, archive) => {
    const { reads, problem } = await openCounted(archive);
    expect(problem).toContain('nothing was imported');
    expect(Math.max(...reads)).toBeLessThanOrEqual(directoryBytesMax);
  });

  test('that lies elsewhere than it says is not searched entry by entry', async () => {
    const list = Buffer.concat(Array.from({ length: 900 }, (_, number) => listed(`${number}`, { offset: 1 })));
    const gap = Buffer.alloc(64);
    const end = endRecord({ entries: 900, sizeBytes: list.length, offset: listAt });
    const { reads } = await openCounted(Buffer.concat([localHead, gap, list, end]));
    expect(reads.length).toBeLessThanOrEqual(20);
  });

  test.each(['extra', 'comment'] as const)(
    'has records of up to 4,096 bytes of %s, and a longer one is refused before it is parsed',
    async (part) => {
      const openWith = (bytes: number) => openListed({ [part]: oneField(bytes) });
      expect(await openWith(4_095), 'and a name of one byte').toMatchObject({ problem: null });
      expect(await openWith(4_096)).toMatchObject({ problem: expect.stringContaining('not an export of a vault') });
    },
  );

  test('has up to 16 additional fields in a record, and one with more is refused before it is parsed', async () => {
    const openWith = (fields: number) => openListed({ extra: Buffer.alloc(4 * fields) });
    expect(await openWith(16)).toMatchObject({ problem: null });
    expect(await openWith(17)).toMatchObject({ problem: expect.stringContaining('not an export of a vault') });
  });

  test('leaves others their turn after each entry', async () => {
    const list = Buffer.concat(['a', 'b'].map((name) => listed(name)));
    let turns = 0;
    let isOpen = true;
    const countTurns = () => {
      turns += 1;
      if (isOpen) setImmediate(countTurns);
    };
    const end = endRecord({ entries: 2, sizeBytes: list.length, offset: listAt });
    // The parts lie in memory, so only the reader itself gives up its turn.
    const archive = Buffer.concat([localHead, list, end]);
    const read = async ({ start, end: last }: { start: number; end: number }) =>
      Object.assign(Readable.from([]), {
        [Symbol.asyncIterator]: async function* () {
          yield archive.subarray(start, last + 1);
        },
      });
    setImmediate(countTurns);
    await openArchive({ sizeBytes: archive.length, read: read as never, password: null, limits });
    isOpen = false;
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

describe('an entry that is not sealed', () => {
  test.each([0, 6] as const)('is refused if one bit of it changed, at compression %i', async (level) => {
    const words = Buffer.from('The kettle is behind the door. '.repeat(40));
    const archive = Buffer.from(zipSync({ 'words.txt': [words, { level }] }));
    const contentAt = 30 + 'words.txt'.length;
    const contentBytes = archive.readUInt32LE(18);
    for (let at = contentAt; at < contentAt + contentBytes; at += 1) {
      const damaged = Buffer.from(archive);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      const read = async ({ start, end }: { start: number; end: number }) =>
        Readable.from([damaged.subarray(start, end + 1)], { objectMode: false });
      const opened = await openArchive({ sizeBytes: damaged.length, read, password: null, limits });
      await expect(buffer(await opened.open('words.txt')), `byte ${at}`).rejects.toThrow('incomplete or damaged');
      if (level === 0) at += 100;
    }
  });
});
