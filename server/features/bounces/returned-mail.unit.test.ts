import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import { reportJob } from '#server/platform/mail/read-report.ts';
import { createReturnPaths } from '#server/platform/mail/return-paths.ts';
import { jobCounts } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';
import { eximReport, failureReport, mailOf, qmailReport } from '#tests/support/failure-reports.ts';
import { readReturnedMail } from './returned-mail.ts';
import { unreadMailEmail } from './unread-mail.ts';

const address = 'nell@family.example';
const messageId = `<${randomUUID()}@everkept.example>`;
const mail = { key: returnKeyOf(messageId), series: 2 };
const sign = (text: string) => createHmac('sha256', 'ours').update(text).digest('base64url');
const returnPaths = createReturnPaths({ mailbox: 'hello@everkept.example', sign });
const returnPath = returnPaths.of(mail) ?? '';

function reader(job?: ThreadJob) {
  const asked: (readonly string[])[] = [];
  const findMail = async (ids: readonly string[]) => {
    asked.push(ids);
    return ids.includes(messageId) ? messageId : null;
  };
  const parts = { returnPaths, mailFrom: 'hello@everkept.example', findMail, ...(job && { job }) };
  return { asked, read: (raw: Uint8Array) => readReturnedMail(parts, raw) };
}

test.each([
  ['RFC 3464', failureReport({ returnPath, address })],
  ['qmail', qmailReport({ to: returnPath, address })],
  ['Exim', eximReport({ to: returnPath, address })],
  ['BATV', eximReport({ to: `prvs=1234567890=${returnPath}`, address })],
  ['SRS', eximReport({ to: `SRS0=HHH=TT=everkept.example=${returnPath.split('@')[0]}@forwarder.example`, address })],
  [
    'qmail, to another address, with our return path in the enclosed mail',
    qmailReport({ to: 'x@y.example', address, returnPath }),
  ],
])('a report of %s names its mail and try', async (_, raw) => {
  const bounce = { ...mail, isOfMailbox: true, isTrouble: false };
  expect(await reader().read(raw)).toMatchObject({ kind: 'report', bounce });
});

test('a report that encloses our Message-ID alone names the mail, without its try', async () => {
  const raw = qmailReport({ to: 'hello@everkept.example', address, messageId });
  const bounce = { key: mail.key, series: null, writtenAtMs: Date.UTC(2026, 10, 24, 10) };
  expect(await reader().read(raw)).toMatchObject({ kind: 'report', bounce });
});

test('a report whose reading exceeds its limits is too costly, and the next one is read', async () => {
  const module = new URL('./costly-report.fixture.ts', import.meta.url);
  const raw = failureReport({ returnPath, address });
  expect(await reader({ ...reportJob, module, busyMs: 50 }).read(raw)).toBe('too_costly');
  expect(await reader().read(raw)).toMatchObject({ kind: 'report' });
});

test('the operator is notified of a costly mail by the command that received it', () => {
  const { text } = unreadMailEmail({ why: 'too_costly', uid: null }, 'https://everkept.example');
  expect(text.replace(/\s+/g, ' ')).toContain('One email that was handed to everkept bounce could not be read.');
});

test.each([
  ['without a name of ours', [`X-Failed-Recipients: ${address}`, 'From: MAILER-DAEMON@x.example', '', 'failed']],
  [
    'with a tag that we did not sign',
    [`To: hello+${'1'.repeat(39)}@everkept.example`, `X-Failed-Recipients: ${address}`, '', ''],
  ],
  ['that quotes one of ours below its headers', ['From: nell@family.example', '', `> References: ${messageId}`]],
  ['of many empty lines', Array.from({ length: 120_000 }, () => '')],
])('a mail %s is dropped before it is parsed', async (_, lines) => {
  const { asked, read } = reader();
  const { started } = jobCounts(reportJob);
  expect(await read(mailOf(lines))).toBe('not_ours');
  expect(jobCounts(reportJob).started).toBe(started);
  expect(asked).toEqual([]);
});

const ofPerson = ['From: Nell <nell@family.example>', 'Subject: Re: Sam, are you there?'];
const answersOurs = `In-Reply-To: ${messageId}`;

test.each([
  [
    'to its return path',
    [...ofPerson, `To: ${returnPath}`, '', 'I am here. 550 5.1.1 mailbox unavailable'],
    mail.series,
  ],
  ['to its sender', [...ofPerson, 'To: hello@everkept.example', answersOurs, '', 'I am here. rejected'], null],
  ['that names it in References alone', [...ofPerson, `References: <x@y.example>\r\n ${messageId}`, '', 'Yes.'], null],
  ['that says that no program wrote it', [...ofPerson, answersOurs, 'Auto-Submitted: no', '', 'Yes.'], null],
])('a person’s reply to a mail of ours, %s, is a reply and no report', async (_, lines, series) => {
  expect(await reader().read(mailOf(lines))).toMatchObject({ kind: 'reply', mail: { key: mail.key, series } });
});

test.each([
  ['an out-of-office reply by its header', [...ofPerson, answersOurs, 'Auto-Submitted: auto-replied']],
  [
    'an out-of-office reply by its subject',
    ['From: nell@family.example', 'Subject: Automatic reply: hello', answersOurs],
  ],
  ['a reply that wants no automatic one', [...ofPerson, answersOurs, 'X-Auto-Response-Suppress: All']],
  ['a vacation program', [...ofPerson, answersOurs, 'X-Autoreply: yes']],
  ['bulk mail', [...ofPerson, answersOurs, 'Precedence: bulk']],
  ['an old auto-responder', [...ofPerson, answersOurs, 'Precedence: auto_reply']],
  ['a list', [...ofPerson, answersOurs, 'List-Id: <choir.lists.example>']],
  ['a mail with an empty return path', ['Return-Path: <>', ...ofPerson, answersOurs]],
  ['a mail system', ['From: Mailer-Daemon@family.example', 'Subject: Re: hello', answersOurs]],
  ['a sender that takes no mail', ['From: no-reply@family.example', 'Subject: Re: hello', answersOurs]],
  ['a mail without a sender', ['Subject: Re: hello', answersOurs]],
  [
    'a receipt',
    [...ofPerson, answersOurs, 'Content-Type: multipart/report; report-type=disposition-notification; boundary=x'],
  ],
])('%s is no reply of a person', async (_, headers) => {
  expect(await reader().read(mailOf([...headers, '', 'I am away until Monday.']))).toBe('not_ours');
});
