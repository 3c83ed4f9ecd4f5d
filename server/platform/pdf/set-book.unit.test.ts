import { buffer } from 'node:stream/consumers';
import { extractText } from 'unpdf';
import { describe, expect, test } from 'vitest';
import { jobCounts, othersWait, runInThread } from '#server/platform/threads/pool.ts';
import type { BookStep } from './book-steps.ts';
import { bookJob, setBook } from './set-book.ts';

/** Longer than any test. */
const neverMs = 2_000_000_000;
const input = { title: 'Nell', language: 'en-GB', size: 'A5', contentsPage: null } as const;
const begin: BookStep = { do: 'begin', title: 'For Nell', isPart: false };

async function* stepsOf(...steps: BookStep[]) {
  yield [begin, ...steps];
}

const set = async (...steps: BookStep[]) =>
  buffer(await setBook({ input, steps: stepsOf(...steps), owner: 'nell', tooLarge: 'This is too large.' }));
const textOf = async (pdf: Buffer) =>
  (await extractText(new Uint8Array(pdf), { mergePages: true })).text.replace(/\s+/g, '');

test.each([
  ['one word of 30,000 letters', 'a'.repeat(30_000)],
  ['10,000 short lines', 'a\n'.repeat(10_000).trim()],
  ['20,000 opening brackets that forbid a line break', '( '.repeat(20_000).trim()],
  ['one Hebrew word of 10,000 letters', 'ש'.repeat(10_000)],
  ['3,000 short lines of Hebrew', 'ש\n'.repeat(3_000).trim()],
  ['10,000 Chinese characters without a space', '好'.repeat(10_000)],
])('a text of %s is set whole in one job', async (_, words) => {
  const { done } = jobCounts(bookJob);
  // Page numbers stand between the words.
  const text = (await textOf(await set({ do: 'write', words }))).replace(/\d+/g, '');
  expect(text === `ForNell${words.replace(/\s+/g, '')}`, `${text.length} characters`).toBe(true);
  expect(jobCounts(bookJob).done).toBe(done + 1);
});

const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000a0000000a080200000002eb5a8d', 'hex');
const chunk = (length: string, type: string) =>
  Buffer.concat([Buffer.from(length, 'hex'), Buffer.from(type), Buffer.alloc(4)]);

test.each([
  ['whose chunk states a negative length', Buffer.concat([png, chunk('00000000', 'IDAT'), chunk('fffffff4', 'eVIL')])],
  ['whose pixels are longer than the file', Buffer.concat([png, chunk('10000000', 'IDAT')])],
])('a PNG %s is named in place of being set', async (_, bytes) => {
  const { terminated } = jobCounts(bookJob);
  const pdf = await set({ do: 'picture', bytes: new Uint8Array(bytes), otherwise: 'A picture, saved on its own.' });
  expect(await textOf(pdf)).toContain('Apicture,savedonitsown.');
  expect(jobCounts(bookJob).terminated).toBe(terminated);
});

test('a book whose reader leaves is given up while its text is set, and the reader may have another one', async () => {
  const { terminated } = jobCounts(bookJob);
  const reader = new AbortController();
  async function* endless(): AsyncGenerator<BookStep[]> {
    yield [begin, { do: 'write', words: 'a\n'.repeat(99_999) }];
    throw new Error('The whole text was set.');
  }
  const call = { input, owner: 'nell', tooLarge: 'This is too large.', signal: reader.signal };
  setTimeout(() => reader.abort(), 500);
  await expect(setBook({ ...call, steps: endless() })).rejects.toThrow('The reader left');
  expect(jobCounts(bookJob).terminated).toBe(terminated + 1);
  expect(await textOf(await set({ do: 'write', words: 'Hello' }))).toContain('Hello');
});

test('a book whose letters cannot be read fails with that error and leaves no stream', async () => {
  async function* broken(): AsyncGenerator<BookStep[]> {
    yield [begin];
    throw new Error('The letter is gone.');
  }
  const limits = { answerWithinMs: neverMs };
  const setting = setBook({ input, steps: broken(), owner: 'nell', tooLarge: 'This is too large.', limits });
  await expect(setting).rejects.toThrow('The letter is gone.');
});

describe('a book that waits for its reader', () => {
  const module = new URL('../threads/hostile.fixture.ts', import.meta.url);
  const other = { name: 'another book', module, lane: 'book', busyMs: 60_000 } as const;

  /** A book of more bytes than may be unread, whose reader reads nothing. The clock is moved by the test. */
  async function unreadBook(owner: string) {
    let now = 0;
    let looks = 0;
    async function* long(): AsyncGenerator<BookStep[]> {
      for (let part = 0; part < 100; part += 1) yield [begin, { do: 'write', words: 'a\n'.repeat(100).trim() }];
    }
    const nowMs = () => {
      looks += 1;
      return now;
    };
    const out = await setBook({
      ...{ input, steps: long(), owner, tooLarge: 'This is too large.' },
      limits: { unreadBytesMax: 1_000, lookEveryMs: 5, answerWithinMs: neverMs, nowMs },
    });
    const seen = () => {
      const before = looks;
      return expect.poll(() => looks).toBeGreaterThan(before + 5);
    };
    const waitUntil = (ms: number) => {
      now = ms;
    };
    const ended = new Promise((resolve) => out.once('error', resolve));
    return { out, waitUntil, seen, ended };
  }

  test('is given up at 20 seconds if another job waits for its thread, which then runs', async () => {
    const { terminated } = jobCounts(bookJob);
    const { out, waitUntil, seen, ended } = await unreadBook('slow');
    const waiting = runInThread(other, { input: '', answer: async () => 'here' });
    expect(othersWait(bookJob)).toBe(true);
    waitUntil(19_999);
    await seen();
    expect([out.destroyed, othersWait(bookJob)]).toEqual([false, true]);
    waitUntil(20_000);
    expect(await ended).toMatchObject({ message: 'The reader is too slow.' });
    expect(await waiting).toBe('here back');
    expect(jobCounts(bookJob).terminated).toBe(terminated + 1);
  });

  test('waits 300 seconds if no other job waits', async () => {
    const { out, waitUntil, seen, ended } = await unreadBook('slow alone');
    waitUntil(20_000);
    await seen();
    waitUntil(299_999);
    await seen();
    expect(out.destroyed).toBe(false);
    waitUntil(300_000);
    expect(await ended).toMatchObject({ message: 'The reader is too slow.' });
  });
});
