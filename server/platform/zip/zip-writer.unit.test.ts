import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { extractWithSevenZip, listWithSevenZip } from '#tests/support/seven-zip.ts';
import { createEntryKeys, entrySealBytes, sealEntry } from './entry-seal.ts';
import { openArchive } from './zip-archive.ts';
import { methods } from './zip-records.ts';
import { createZipWriter, type NewEntry, type ZipLimits, type ZipWriter } from './zip-writer.ts';

const modifiedAt = new Date('2026-11-22T09:30:00Z');
const password = 'A key of its own';

async function written(fill: (writer: ZipWriter) => Promise<void>, limits?: ZipLimits): Promise<Buffer> {
  const out: Buffer[] = [];
  const writer = createZipWriter(async (bytes) => {
    out.push(bytes);
  }, limits);
  await fill(writer);
  await writer.end();
  return Buffer.concat(out);
}

async function* pieces(given: Buffer[]): AsyncGenerator<Buffer> {
  yield* given;
}

/** An entry whose bytes are sealed already. */
function entryOf(name: string, { sealed, sizeBytes }: { sealed: Buffer[]; sizeBytes: number }): NewEntry {
  const sealedBytes = Buffer.concat(sealed).length;
  const about = { name, method: methods.stored, modifiedAt };
  return { ...about, sealed: pieces(sealed), announced: { sizeBytes, sealedBytes }, passedBytes: () => sizeBytes };
}

describe('the writer of archives', () => {
  test('lists more entries than two bytes can count', async () => {
    const count = 65_600;
    const archive = await written(async (writer) => {
      const bytes = { sealed: [Buffer.alloc(entrySealBytes)], sizeBytes: 0 };
      for (let number = 0; number < count; number += 1) await writer.add(entryOf(`${number}`, bytes));
    });
    expect(await listWithSevenZip(archive)).toMatch(new RegExp(`\\b${count} files\\b`));
  });

  test.each([
    ['an archive', { largeFromBytes: 1, manyFromEntries: 0xffff }],
    ['the place of an entry', { largeFromBytes: 500, manyFromEntries: 0xffff }],
    ['the count', { largeFromBytes: 0xffffffff, manyFromEntries: 1 }],
  ])('writes %s in eight bytes where four do not hold it, as other programs read it', async (_, limits) => {
    const nextKey = createEntryKeys(password);
    const content = Buffer.from('Put the kettle on first. '.repeat(10));
    const seal = async (text: Buffer) => Readable.from([text], { objectMode: false });
    const archive = await written(async (writer) => {
      for (const name of ['known', 'later', 'last']) {
        const sealed: Buffer[] = [];
        for await (const piece of sealEntry(await nextKey(), await seal(content))) sealed.push(piece);
        const entry = entryOf(name, { sealed, sizeBytes: content.length });
        await writer.add(name === 'later' ? { ...entry, announced: null } : entry);
      }
    }, limits);

    const expected = ['known', 'last', 'later'].map((name) => [name, content]);
    const { files } = await extractWithSevenZip(archive, password);
    expect([...files].toSorted()).toEqual(expected);
    const read = async ({ start, end }: { start: number; end: number }) => seal(archive.subarray(start, end + 1));
    const given = { sizeBytes: archive.length, read, password };
    const ours = await openArchive({
      ...given,
      limits: { entriesMax: 10, directoryBytesMax: 10_000, contentBytesMax: 10_000 },
    });
    for (const [name] of expected) expect(await buffer(await ours.open(String(name)))).toEqual(content);
  });
});
