import type { Ask } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type Book, openBook } from './book.ts';
import { TooManyPagesError } from './book-pages.ts';
import type { BookAnswer, BookInput, BookQuestion, BookStep } from './book-steps.ts';

type AskMain = Ask<BookQuestion, BookAnswer>;

/** Sets a book from the caller's steps and hands over its bytes. Returns the number of pieces that were set. */
export async function run({ tooLarge, ...opening }: BookInput, ask: AskMain): Promise<{ pieces: number }> {
  const book = await openBook(opening);
  const setter = { book, isWhole: true };
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

function takeStep(setter: { book: Book; isWhole: boolean }, step: BookStep): void {
  const { book } = setter;
  switch (step.do) {
    case 'titlePage':
      book.titlePage(step.owner, step.lines);
      return;
    case 'reserveContents':
      book.reserveContents(step.lines);
      return;
    case 'begin':
      setter.isWhole = book.begin(step.title, step);
      return;
    case 'write': {
      const { words, size, gapAfter, isLetter } = step;
      const isWhole = book.write(words, { ...(size && { size }), ...(gapAfter !== undefined && { gapAfter }) });
      if (isLetter) setter.isWhole &&= isWhole;
      return;
    }
    case 'quietly':
      book.quietly(step.words);
      return;
    case 'space':
      book.space(step.points);
      return;
    case 'picture':
      if (!book.picture(Buffer.from(step.bytes))) book.quietly(step.otherwise);
      return;
    case 'attachUnlessWhole':
      if (setter.isWhole) return;
      book.attach(step.name, step.words);
      book.quietly(step.note);
  }
}
