import { JobLimitError, runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { HeadTask } from './head.thread.ts';
import type { PackedPart } from './package-part.ts';
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
export async function kindOf(head: Buffer, signal?: AbortSignal): Promise<string | null> {
  return (await readInThread({ read: 'kind', head: new Uint8Array(head) }, signal)) as string | null;
}

/** Size of a picture by its first bytes. Null if unknown. @throws AppError `UNAVAILABLE`. */
export async function sizeOf(head: Buffer, signal?: AbortSignal): Promise<PictureSize | null> {
  return (await readInThread({ read: 'size', head: new Uint8Array(head) }, signal)) as PictureSize | null;
}

/** Names of the main documents that `[Content_Types].xml` lists. @throws AppError `UNAVAILABLE`. */
export async function readMainParts(part: PackedPart, signal?: AbortSignal): Promise<string[]> {
  return (await readInThread({ read: 'main parts', part }, signal)) as string[];
}

/** True if the manifest of an OpenDocument file says that it is encrypted. @throws AppError `UNAVAILABLE`. */
export async function readLock(part: PackedPart, signal?: AbortSignal): Promise<boolean> {
  return (await readInThread({ read: 'lock', part }, signal)) as boolean;
}

function notChecked(): AppError {
  const message = 'We could not check this file in time, so we kept nothing of it. Try again, or choose another file.';
  return new AppError('UNAVAILABLE', message);
}

/** `signal` aborts when the caller leaves, which gives up the place in the queue or ends the job. */
async function readInThread(input: HeadTask, signal?: AbortSignal): Promise<unknown> {
  try {
    return await runInThread(headJob, { input, ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof JobLimitError) throw notChecked();
    throw error;
  }
}
