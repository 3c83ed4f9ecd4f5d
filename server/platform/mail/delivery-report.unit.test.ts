import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eximReport, failureReport, mailOf, qmailReport } from '#tests/support/failure-reports.ts';
import { readReturnedMail } from './delivery-report.ts';
import { saysMailboxIsClosed } from './mail-codes.ts';
import { reportBytesMax } from './report-limits.ts';

const returnPath = 'hello+abc@everkept.example';
const address = 'nell@family.example';
/** Null for a mail that reports no failure. */
async function readFailureReport(raw: Uint8Array) {
  const mail = await readReturnedMail(raw);
  if (mail?.kind !== 'failure') return null;
  const { kind: _, ...report } = mail;
  return report;
}

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
  test('names the recipient, and the answer about them', async () => {
    const report = await readFailureReport(failureReport({ returnPath, address }));
    expect(report?.sentTo).toContain(returnPath);
    expect(report?.reply).toMatchObject({ replyCode: 550, enhanced: '5.1.1' });
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
    expect(said?.reply).toMatchObject({ replyCode: 550, enhanced: '5.7.1' });
    expect((await readFailureReport(exchangeReport(recipient)))?.reply).toMatchObject({
      replyCode: null,
      enhanced: '5.0.0',
    });
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

describe('a report without a machine part', () => {
  test.each([
    ['qmail', qmailReport({ to: returnPath, address }), { enhanced: '5.1.1' }],
    ['Exim', eximReport({ to: returnPath, address }), { replyCode: 550, enhanced: undefined }],
  ])('a report of %s names the answer, and that there is no such mailbox', async (_, mail, reply) => {
    const report = await readFailureReport(mail);
    expect(report?.sentTo).toContain(returnPath);
    expect(report?.reply).toMatchObject(reply);
    expect(report && saysMailboxIsClosed(report.reply, 'report')).toBe(true);
  });

  test('a report of a refusal by policy closes no mailbox', async () => {
    const words = '550 Blocked, your network has a poor reputation';
    const report = await readFailureReport(eximReport({ to: returnPath, address, words }));
    expect(report && saysMailboxIsClosed(report.reply, 'report')).toBe(false);
  });

  test('a report without a reason is a failure of unknown reason', async () => {
    const head = ['Return-Path: <>', 'From: postmaster@family.example', `To: ${returnPath}`];
    const report = await readFailureReport(mailOf([...head, 'Subject: Undeliverable', '', 'Your mail came back.']));
    expect(report?.reply).toMatchObject({ replyCode: null, enhanced: undefined });
    expect(report && saysMailboxIsClosed(report.reply, 'report')).toBe(false);
  });

  const toUs = [`To: ${returnPath}`];
  test.each([
    [
      'an out-of-office reply of a person',
      ['From: nell@family.example', ...toUs, 'Subject: Automatic reply: hello', '', 'I am away.'],
    ],
    [
      'an out-of-office reply of a postmaster',
      ['Return-Path: <>', 'From: postmaster@family.example', ...toUs, 'Subject: Out of office', '', 'Mail fails us.'],
    ],
    [
      'a person’s own words',
      ['From: nell@family.example', ...toUs, 'Subject: failure notice', '', '550 5.1.1 no such user'],
    ],
    [
      'a warning of Exim that a mail is delayed',
      [
        ...['Return-Path: <>', 'From: Mailer-Daemon@mx.family.example', ...toUs],
        ...['Subject: Warning: message delayed 24 hours', '', 'No action is required on your part.'],
      ],
    ],
    [
      'a person’s mail that is said to be from a mail system, with a return path of its own',
      ['Return-Path: <nell@family.example>', 'From: MAILER-DAEMON@x.example', ...toUs, '', 'failed 550 5.1.1'],
    ],
  ])('is not %s', async (_, lines) => {
    expect(await readFailureReport(mailOf(lines))).toBeNull();
  });
});

test('x.0.0 in a report counts as no code, so the bare reply after it decides', async () => {
  const fields = [`Final-Recipient: rfc822;${address}`, 'Action: failed', 'Status: 5.0.0'];
  const report = await readFailureReport(exchangeReport([...fields, 'Diagnostic-Code: smtp; 550 No Such User Here']));
  expect(report && saysMailboxIsClosed(report.reply, 'report')).toBe(true);
});
