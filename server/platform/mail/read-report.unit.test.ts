import { expect, test } from 'vitest';
import { jobCounts } from '#server/platform/threads/pool.ts';
import { failureReport } from '#tests/support/failure-reports.ts';
import { readReportInThread, reportJob } from './read-report.ts';

const report = failureReport({ returnPath: 'hello+abc@everkept.example', address: 'nell@family.example' });

test('a failure report is read in a thread', async () => {
  const { done } = jobCounts(reportJob);
  expect(await readReportInThread(report)).toMatchObject({ reply: { replyCode: 550, enhanced: '5.1.1' } });
  expect(jobCounts(reportJob).done).toBe(done + 1);
});

test.each([
  [
    'of 256 kB of empty lines',
    Buffer.concat([Buffer.from('To: nell@family.example\r\n'), Buffer.alloc(256_000, '\n')]),
  ],
  ['of 7,000 nested parts', Buffer.from('Content-Type: message/rfc822\r\n\r\n'.repeat(7_000))],
  ['of 26,000 To: lines', Buffer.from('To: nell@family.example\r\n'.repeat(26_000))],
])('a mail %s is no report, and its job ends within its limits', async (_, mail) => {
  const before = jobCounts(reportJob);
  expect(await readReportInThread(mail)).toBeNull();
  expect(jobCounts(reportJob)).toEqual({ ...before, started: before.started + 1, done: before.done + 1 });
});
