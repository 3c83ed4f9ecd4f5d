import { JobLimitError, runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { HeadTask } from './head.thread.ts';
import type { PictureSize } from './picture-size.ts';

export const headJob: ThreadJob = {
  name: 'file-head',
  module: new URL('./head.thread.ts', import.meta.url),
  lane: 'short',
  busyMs: 5_000,
};

/** First bytes in which a picture states its size, after all that its camera wrote. */
export const pictureHeadBytes = 262_144;

/** Kind of a file by its first bytes, as an ending. Null if it is unknown. @throws AppError `UNAVAILABLE`. */
export async function kindOf(head: Buffer): Promise<string | null> {
  return (await readHead('kind', head)) as string | null;
}

/** Size of a picture by its first bytes. Null if it cannot be told. @throws AppError `UNAVAILABLE`. */
export async function sizeOf(head: Buffer): Promise<PictureSize | null> {
  return (await readHead('size', head)) as PictureSize | null;
}

function notChecked(): AppError {
  const message = 'We could not check this file in time, so we kept nothing of it. Try again, or choose another file.';
  return new AppError('UNAVAILABLE', message);
}

async function readHead(read: HeadTask['read'], bytes: Buffer): Promise<unknown> {
  try {
    const input: HeadTask = { read, head: new Uint8Array(bytes) };
    return await runInThread(headJob, { input });
  } catch (error) {
    if (error instanceof JobLimitError) throw notChecked();
    throw error;
  }
}
