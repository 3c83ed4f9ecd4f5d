import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { extractWithSevenZip } from '#tests/support/seven-zip.ts';
import { encryptedZip, type ZipEntries } from './encrypted-zip.ts';
import { openArchive } from './zip-archive.ts';

/** Longer than an entry takes to fail. */
const lateMs = 200;
const password = 'A key of its own';
const modifiedAt = new Date('2026-11-22T09:30:00Z');
const limits = { entriesMax: 100_000, directoryBytesMax: 100_000_000, contentBytesMax: 100_000_000 };

async function* pieces(...given: (Buffer | string)[]): AsyncGenerator<Buffer> {
  for (const piece of given) yield Buffer.from(piece);
}

const fileOf = (name: string, ...given: Buffer[]) => {
  const sizeBytes = Buffer.concat(given).length;
  return { name, sizeBytes, content: pieces(...given), modifiedAt };
};

const made = (fill: (entries: ZipEntries) => Promise<void>) => buffer(encryptedZip(password, fill));

function opened(archive: Buffer) {
  const read = async ({ start, end }: { start: number; end: number }) =>
    Readable.from([archive.subarray(start, end + 1)], { objectMode: false });
  return openArchive({ sizeBytes: archive.length, read, password, limits });
}

describe('an encrypted archive', () => {
  test('opens in 7-Zip and in our own reader, with entries of every kind', async () => {
    // Pieces that end inside a block of the cipher, and at its end.
    const long = [1, 15, 16, 17, 65_536, 70_001].map((length) => randomBytes(length));
    const text = 'Łucja wrote to 奈々. '.repeat(10_000);
    const archive = await made(async (entries) => {
      await entries.addFile(fileOf('empty.bin'));
      await entries.addFile(fileOf('Für Łucja 🌷.bin', ...long));
      await entries.addText({ name: 'words.txt', text: pieces('', text.slice(0, 7), text.slice(7)), modifiedAt });
    });
    expect(archive.length).toBeLessThan(Buffer.concat(long).length + 10_000);
    const expected = new Map([
      ['empty.bin', Buffer.alloc(0)],
      ['Für Łucja 🌷.bin', Buffer.concat(long)],
      ['words.txt', Buffer.from(text)],
    ]);
    const { files, listing } = await extractWithSevenZip(archive, password);
    expect(files).toEqual(expected);
    expect(listing.match(/Method = AES-256/g)).toHaveLength(3);
    const listed = await new ZipReader(new Uint8ArrayReader(archive)).getEntries();
    expect(listed.map(({ lastModDate }) => lastModDate)).toEqual(Array(3).fill(modifiedAt));
    const ours = await opened(archive);
    for (const [name, content] of expected) expect(await buffer(await ours.open(name))).toEqual(content);
  });

  test('has no two entries that are sealed alike', async () => {
    const content = Buffer.alloc(64);
    const archive = await made(async (entries) => {
      for (const name of ['a', 'b']) await entries.addFile(fileOf(name, content));
    });
    const [first = 0, second = 0] = ['a', 'b'].map((name) => archive.indexOf(`${name}UT`) + 1 + 9 + 11 + 18);
    const sealedAt = (at: number) => archive.subarray(at, at + content.length);
    expect(sealedAt(first).equals(sealedAt(second))).toBe(false);
    expect(sealedAt(first).equals(content)).toBe(false);
  });

  test('fails where a file is not as long as it was said to be', async () => {
    const content = () => pieces(Buffer.alloc(9));
    for (const sizeBytes of [8, 10]) {
      const archive = made((entries) => entries.addFile({ name: 'a', sizeBytes, content: content(), modifiedAt }));
      await expect(archive).rejects.toThrow(`An entry of ${sizeBytes} bytes was announced, and 9 came.`);
    }
  });

  test('fails if its source breaks off', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield randomBytes(100_000);
      throw new Error('The disk is gone.');
    }
    const entry = { name: 'a', modifiedAt };
    const file = made((entries) => entries.addFile({ ...entry, sizeBytes: 200_000, content: broken() }));
    await expect(file).rejects.toThrow('The disk is gone.');
    await expect(made((entries) => entries.addText({ ...entry, text: broken() }))).rejects.toThrow('The disk is gone.');
  });

  test('is refused by our own reader wherever it is cut, and by 7-Zip', async () => {
    const archive = await made((entries) => entries.addFile(fileOf('a', randomBytes(300))));
    for (let length = 0; length < archive.length; length += 7) {
      const cut = async () => buffer(await (await opened(archive.subarray(0, length))).open('a'));
      await expect(cut()).rejects.toThrow('incomplete or damaged');
    }
    await expect(extractWithSevenZip(archive.subarray(0, 200), password)).rejects.toThrow();
  });

  test.each([100, 190_000])(
    'fails a late reader of a damaged entry of %i bytes, and nothing else',
    async (sizeBytes) => {
      const unheard: unknown[] = [];
      const note = (error: unknown) => void unheard.push(error);
      process.on('uncaughtException', note).on('unhandledRejection', note);
      onTestFinished(() => void process.off('uncaughtException', note).off('unhandledRejection', note));
      const archive = await made((entries) => entries.addFile(fileOf('a', randomBytes(sizeBytes))));
      for (const part of [0.2, 0.5, 0.9]) {
        const damaged = Buffer.from(archive);
        const at = 75 + Math.floor(sizeBytes * part * 0.9);
        damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
        const entry = await (await opened(damaged)).open('a');
        await sleep(lateMs);
        await expect(buffer(entry)).rejects.toThrow('incomplete or damaged');
      }
      await sleep(lateMs);
      expect(unheard).toEqual([]);
    },
  );

  test('reads no more of a file than is taken, and closes it if the reader leaves', async () => {
    let readBytes = 0;
    const letGo = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          readBytes += 65_536;
          yield Buffer.alloc(65_536);
        }
      } finally {
        letGo.resolve();
      }
    }
    const archive = encryptedZip(password, (entries) =>
      entries.addFile({ name: 'a', sizeBytes: Number.MAX_SAFE_INTEGER, content: endless(), modifiedAt }),
    );
    archive.on('error', () => undefined);
    await once(archive, 'readable');
    await nextTurn();
    expect(readBytes).toBeLessThan(1_000_000);
    archive.destroy();
    await letGo.promise;
  });
});
