import { Readable } from 'node:stream';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { receiptNumber } from '../billing.rules.ts';
import type { ReceiptTask } from './receipt.thread.ts';

export const receiptJob: ThreadJob = {
  name: 'receipt',
  module: new URL('./receipt.thread.ts', import.meta.url),
  lane: 'short',
  busyMs: 10_000,
};

/** Returns a receipt to keep, one page of A4, set before the first byte leaves. `signal` aborts when its reader leaves. */
export async function receiptFile(input: ReceiptTask, signal?: AbortSignal): Promise<OutgoingFile> {
  const { receipt } = input;
  const content = (await runInThread(receiptJob, { input, ...(signal && { signal }) })) as Uint8Array;
  return {
    name: `everkept-receipt-${receiptNumber(receipt.number)}.pdf`,
    mimeType: 'application/pdf',
    sizeBytes: content.byteLength,
    open: async (range) => Readable.from([range ? content.subarray(range.start, range.end + 1) : content]),
  };
}
