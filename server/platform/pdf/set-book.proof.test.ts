import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { pagesMax } from './book-pages.ts';
import type { BookStep } from './book-steps.ts';
import { setBook } from './set-book.ts';

const input = { title: 'Nell', language: 'en-GB', size: 'A5', contentsPage: null } as const;
const begin: BookStep = { do: 'begin', title: 'For Nell', isPart: false };

test('a book of more pages than a book may have is refused in words', async () => {
  async function* pages(): AsyncGenerator<BookStep[]> {
    for (let page = 0; page <= pagesMax; page += 100) yield Array.from({ length: 100 }, () => begin);
  }
  // On a slow machine the answer has begun, and its stream fails.
  const bytes = async () =>
    buffer(await setBook({ input, steps: pages(), owner: 'nell', tooLarge: 'This is too large.' }));
  await expect(bytes()).rejects.toMatchObject({
    type: 'PAYLOAD_TOO_LARGE',
    message: 'This is too large.',
  });
});
