import { z } from 'zod';
import { JobLimitError, runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { ImportLimits } from '#shared/rules/imports.ts';
import {
  exportFormatVersion,
  exportHead,
  exportVersionsRead,
  type ImportGiven,
  importSchema,
} from './export-format.ts';
import { tooMuch, unreadable } from './import-json.ts';

/** Text that is parsed sooner than a thread begins, in less time than anybody would notice. */
const smallBytesMax = 100_000;
export const parseJob: ThreadJob = {
  name: 'import',
  module: new URL('./import-parse.thread.ts', import.meta.url),
  lane: 'import',
  busyMs: 60_000,
};

/** Account that imports, as the pool's key. `signal` aborts when its browser leaves. */
export type ImportCaller = { owner: string; signal?: AbortSignal };

export type ParseTask = { text: Uint8Array; rowsMax: number };
/** What the thread answers: what was read, or the words of the refusal. */
export type ParseAnswer = { given: ImportGiven } | { refusal: string };

/** Parses the text of an export and checks every row of it, beside the event loop. @throws AppError `VALIDATION`. */
export async function parseExport(
  text: Buffer,
  { rowsMax }: Pick<ImportLimits, 'rowsMax'>,
  caller: ImportCaller,
): Promise<ImportGiven> {
  const answer =
    text.length <= smallBytesMax
      ? readExport({ text, rowsMax })
      : await readInThread({ text: Uint8Array.from(text), rowsMax }, caller);
  if ('given' in answer) return answer.given;
  throw new AppError('VALIDATION', answer.refusal);
}

/** The work itself, for whichever thread does it. */
export function readExport({ text, rowsMax }: ParseTask): ParseAnswer {
  const value = parsed(text);
  const head = z.safeParse(exportHead, value);
  if (!head.success) return { refusal: unreadable().message };
  const { version } = head.data;
  if (!exportVersionsRead.includes(version)) {
    return {
      refusal: `This export has version ${version}, and this Everkept reads versions up to ${exportFormatVersion}. Nothing was imported.`,
    };
  }
  const result = z.safeParse(importSchema({ rowsMax }), value);
  return result.success ? { given: result.data } : { refusal: unreadable().message };
}

/** Undefined, which is no export, for anything but JSON in UTF-8. */
function parsed(text: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch {
    return undefined;
  }
}

async function readInThread(task: ParseTask, caller: ImportCaller): Promise<ParseAnswer> {
  try {
    return (await runInThread(parseJob, { input: task, ...caller })) as ParseAnswer;
  } catch (error) {
    if (error instanceof JobLimitError) throw tooMuch();
    throw error;
  }
}
