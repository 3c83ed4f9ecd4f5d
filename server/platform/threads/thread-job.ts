import type { ErrorDetails, ErrorType } from '#shared/contract/errors.ts';

/**
 * A kind of work that only a thread may do. `module` is a `*.thread.ts` file that exports `run(input, ask)`. Input, output,
 * questions and answers are copied between the threads, so they are plain data and bytes.
 */
export type ThreadJob = {
  name: string;
  module: URL;
  /** Jobs of one lane wait for each other. Books and imports take up to a minute, short jobs milliseconds. */
  lane: 'book' | 'import' | 'short';
  /**
   * Processor time that the thread may use. Loading its module and waiting for an answer of the main thread do not count.
   */
  busyMs: number;
};

/** Asks the main thread, which reads rows and files and takes results. */
export type Ask<Question, Answer> = (question: Question) => Promise<Answer>;

export type ToThread =
  | { is: 'job'; module: string; input: unknown }
  | { is: 'answer'; id: number; answer: unknown }
  | { is: 'unanswered'; id: number };

export type FromThread =
  /** The job's module is loaded and its work begins. */
  | { is: 'begun' }
  | { is: 'question'; id: number; question: unknown }
  | { is: 'done'; output: unknown }
  | { is: 'refused'; type: ErrorType; message: string; details: ErrorDetails }
  | { is: 'failed'; message: string; stack: string | undefined };
