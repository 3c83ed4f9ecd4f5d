import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { beginWork, nameSender } from '#server/platform/running-work/running-work.ts';
import { runInThread } from '#server/platform/threads/pool.ts';
import { importLimits, importsAtOnceMax } from '#shared/rules/imports.ts';
import { readSkeleton } from './import-json.ts';
import { openPackage } from './import-package.ts';
import { parseExport } from './import-parse.ts';
import { createImportQueue } from './import-queue.ts';

const row = Buffer.from('{},'.repeat(10_000));

/** 63 MB of rows that say nothing, made while they are read; counts how much was asked for. */
function emptyRows() {
  const read = { bytes: 0 };
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"format":"everkept-export","version":1,"messages":[');
    for (let count = 0; count < 2_100; count += 1) {
      read.bytes += row.length;
      yield row;
    }
    yield Buffer.from('{}]}');
  }
  return { stream: Readable.from(pieces(), { objectMode: true, highWaterMark: 1 }), read };
}

/** The archive of 61 kB whose text unfolds to 63 MB, with what it states of that length, and a count of its reading. */
function bomb(statedBytes?: number) {
  const content = Buffer.concat([
    Buffer.from('{"messages":['),
    ...Array.from({ length: 2_100 }, () => row),
    Buffer.from('{}]}'),
  ]);
  const archive = Buffer.from(zipSync({ 'vault.json': content }));
  if (statedBytes !== undefined) {
    archive.writeUInt32LE(statedBytes, archive.indexOf('PK\x03\x04', 0, 'latin1') + 22);
    archive.writeUInt32LE(statedBytes, archive.indexOf('PK\x01\x02', 0, 'latin1') + 24);
  }
  return {
    sizeBytes: archive.length,
    read: async ({ start, end }: { start: number; end: number }) =>
      Readable.from([archive.subarray(start, end + 1)], { objectMode: false }),
  };
}

describe('what is never parsed as a whole', () => {
  test('rows are counted as they come: of 63 MB of empty ones less than one is read on Free', async () => {
    const { stream, read } = emptyRows();
    await expect(readSkeleton(stream, importLimits.free)).rejects.toMatchObject({ type: 'PAYLOAD_TOO_LARGE' });
    expect(read.bytes).toBeLessThan(1_000_000);
  });

  test('the words of letters are read in pieces, and other calls may run after each piece', async () => {
    const piece = Buffer.from(`"${'Put the kettle on first. '.repeat(2_600)}",`);
    const pieces = 60;
    const stream = Readable.from([Buffer.from('['), ...Array.from({ length: pieces }, () => piece), Buffer.from('1]')]);
    let pauses = 0;
    await readSkeleton(stream, importLimits.free, async () => {
      pauses += 1;
    });
    expect(pauses).toBe(pieces + 2);
  });

  test('wherever the text is cut, and whatever is escaped in it, files are found and words are left as they are', async () => {
    const words = fc.string({ unit: fc.constantFrom('a', '"', '\\', 'base64', 'é', '\n', ':') });
    const row = fc.record({ words, base64: fc.base64String(), other: words, base64x: words });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 4 }), fc.integer({ min: 1, max: 40 }), async (rows, size) => {
        const bytes = Buffer.from(JSON.stringify(rows));
        const cuts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const { text } = await readSkeleton(Readable.from(cuts), importLimits.free);
        const read = JSON.parse(text.toString('utf8')) as (Record<string, unknown> & { base64: [number, number] })[];
        const back = read.map(({ base64: [start, end], ...rest }) => ({
          ...rest,
          base64: bytes.subarray(start, end).toString('latin1'),
        }));
        expect(back).toEqual(rows);
      }),
    );
  });

  test('an archive that states more than its plan takes, or far more than it holds, is refused unopened', async () => {
    const opening = { key: null, limits: importLimits.free, caller: { owner: 'sam' } };
    await expect(openPackage(bomb(), opening)).rejects.toMatchObject({ type: 'PAYLOAD_TOO_LARGE' });
    await expect(openPackage(bomb(), { ...opening, limits: importLimits.lifetime })).rejects.toMatchObject({
      type: 'PAYLOAD_TOO_LARGE',
    });
  });

  test('an entry that holds more than it states ends there', async () => {
    const opening = { key: null, limits: importLimits.free, caller: { owner: 'sam' } };
    await expect(openPackage(bomb(1_000), opening)).rejects.toMatchObject({ type: 'VALIDATION' });
  });
});

describe('turns', () => {
  test('two are read at once, some wait, and later ones get a time to try again', async () => {
    const turns = createImportQueue();
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const start = () =>
      turns.ofProcess(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running -= 1;
      });
    const begun = Array.from({ length: 10 }, start);
    await expect(start()).rejects.toMatchObject({ type: 'UNAVAILABLE', details: { retryAfterSeconds: 60 } });
    const endNext = async () => {
      while (ends.length === 0) await setImmediate();
      ends.shift()?.();
    };
    for (const _ of begun) await endNext();
    await Promise.all(begun);
    expect([most, running]).toEqual([2, 0]);
    await Promise.all([start(), endNext()]);
  });

  test('of an owner is one, also where the last has failed', async () => {
    const turns = createImportQueue();
    let fail = () => {};
    const first = turns.ofOwner('a', () => new Promise((_, reject) => (fail = () => reject(new Error('Failed.')))));
    await expect(turns.ofOwner('a', async () => 1)).rejects.toMatchObject({ type: 'RATE_LIMITED' });
    expect(await turns.ofOwner('b', async () => 2)).toBe(2);
    fail();
    await expect(first).rejects.toThrow('Failed.');
    expect(await turns.ofOwner('a', async () => 3)).toBe(3);
  });
});

describe('the turn of an import', () => {
  const text = Buffer.from(`{"padding":"${'a'.repeat(200_000)}"}`);
  const parse = (owner: string, signal?: AbortSignal) =>
    parseExport(text, importLimits.free, { owner, ...(signal && { signal }) });
  const isRead = { type: 'VALIDATION' };

  test('belongs to its account in the pool: a second job of the account is refused, and others are read', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const module = new URL('../../platform/threads/hostile.fixture.ts', import.meta.url);
    const job = { name: 'held', module, lane: 'book', busyMs: 60_000 } as const;
    const running = runInThread(job, { input: '', owner: 'sam', answer: () => promise });
    await expect(parse('sam')).rejects.toMatchObject({ type: 'RATE_LIMITED' });
    await expect(parse('ann')).rejects.toMatchObject(isRead);
    resolve('there');
    await running;
    await expect(parse('sam')).rejects.toMatchObject(isRead);
  });

  test('is given up by a caller who leaves while it waits, in the pool and in the queue before it', async () => {
    const left = new Error('The caller has left.');
    await expect(parse('sam', AbortSignal.abort(left))).rejects.toBe(left);
    const queue = createImportQueue();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = Array.from({ length: importsAtOnceMax }, () => queue.ofProcess(() => promise));
    const caller = new AbortController();
    let started = 0;
    const waiting = queue.ofProcess(async () => {
      started += 1;
    }, caller.signal);
    caller.abort(left);
    await expect(waiting).rejects.toBe(left);
    resolve();
    await Promise.all(running);
    await queue.ofProcess(async () => undefined);
    expect(started).toBe(0);
  });

  test('from elsewhere has its turn after two of the many accounts of one network', async () => {
    const queue = createImportQueue();
    const order: string[] = [];
    const from = (account: string, network: string) =>
      beginWork('POST /api/import-data', { sender: `network ${network}` }).run(async () => {
        nameSender(`account ${account}`);
        await queue.ofProcess(async () => {
          order.push(account);
          await setImmediate();
        });
      });
    const imports = Array.from({ length: 30 }, (_, index) => from(`free ${index}`, '192.0.2.1'));
    imports.push(from('owner', '192.0.2.2'));
    await Promise.allSettled(imports);
    expect(order.indexOf('owner')).toBeLessThanOrEqual(importsAtOnceMax + 1);
    expect(order).toContain('owner');
  });
});
