import type { Ask } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type Book, openBook } from './book.ts';
import { TooManyPagesError } from './book-pages.ts';
import type { BookAnswer, BookInput, BookQuestion, BookStep } from './book-steps.ts';

type AskMain = Ask<BookQuestion, BookAnswer>;

/** Sets a book from the caller's steps and hands over its bytes. Returns the number of pieces that were set. */
export async function run({ tooLarge, ...opening }: BookInput, ask: AskMain): Promise<{ pieces: number }> {
  const book = await openBook(opening);
  const setter: Setter = { book, isWhole: true, words: [] };
  try {
    for (let steps = await ask({ is: 'next' }); steps !== null; steps = await ask({ is: 'next' })) {
      for (const step of steps) {
        takeStep(setter, step);
        await handOver(book, ask);
      }
    }
    book.finish();
  } catch (error) {
    throw error instanceof TooManyPagesError ? new AppError('PAYLOAD_TOO_LARGE', tooLarge) : error;
  }
  await handOver(book, ask);
  return { pieces: book.pieces() };
}

/** Hands over the bytes that are ready, so that pages and pictures do not pile up in this thread. */
async function handOver(book: Book, ask: AskMain): Promise<void> {
  for (const bytes of book.takeBytes()) await ask({ is: 'bytes', bytes });
}

/** `words`: everything since the last `titlePage` or `begin`. `isWhole`: true if all of it could be set. */
type Setter = { book: Book; isWhole: boolean; words: string[] };

function takeStep(setter: Setter, step: BookStep): void {
  const { book } = setter;
  const note = (words: string, isWhole: boolean) => {
    setter.words.push(words);
    setter.isWhole &&= isWhole;
  };
  switch (step.do) {
    case 'titlePage':
      startText(setter);
      note([step.owner, ...step.lines].join('\n'), book.titlePage(step.owner, step.lines, step));
      return;
    case 'reserveContents':
      book.reserveContents(step.lines);
      return;
    case 'begin':
      startText(setter);
      note(step.title, book.begin(step.title, step));
      return;
    case 'write': {
      const { words, size, gapAfter } = step;
      note(words, book.write(words, { ...(size && { size }), ...(gapAfter !== undefined && { gapAfter }) }));
      return;
    }
    case 'quietly':
      note(step.words, book.quietly(step.words));
      return;
    case 'space':
      book.space(step.points);
      return;
    case 'picture':
      if (!book.picture(Buffer.from(step.bytes))) note(step.otherwise, book.quietly(step.otherwise));
      return;
    case 'attachUnlessWhole':
      if (!setter.isWhole) {
        book.attach(step.name, `${setter.words.join('\n\n')}\n`);
        book.quietly(step.note);
      }
      startText(setter);
  }
}

function startText(setter: Setter): void {
  setter.words = [];
  setter.isWhole = true;
}
