import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { type BookStep, isolated } from '#server/platform/pdf/book-steps.ts';
import { hanFormsOf } from '#server/platform/pdf/han-forms.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import { comparisonWords } from '#shared/compared-sources.ts';
import type { firstWeeksPageSchema } from '#shared/contract/vault/first-weeks.ts';
import { firstWeeksIntro } from '#shared/rules/first-weeks/notes.ts';

type Page = z.output<typeof firstWeeksPageSchema>;
type Step = Page['parts'][number]['steps'][number];

const tooLarge = 'This page is too large to be set as a PDF, so no file was made. Print the page in place of it.';
const note =
  'Some characters cannot be shown here. This text is attached to this file as first-weeks.txt, complete. The page shows every character.';

const partSize = 16;
const stepSize = 13;

const write = (words: string): BookStep => ({ do: 'write', words });
const quietly = (words: string): BookStep => ({ do: 'quietly', words });
const space = (points: number): BookStep => ({ do: 'space', points });

/** The page for the first weeks as a PDF. `reader` names the contact for the pool of threads. */
export function writeFirstWeeks(
  page: Page,
  savedAt: Date,
  { reader, ...left }: { reader: string; signal?: AbortSignal },
): Promise<Readable> {
  const input = { title: titleOf(page), language: 'en-GB', size: 'A4', contentsPage: null } as const;
  return setBook({ input, ...left, steps: stepsOf(page, savedAt), owner: reader, tooLarge });
}

export function titleOf({ ownerFirstName }: Pick<Page, 'ownerFirstName'>): string {
  return `The first weeks, from ${ownerFirstName}`;
}

async function* stepsOf(page: Page, savedAt: Date): AsyncGenerator<BookStep[]> {
  const { ownerFirstName, updatedAt, parts } = page;
  const noted = parts.flatMap(({ steps }) => steps.flatMap(({ notes }) => notes.map(({ words }) => words)));
  const written = updatedAt ? ` ${isolated(ownerFirstName)} wrote the notes on ${longDate(updatedAt)}.` : '';
  yield [
    { do: 'begin', title: titleOf(page), isPart: false, hanForms: hanFormsOf([ownerFirstName, ...noted]) },
    quietly(`Saved on ${longDate(savedAt)}.${written}`),
    write(firstWeeksIntro),
  ];
  for (const { title, steps } of parts) {
    yield [space(14), { do: 'write', words: title, size: partSize }, ...steps.flatMap(stepOf)];
  }
  yield [{ do: 'attachUnlessWhole', name: 'first-weeks.txt', note }];
}

function stepOf({ title, where, words, list, notes, sources }: Step): BookStep[] {
  return [
    space(6),
    { do: 'write', words: where ? `${title} (${where})` : title, size: stepSize, gapAfter: 2 },
    ...notes.flatMap(({ label, words: noted }) => [quietly(`${label}, as noted:`), write(noted)]),
    ...words.map(write),
    ...list.map((line): BookStep => ({ do: 'write', words: `•  ${line}`, gapAfter: 1 })),
    ...(list.length > 0 ? [space(5)] : []),
    ...sources.map((source) => {
      const day = longDate(new Date(source.checkedOn));
      return quietly(`${source.title} (${source.url.replace('https://www.', '')}), ${comparisonWords(source, day)}.`);
    }),
  ];
}
