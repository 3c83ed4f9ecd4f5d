import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { type FailedMail, type FailedMails, failedMailsPerPage } from '#shared/contract/operator/failed-mails.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';

const canary = 'heron-canary';
const reader = 'nell@family.example';
const priya = 'priya@friends.example';
const policy = { at: 'recipient', replyCode: 550, words: '5.7.1 blocked by policy' } as const;
const noMailbox = { at: 'recipient', replyCode: 550, words: '5.1.1 no such user', to: reader } as const;

let server: TestMailServer;
let everkept: Everkept;
let administrator: Owner;
let sam: Owner;

beforeAll(async () => {
  server = await startMailServer();
  const carrier = createSmtpMailer({ url: server.url, from: 'Everkept <hello@everkept.example>' });
  everkept = await createEverkept({ carrier });
  administrator = await everkept.signUp({ email: adminEmail });
  sam = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
  await everkept.write(sam, {
    title: `Title ${canary}`,
    content: `Words ${canary}`,
    recipientEmail: reader,
    visibleToTrustedContact: true,
  });
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
});
afterAll(async () => {
  await everkept.close();
  await server.close();
});
beforeEach(async () => {
  server.behave(null);
  await everkept.work();
  await everkept.database.db.delete(notifications);
  await everkept.database.pool.query('delete from rate_limits');
});

const answers: string[] = [];
async function list(query = ''): Promise<FailedMails> {
  const answer = await administrator.browser.send('GET', `/api/admin/failed-mails${query}`);
  expect(answer.statusCode).toBe(200);
  answers.push(answer.body);
  return answer.json();
}
const retry = (id: string, { browser } = administrator) => browser.send('POST', `/api/admin/failed-mails/${id}/retry`);
const rows = () => everkept.database.db.select().from(notifications).where(eq(notifications.kind, 'accounts.reset'));
const acts = () => everkept.database.db.select().from(auditLogs).where(eq(auditLogs.action, 'admin.mail_retry'));

/** Sam asks for a new password, and the mail server answers so. */
async function failReset(): Promise<FailedMail> {
  server.behave({ ...policy, to: sam.email });
  await createBrowser(everkept.app).send('POST', '/api/reset-password', { body: { email: sam.email } });
  await everkept.work();
  const mail = (await list()).mails.find(({ to }) => to === sam.email);
  if (!mail) throw new Error('The reset did not fail.');
  return mail;
}

describe('the list of failed mails', () => {
  test('names recipient, account, type, reason, code and times', async () => {
    const mail = await failReset();
    expect(mail).toEqual({
      id: expect.any(String),
      kind: 'Password reset',
      to: sam.email,
      account: sam.email,
      state: 'trying',
      code: 550,
      reason: 'The mail server refuses our email, such as by a rule or a spam list.',
      attempts: 1,
      retry: 'now',
      firstTriedAt: expect.any(String),
      lastTriedAt: expect.any(String),
      nextTryAt: expect.any(String),
    });
    expect(Date.parse(mail.nextTryAt ?? '')).toBeGreaterThan(Date.parse(mail.lastTriedAt ?? ''));
    expect((await list()).counts).toEqual({ trying: 1, refused: 0, givenUp: 0 });
  });

  test('keeps the time of the first try when a mail is tried again', async () => {
    const { id, firstTriedAt } = await failReset();
    await everkept.jump(1);
    await everkept.work();
    await everkept.signIn(administrator);
    const again = (await list()).mails.find((mail) => mail.id === id);
    expect(again).toMatchObject({ firstTriedAt, attempts: 2 });
    expect(again?.lastTriedAt).not.toBe(firstTriedAt);
  });

  test('leaves out mails that arrived, wait for their first try or were withdrawn, and texts', async () => {
    const at = new Date();
    const shared = { kind: 'accounts.reset', notBefore: at, createdAt: at, messageId: 'x@y', lastAttemptAt: at };
    const made = [
      { status: 'accepted', acceptedAt: at, attempts: 1 },
      { status: 'pending', attempts: 0 },
      { status: 'sending', attempts: 1 },
      { status: 'cancelled', attempts: 3 },
      { status: 'dead', attempts: 3, channel: 'sms' },
    ] as const;
    for (const row of made) {
      const id = randomUUID();
      await everkept.database.db
        .insert(notifications)
        .values({ id, dedupeKey: id, channel: 'email', ...shared, ...row });
    }
    expect((await list()).mails).toEqual([]);
  });

  test('is read in pages of fifty by key, each mail once, and finds one domain or address', async () => {
    const sealed = await failReset();
    const [row] = await rows();
    if (!row) throw new Error('No row.');
    const ended = { payload: null, status: 'bounced' as const, nextAttemptAt: null };
    const more = Array.from({ length: 2 * failedMailsPerPage }, (_, index) => {
      const id = randomUUID();
      const lastAttemptAt = new Date(Date.parse('2026-01-01') + Math.floor(index / 4) * 1_000);
      return { ...row, id, dedupeKey: id, lastAttemptAt, ...ended };
    });
    await everkept.database.db.insert(notifications).values(more);
    const first = await list();
    const second = await list(`?after=${first.next}`);
    const third = await list(`?after=${second.next}`);
    const pages = [first, second, third];
    expect(pages.map(({ mails }) => mails.length)).toEqual([50, 50, 1]);
    expect(third.next).toBeNull();
    expect(new Set(pages.flatMap(({ mails }) => mails.map(({ id }) => id))).size).toBe(101);
    expect(first.mails[1]).toMatchObject({ to: null, retry: 'ended' });

    const domain = sam.email.split('@')[1] ?? '';
    const found = await list(`?search=${domain}`);
    expect([found.mails.map(({ id }) => id), found.next]).toEqual([[sealed.id], null]);
    expect((await list(`?search=${encodeURIComponent(sam.email.toUpperCase())}`)).mails).toHaveLength(1);
    expect((await list('?search=other.example')).mails).toEqual([]);
  });

  test('is found by its index', async () => {
    const client = await everkept.database.pool.connect();
    await client.query('set enable_seqscan = off');
    const { rows: plan } = await client.query(`explain select id from notifications
      where (channel = 'email' and accepted_at is null and (status in ('bounced', 'dead')
        or status = 'pending' and attempts > 0 or status = 'sending' and attempts > 1))
      order by last_attempt_at desc, id desc limit 50`);
    await client.query('reset enable_seqscan');
    client.release();
    expect(JSON.stringify(plan)).toContain('notifications_failed_mail_index');
  });

  test.each(['?after=1', '?after=x~y', `?search=${'a'.repeat(255)}`])('with %s is refused with 400', async (query) => {
    expect((await administrator.browser.send('GET', `/api/admin/failed-mails${query}`)).statusCode).toBe(400);
  });
});

describe('"Try again"', () => {
  test('pressed a hundred times in parallel is one try with one id, and is recorded once', async () => {
    const { id } = await failReset();
    const [before] = await rows();
    const presses = await Promise.all(Array.from({ length: 100 }, () => retry(id)));
    expect(new Set(presses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const [queued] = await rows();
    expect(queued).toMatchObject({ messageId: before?.messageId, attempts: 1, attemptsInVain: 1 });
    // Once in the log of the administrator, and once in that of the account.
    expect((await acts()).map(({ userId }) => userId).toSorted()).toEqual(
      [administrator.userId, sam.userId].toSorted(),
    );

    server.behave(null);
    server.received.length = 0;
    await everkept.work();
    const arrived = server.received.filter(({ envelope }) => envelope.to.includes(sam.email));
    expect(arrived.map(({ mail }) => mail.messageId)).toEqual([before?.messageId]);
    expect((await list()).mails).toEqual([]);
    expect((await retry(id)).statusCode).toBe(404);
  });

  test('for a mail that its mailbox refused waits for its day, so that no mailbox counts as closed sooner', async () => {
    const { id } = await failReset();
    await everkept.database.db.update(notifications).set({ policy: 'owner-reminder', refusals: 1 });
    const before = await rows();
    const answer = await retry(id);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { message: expect.stringContaining('The mailbox refused this email') },
    ]);
    expect(await rows()).toEqual(before);
  });

  test('uses up no patience: the mail is given up no sooner', async () => {
    const { id } = await failReset();
    for (let press = 0; press < 5; press += 1) {
      expect((await retry(id)).statusCode).toBe(200);
      await everkept.work();
    }
    const [row] = await rows();
    expect([row?.attempts, (row?.attempts ?? 0) - (row?.attemptsInVain ?? 0)]).toEqual([6, 1]);
  });

  test('asks for a fresh sign-in and is for the administrator alone', async () => {
    const { id } = await failReset();
    expect((await retry(id, sam)).statusCode).toBe(403);
    expect((await sam.browser.send('GET', '/api/admin/failed-mails')).statusCode).toBe(403);
    const before = await acts();
    const quarterOfAnHour = 1 / 96;
    await everkept.jump(quarterOfAnHour);
    const answer = await retry(id);
    expect([answer.statusCode, answer.json()]).toMatchObject([403, { type: 'REAUTHENTICATION_REQUIRED' }]);
    expect(await acts()).toEqual(before);
    await everkept.signIn(administrator);
    expect((await retry(randomUUID())).statusCode).toBe(404);
  });
});

describe('a letter that the mailbox of its reader refused', () => {
  test('waits while its account is frozen, goes as the command sends it, and is not revived after the owner is back', async () => {
    await everkept.signIn(sam);
    const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
    await sam.browser.send('PUT', '/api/user/release-settings', { body: settings });
    await everkept.live(91);
    const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
    const body = { confirmed: true, reason: 'I was at the funeral.' };
    server.behave(noMailbox);
    const confirmed = await createBrowser(everkept.app).send('POST', `${path}/confirm-release`, { body });
    expect(confirmed.statusCode).toBe(200);
    // Its domain accepts no other mail, so that the refusals count only when they have gone on for 30 days.
    await everkept.live(31);
    await everkept.signIn(administrator);

    const letter = (await list()).mails.find(
      ({ kind, to, retry }) => kind === 'A letter' && to === reader && retry === 'letters',
    );
    expect(letter).toMatchObject({ account: sam.email, code: 550, nextTryAt: null });
    const id = letter?.id ?? '';

    await everkept.releases.freezeOwner(sam.email);
    const frozen = await retry(id);
    expect([frozen.statusCode, frozen.json()]).toMatchObject([
      409,
      { message: expect.stringMatching(/^This release is stopped/) },
    ]);
    await everkept.releases.resumeOwner(sam.email);

    const presses = await Promise.all(Array.from({ length: 20 }, () => retry(id)));
    const told = presses.map((press) => press.json<{ message: string }>().message);
    expect(told.filter((words) => words === '1 letter is tried again now.')).toHaveLength(1);

    server.behave(null);
    await everkept.signIn(sam);
    await sam.browser.send('POST', '/api/release/stop');
    await everkept.work();
    server.received.length = 0;
    await everkept.signIn(administrator);
    const late = await retry(id);
    expect([late.statusCode, late.json<{ message: string }>().message]).toEqual([
      409,
      'The release of this letter has ended, so the letter is not sent again.',
    ]);
    await everkept.work();
    expect(server.received.filter(({ envelope }) => envelope.to.includes(reader))).toEqual([]);
  });
});

test('no answer of the list holds a title or a word of a letter', () => {
  expect(answers.length).toBeGreaterThan(5);
  expect(answers.join()).not.toContain(canary);
});
