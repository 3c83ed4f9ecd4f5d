import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { returnKeyOf } from '#server/features/notifications/notifications.message-id.ts';
import { reportJob } from '#server/platform/mail/read-report.ts';
import { createReturnPaths } from '#server/platform/mail/return-paths.ts';
import { jobCounts } from '#server/platform/threads/pool.ts';
import { eximReport, failureReport, mailOf, qmailReport } from '#tests/support/failure-reports.ts';
import { createBounceReader } from './bounces.service.ts';

const address = 'nell@family.example';
const messageId = `<${randomUUID()}@everkept.example>`;
const mail = { key: returnKeyOf(messageId), attempt: 2 };
const sign = (text: string) => createHmac('sha256', 'ours').update(text).digest('base64url');
const returnPaths = createReturnPaths({ mailbox: 'hello@everkept.example', sign });
const returnPath = returnPaths.of(mail) ?? '';

function reader() {
  const taken: object[] = [];
  const asked: (readonly string[])[] = [];
  const bounces = createBounceReader({
    clock: { now: async () => new Date() },
    notifications: {
      takeBack: async (bounce) => taken.push(bounce) > 0,
      findMail: async (ids) => {
        asked.push(ids);
        return ids.includes(messageId) ? messageId : null;
      },
    },
    returnPaths,
    mailFrom: 'hello@everkept.example',
  });
  return { taken, asked, receive: (raw: Uint8Array) => bounces.receive(raw) };
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
])('a report of %s cancels the acceptance of its mail and try', async (_, raw) => {
  const { taken, receive } = reader();
  expect(await receive(raw)).toBe('taken_back');
  expect(taken).toMatchObject([{ ...mail, isOfMailbox: true, isTrouble: false }]);
});

test('a report that encloses our Message-ID alone names the mail, without its try', async () => {
  const { taken, receive } = reader();
  const raw = qmailReport({ to: 'hello@everkept.example', address, messageId });
  expect(await receive(raw)).toBe('taken_back');
  expect(taken).toMatchObject([{ key: mail.key, attempt: null, writtenAtMs: Date.UTC(2026, 10, 24, 10) }]);
});

test.each([
  ['without a name of ours', [`X-Failed-Recipients: ${address}`, 'From: MAILER-DAEMON@x.example', '', 'failed']],
  [
    'with a tag that we did not sign',
    [`To: hello+${'1'.repeat(39)}@everkept.example`, `X-Failed-Recipients: ${address}`, '', ''],
  ],
  ['that answers one of ours', [`In-Reply-To: ${messageId}`, `References: ${messageId}`, '', 'failed 550 5.1.1']],
  ['of many empty lines', Array.from({ length: 120_000 }, () => '')],
])('a mail %s is dropped before it is parsed', async (_, lines) => {
  const { taken, asked, receive } = reader();
  const { started } = jobCounts(reportJob);
  expect(await receive(mailOf(lines))).toBe('not_ours');
  expect(jobCounts(reportJob).started).toBe(started);
  expect(taken).toEqual([]);
  expect(asked).toEqual([]);
});

test('a person’s reply to a return path, or an out-of-office reply, changes nothing', async () => {
  const { taken, receive } = reader();
  const from = ['From: nell@family.example', `To: ${returnPath}`];
  expect(await receive(mailOf([...from, 'Subject: Automatic reply: hello', '', 'I am away.']))).toBe('not_ours');
  expect(await receive(mailOf([...from, 'Subject: Re: hello', '', 'I am here. 550 5.1.1']))).toBe('not_ours');
  expect(taken).toEqual([]);
});
