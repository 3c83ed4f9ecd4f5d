import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { failureReport } from '#tests/support/failure-reports.ts';
import { readFailureReport } from './delivery-report.ts';
import { reportBytesMax } from './report-limits.ts';

const returnPath = 'hello+abc@everkept.example';
const address = 'nell@family.example';
const bytes = (lines: string[]) => Buffer.from(lines.join('\r\n'), 'utf8');

function exchangeReport(fields: string[]): Buffer {
  return bytes([
    'From: postmaster@family.example',
    `To: <${returnPath}>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns;AM0PR01.prod.outlook.example',
    '',
    ...fields,
    '--b--',
    '',
  ]);
}

describe('a report that a mail failed', () => {
  test('names to whom it was sent, and what was said of the recipient', async () => {
    const report = await readFailureReport(failureReport({ returnPath, address }));
    expect(report?.sentTo).toContain(returnPath);
    expect(report?.reply).toEqual({ replyCode: 550, enhanced: '5.1.1' });
  });

  test('is read where it ends in the middle, as one that holds a large mail does', async () => {
    const whole = failureReport({ returnPath, address });
    const large = Buffer.concat([whole.subarray(0, -30), Buffer.alloc(reportBytesMax, 'x')]);
    expect((await readFailureReport(large))?.reply.enhanced).toBe('5.1.1');
  });

  test('takes the code from what the other server said where its own field says “failed” alone', async () => {
    const recipient = [`Final-Recipient: rfc822;${address}`, 'Action: failed', 'Status: 5.0.0'];
    const said = await readFailureReport(
      exchangeReport([...recipient, 'Diagnostic-Code: smtp;550 5.7.1 We do not like your network.']),
    );
    expect(said?.reply).toEqual({ replyCode: 550, enhanced: '5.7.1' });
    expect((await readFailureReport(exchangeReport(recipient)))?.reply).toEqual({ replyCode: null, enhanced: '5.0.0' });
  });

  test.each([
    ['of a delay', failureReport({ returnPath, address, action: 'delayed', status: '4.4.1' })],
    ['of an arrival', failureReport({ returnPath, address, action: 'delivered', status: '2.0.0' })],
    [
      'of several recipients of whom one has it',
      exchangeReport([
        `Final-Recipient: rfc822;${address}`,
        'Action: failed',
        'Status: 5.1.1',
        '',
        'Final-Recipient: rfc822;other@family.example',
        'Action: relayed',
        'Status: 2.0.0',
      ]),
    ],
    ['without a recipient', exchangeReport(['Action: failed', 'Status: 5.1.1'])],
    [
      'that is a person’s own words',
      bytes([`To: ${returnPath}`, 'Subject: Re: hello', '', 'Action: failed', 'Status: 5.1.1']),
    ],
    ['that is nothing', Buffer.alloc(0)],
    ['that is noise', randomBytes(20_000)],
    [
      'of parts in parts without an end',
      bytes(
        Array.from({ length: 3_000 }, (_, at) => `Content-Type: multipart/report; boundary="${at}"\r\n\r\n--${at}`),
      ),
    ],
  ])('is no mail %s', async (_, mail) => {
    expect(await readFailureReport(mail)).toBeNull();
  });
});
