import { PassThrough, type Readable } from 'node:stream';
import { failedBy } from '#server/platform/streams/streams.ts';
import { JobLimitError, othersWait, runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { BookAnswer, BookInput, BookQuestion, BookStep } from './book-steps.ts';

export const bookJob: ThreadJob = {
  name: 'book',
  module: new URL('./book.thread.ts', import.meta.url),
  lane: 'book',
  busyMs: 60_000,
};

/** Memory for the unread PDFs of this process. Above it each PDF waits for its reader sooner. */
const allUnreadBytesMax = 32_000_000;
const unreadBytesMin = 65_536;
/** Limits for the reader of a PDF. */
const readerLimits = {
  /** A PDF up to this size is kept in memory until it is read, so that a slow reader keeps no thread. */
  unreadBytesMax: 8_000_000,
  /** Time that a longer PDF waits for its reader, in all, and while other books wait for a thread. */
  readerMs: 300_000,
  contestedReaderMs: 20_000,
  lookEveryMs: 1_000,
  /** Time after which the answer starts with an unfinished PDF, before a proxy gives up. */
  answerWithinMs: 20_000,
  nowMs: () => performance.now(),
};
type ReaderLimits = typeof readerLimits;

let reservedBytes = 0;

type BookCall = {
  input: Omit<BookInput, 'tooLarge'>;
  /** Aborted when the reader leaves. */
  signal?: AbortSignal;
  steps: AsyncIterable<BookStep[]>;
  /** Owner's or reader's name for the pool: each has one book at a time. */
  owner: string;
  /** Sentence for the person if the book takes too long. */
  tooLarge: string;
  /** Other limits than the usual ones, for tests. */
  limits?: Partial<ReaderLimits>;
};

/**
 * Sets a book in a thread. Resolves when the PDF is complete, or when it is too long to be kept in memory as a whole.
 *
 * @throws AppError `RATE_LIMITED`, `UNAVAILABLE`, or `PAYLOAD_TOO_LARGE` if the job exceeds its limits.
 */
export async function setBook({ input, signal, steps, owner, tooLarge, limits }: BookCall): Promise<Readable> {
  const ofReader = { ...readerLimits, ...limits };
  const out = unreadStream(ofReader);
  const reader = readerWait(out, ofReader);
  const unread = new AbortController();
  out.once('close', () => {
    if (!out.readableEnded) unread.abort(new BookUnreadError());
  });
  const leave = () => {
    // The answer has no reader, and this is no failure of ours.
    unread.abort(new AppError('VALIDATION', 'The reader left, so the PDF was given up.'));
    out.destroy();
  };
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted) leave();
  const batches = steps[Symbol.asyncIterator]();
  const set = runInThread(bookJob, {
    input: { ...input, tooLarge },
    owner,
    signal: unread.signal,
    async answer(question): Promise<BookAnswer> {
      const asked = question as BookQuestion;
      if (asked.is === 'next') {
        const next = await batches.next();
        return next.done ? null : next.value;
      }
      out.write(asked.bytes);
      // The stream has no more room, so the reader decides.
      if (out.writableLength > 0) await reader.wait();
      return null;
    },
  })
    .finally(() => batches.return?.())
    .finally(() => signal?.removeEventListener('abort', leave))
    .then(
      () => void out.end(),
      (error: unknown) => {
        throw error instanceof JobLimitError ? new AppError('PAYLOAD_TOO_LARGE', tooLarge) : error;
      },
    );
  failedBy(out, set);
  await Promise.race([set, reader.isAwaited, reader.isLate]);
  return out;
}

/** The caller has left, so the rest of the book is not needed. */
class BookUnreadError extends Error {
  override readonly name = 'BookUnreadError';
}

/** A stream with room for a whole PDF, as far as the other unread ones leave some. */
function unreadStream({ unreadBytesMax }: ReaderLimits): PassThrough {
  const bytes = Math.min(unreadBytesMax, Math.max(unreadBytesMin, allUnreadBytesMax - reservedBytes));
  reservedBytes += bytes;
  const out = new PassThrough({ readableHighWaterMark: bytes, writableHighWaterMark: 1 });
  return out.once('close', () => {
    reservedBytes -= bytes;
  });
}

/** Waits for the reader of a PDF, within a limit that is shorter while other books wait. */
function readerWait(out: PassThrough, limits: ReaderLimits) {
  const { readerMs, contestedReaderMs, lookEveryMs, answerWithinMs, nowMs } = limits;
  let waitedMs = 0;
  const { promise: isAwaited, resolve: startAnswer } = Promise.withResolvers<void>();
  const { promise: isLate, resolve: late } = Promise.withResolvers<void>();
  setTimeout(late, answerWithinMs).unref();
  return {
    isAwaited,
    isLate,
    async wait(): Promise<void> {
      startAnswer();
      const beforeMs = waitedMs;
      const sinceMs = nowMs();
      await new Promise<void>((resolve, reject) => {
        const timer = setInterval(() => {
          waitedMs = beforeMs + nowMs() - sinceMs;
          const limitMs = othersWait(bookJob) ? contestedReaderMs : readerMs;
          if (waitedMs < limitMs) return;
          clearInterval(timer);
          reject(new BookUnreadError('The reader is too slow.'));
        }, lookEveryMs).unref();
        const end = () => {
          clearInterval(timer);
          resolve();
        };
        out.once('drain', end).once('close', end);
      });
      waitedMs = beforeMs + nowMs() - sinceMs;
    },
  };
}
