import { Readable } from 'node:stream';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { JobLimitError, runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { AppError } from '#shared/contract/errors.ts';
import { receiptNumber } from '../billing.rules.ts';
import type { ReceiptTask } from './receipt.thread.ts';

export const receiptJob: ThreadJob = {
  name: 'receipt',
  module: new URL('./receipt.thread.ts', import.meta.url),
  lane: 'short',
  busyMs: 10_000,
};

/**
 * Returns a receipt to keep, one page of A4, set before the first byte leaves. `signal` aborts when its reader leaves.
 * @throws AppError `UNAVAILABLE` if it is not made in time.
 */
export async function receiptFile(input: ReceiptTask, signal?: AbortSignal): Promise<OutgoingFile> {
  const { receipt } = input;
  const content = await setInThread(input, signal);
  return {
    name: `everkept-receipt-${receiptNumber(receipt.number)}.pdf`,
    mimeType: 'application/pdf',
    sizeBytes: content.byteLength,
    open: async (range) => Readable.from([range ? content.subarray(range.start, range.end + 1) : content]),
  };
}

async function setInThread(input: ReceiptTask, signal?: AbortSignal): Promise<Uint8Array> {
  try {
    return (await runInThread(receiptJob, { input, ...(signal && { signal }) })) as Uint8Array;
  } catch (error) {
    if (!(error instanceof JobLimitError)) throw error;
    throw new AppError('UNAVAILABLE', 'We could not make this receipt in time. Try again in a minute.');
  }
}
