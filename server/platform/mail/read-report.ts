import { runInThread } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import type { ReturnedMail } from './delivery-report.ts';
import { reportBytesMax } from './report-limits.ts';

export const reportJob: ThreadJob = {
  name: 'delivery-report',
  module: new URL('./delivery-report.thread.ts', import.meta.url),
  lane: 'short',
  busyMs: 10_000,
};

/**
 * Reads a failure report or a person's reply in a thread. Null for any other mail.
 * @throws JobLimitError if the mail needs more time or memory than a report may have.
 * @throws AppError `UNAVAILABLE` if too many jobs wait; the mail is to be read again.
 */
export async function readReportInThread(raw: Uint8Array, job: ThreadJob = reportJob): Promise<ReturnedMail | null> {
  const input = new Uint8Array(raw.subarray(0, reportBytesMax));
  return (await runInThread(job, { input })) as ReturnedMail | null;
}
