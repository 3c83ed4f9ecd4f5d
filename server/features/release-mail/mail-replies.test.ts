import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readReturnedMails } from '#server/features/bounces/bounce-mailbox.ts';
import { receiveReturnedMail } from '#server/features/bounces/returned-mail.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { releaseOfAccount } from '#server/features/releases-under-way/under-way.ts';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { bounceMailbox } from '#server/schema/bounces.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { mailOf } from '#tests/support/failure-reports.ts';
import { startImapServer, type TestImapServer } from '#tests/support/servers/imap-server.ts';
import { type ReceivedMail, startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';
import { repliesPerDayMax } from './mail-replies.ts';

const priya = 'priya@friends.example';
const reader = 'nell@family.example';
const sentence = 'An answer to this email does not count: press the button.';

let smtp: TestMailServer;
let imap: TestImapServer;
let everkept: Everkept;
let sam: Owner;

beforeAll(async () => {
  smtp = await startMailServer();
  const from = 'Everkept <hello@everkept.example>';
  everkept = await createEverkept({ carrier: createSmtpMailer({ url: smtp.url, from, timeouts: {} }) });
});
afterAll(async () => {
  await everkept.close();
  await smtp.close();
});

/** Sam, silent from now on, with a letter to Nell and a contact. */
beforeEach(async () => {
  const { db, pool } = everkept.database;
  for (const table of [users, notifications, bounceMailbox]) await db.delete(table);
  await pool.query('delete from rate_limits');
  smtp.received.length = 0;
  imap = await startImapServer();
  sam = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
  await everkept.write(sam, { recipientEmail: reader });
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
  const body = { releaseMethod: 'trusted_contact', inactivityDays: 90 };
  await sam.browser.send('PUT', '/api/user/release-settings', { body });
  return () => imap.close();
});

const mailsTo = (address: string) => smtp.received.filter(({ envelope }) => envelope.to.includes(address));
const wordsOf = ({ mail }: ReceivedMail) => (mail.text ?? '').replace(/\s+/g, ' ');
function newest(address: string, subject: string): ReceivedMail {
  const found = mailsTo(address).findLast(({ mail }) => mail.subject?.includes(subject));
  if (!found) throw new Error(`No mail to ${address} says ${subject}.`);
  return found;
}

type Reply = { from?: string; to?: string; headers?: string[]; text?: string };

/** An answer as mail programs write it. */
const replyTo = ({ mail }: ReceivedMail, { from = sam.email, to, headers = [], text }: Reply = {}) =>
  mailOf([
    `From: Somebody <${from}>`,
    `To: ${to ?? 'hello@everkept.example'}`,
    `Subject: Re: ${mail.subject}`,
    `In-Reply-To: ${mail.messageId}`,
    ...headers,
    '',
    text ?? 'Yes, I am still here, and my PIN is 4321.',
  ]);

/** Delivers the mails, reads the mailbox, and sends the notices that follow. */
async function arrive(...mails: Buffer[]): Promise<void> {
  for (const mail of mails) imap.deliver(mail);
  // The mail server has no test clock.
  const now = async () => new Date();
  await readReturnedMails({ ...everkept.opened, clock: { now, recent: now } }, imap.url, (_, raw) =>
    receiveReturnedMail(everkept.opened, raw),
  );
  await everkept.work();
}

const answersTo = (address: string) =>
  mailsTo(address).filter(({ mail }) => /is no check-in|does not count as your answer/.test(mail.subject ?? ''));
const lastSeen = async () =>
  (await everkept.database.pool.query('select last_checkin_at as at from users where id = $1', [sam.userId])).rows[0]
    .at;
const shown = () => releaseOfAccount(everkept.opened, sam.email);

describe('an email in answer to a reminder', () => {
  beforeEach(async () => {
    await everkept.live(61);
  });

  test('is no sign of life; its owner gets the button once, and the operator sees that it came', async () => {
    const reminder = newest(sam.email, 'we have not heard from you');
    expect(wordsOf(reminder)).toContain(sentence);
    const before = await lastSeen();
    await arrive(replyTo(reminder));

    expect(await lastSeen()).toEqual(before);
    expect(await shown()).toMatchObject({ state: 'reminded' });
    expect((await shown())?.waits[0]?.what).toMatch(/^A reply to our email came on \d{4}-/);
    const [answer, ...others] = answersTo(sam.email);
    if (!answer) throw new Error('One answer was expected.');
    expect(others).toEqual([]);
    expect(wordsOf(answer)).toContain('We cannot tell who wrote it, so it is not a check-in.');
    expect(answer.raw, 'what came is never quoted').not.toContain('4321');
    expect(imap.seen.size, 'it stays unread for a person').toBe(0);

    const button = everkept.linkTo(sam.email, '/check-in/').replace('/check-in', '/api/check-in');
    expect((await createBrowser(everkept.app).send('POST', button)).statusCode).toBe(200);
    expect(await lastSeen(), 'the button is a check-in').not.toEqual(before);
    const { rows } = await everkept.database.pool.query(
      `select details from audit_logs where action = 'release.answered_by_email' and user_id = $1`,
      [sam.userId],
    );
    expect(rows).toEqual([{ details: { by: 'owner' } }]);
  });

  test('is answered at the address of the reminder alone, whatever its sender says', async () => {
    const reminder = newest(sam.email, 'we have not heard from you');
    await arrive(
      replyTo(reminder, { from: 'mallory@elsewhere.example', headers: ['Reply-To: eve@elsewhere.example'] }),
    );
    expect(answersTo(sam.email)).toHaveLength(1);
    expect(smtp.received.filter(({ envelope }) => envelope.to[0]?.endsWith('elsewhere.example'))).toEqual([]);
  });

  test('to its return path is one as well', async () => {
    const reminder = newest(sam.email, 'we have not heard from you');
    await arrive(mailOf([`From: ${sam.email}`, `To: ${reminder.envelope.from}`, 'Subject: Re: hello', '', 'Yes']));
    expect(answersTo(sam.email)).toHaveLength(1);
  });

  test('is answered once, however often it comes, and an answer to our answer is not answered', async () => {
    const reminder = newest(sam.email, 'we have not heard from you');
    await arrive(replyTo(reminder), replyTo(reminder), replyTo(reminder));
    for (let round = 0; round < 3; round += 1) {
      await arrive(...answersTo(sam.email).map((answer) => replyTo(answer)), replyTo(reminder));
    }
    expect(answersTo(sam.email)).toHaveLength(1);
  });

  test('that ten processes read at the same moment is answered once', async () => {
    const raw = replyTo(newest(sam.email, 'we have not heard from you'));
    const receipts = await Promise.all(Array.from({ length: 10 }, () => receiveReturnedMail(everkept.opened, raw)));
    await everkept.work();
    expect(new Set(receipts)).toEqual(new Set(['reply']));
    expect(answersTo(sam.email)).toHaveLength(1);
  });

  test.each([
    ['an out-of-office reply', ['Auto-Submitted: auto-replied']],
    ['a mailing list', ['List-Id: <choir.lists.example>', 'Precedence: list']],
    ['a program of Exchange', ['X-Auto-Response-Suppress: All']],
    ['a mail with an empty return path', ['Return-Path: <>']],
  ])('is nothing where it is %s', async (_, headers) => {
    await arrive(replyTo(newest(sam.email, 'we have not heard from you'), { headers }));
    expect(answersTo(sam.email)).toEqual([]);
    expect((await shown())?.waits.map(({ what }) => what).join()).not.toContain('reply');
  });

  test('is recorded and not answered where the owner has checked in since', async () => {
    const reminder = newest(sam.email, 'we have not heard from you');
    await everkept.signIn(sam);
    await arrive(replyTo(reminder));
    expect(answersTo(sam.email)).toEqual([]);
    expect((await shown())?.waits[0]?.what).toContain('A reply to our email came');
  });

  test('is answered no more than five times a day for one owner', async () => {
    const { db } = everkept.database;
    const mail = { subject: 'Are you there?', html: '<p>Hello</p>', text: 'Hello' };
    const at = new Date((await lastSeen()).getTime() + dayMs);
    for (let number = 0; number < repliesPerDayMax + 3; number += 1) {
      const cause = { channel: 'email', kind: 'release.nudge', userId: sam.userId, subjectId: sam.userId } as const;
      const of = { ...cause, dedupeKey: `nudge ${number}`, at, to: { address: sam.email }, mail };
      await enqueueNotification(everkept.opened, db, of);
    }
    await everkept.work();
    const nudges = mailsTo(sam.email).filter(({ mail: { subject } }) => subject === 'Are you there?');
    expect(nudges.length).toBe(repliesPerDayMax + 3);
    await arrive(...nudges.map((nudge) => replyTo(nudge)));
    expect(answersTo(sam.email)).toHaveLength(repliesPerDayMax);
  });
});

describe('an email in answer to the question to a contact', () => {
  beforeEach(async () => {
    await everkept.live(91);
  });

  test('is no answer of the contact, who gets one email about it and no second link', async () => {
    const question = newest(priya, 'please tell us what you know');
    expect(wordsOf(question)).toContain(sentence);
    await arrive(replyTo(question, { from: priya, text: 'Sam has died.' }), replyTo(question, { from: priya }));
    const [answer, ...others] = answersTo(priya);
    if (!answer) throw new Error('One answer was expected.');
    expect(others).toEqual([]);
    expect(wordsOf(answer)).toContain(
      'Please open our newest email with the subject “Sam Lee: please tell us what you know”',
    );
    expect(answer.raw).not.toMatch(/trusted-contact-admin|has died/);
    expect(await shown()).toMatchObject({ state: 'asking' });
    expect((await shown())?.waits.map(({ what }) => what).join()).toContain('Confirmations: 0 of 1');

    const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
    const body = { confirmed: true, reason: 'I was at the funeral.' };
    const confirmed = await createBrowser(everkept.app).send('POST', `${path}/confirm-release`, { body });
    expect(confirmed.statusCode, 'the link of the question still works').toBe(200);
  });

  test('is recorded and not answered once the contact has answered on the page', async () => {
    const question = newest(priya, 'please tell us what you know');
    const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
    const body = { confirmed: false, reason: 'I met Sam yesterday.' };
    expect((await createBrowser(everkept.app).send('POST', `${path}/confirm-release`, { body })).statusCode).toBe(200);
    await arrive(replyTo(question, { from: priya }));
    expect(answersTo(priya)).toEqual([]);
  });

  test('is left to a person where a reader answers a letter', async () => {
    const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
    const body = { confirmed: true, reason: 'I was at the funeral.' };
    await createBrowser(everkept.app).send('POST', `${path}/confirm-release`, { body });
    await everkept.live(1);
    const letter = newest(reader, 'wrote a message for you');
    // Mails of the daily tasks leave before the reply comes.
    await everkept.work();
    const sent = smtp.received.length;
    expect(await receiveReturnedMail(everkept.opened, replyTo(letter, { from: reader }))).toBe('not_ours');
    await everkept.work();
    expect(smtp.received).toHaveLength(sent);
  });
});
