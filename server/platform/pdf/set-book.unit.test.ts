import { buffer } from 'node:stream/consumers';
import { extractText } from 'unpdf';
import { expect, test } from 'vitest';
import { jobCounts } from '#server/platform/threads/pool.ts';
import type { BookStep } from './book-steps.ts';
import { bookJob, setBook } from './set-book.ts';

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
  const setting = setBook({ input, steps: broken(), owner: 'nell', tooLarge: 'This is too large.' });
  await expect(setting).rejects.toThrow('The letter is gone.');
});
