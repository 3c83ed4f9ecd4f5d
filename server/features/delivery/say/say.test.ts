import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { forgetAllButLetters } from '#server/features/deletion/erasure.repository.ts';
import { readTitles } from '#server/features/messages/letters.ts';
import { planOf } from '#server/features/retention/retention.plans.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { type Browser, createBrowser } from '#tests/support/app.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { findByTokenHash } from '../delivery.repository.ts';
import { changeWaitingAddress } from '../waiting-letters.ts';
import { applySays } from './declining.ts';

/* A reader's own say, through releases and years. The form without scripts is in release.spec.ts. */

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

let people = 0;

const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const subjects = (address: string) => mailsTo(address).map(({ subject }) => subject);
const reader = () => createBrowser(everkept.app);
const linkOf = (address: string) => everkept.tokenFor(address, '/message/');
const read = async (token: string) => (await reader().send('GET', `/api/message-delivery/${token}`)).json();
async function press(token: string, say: string): Promise<void> {
  const answer = await reader().send('POST', `/api/message-delivery/${token}/say`, { body: { say } });
  expect(answer.statusCode, answer.body).toBe(200);
}
const rows = async (sql: string, values: unknown[] = []) => (await everkept.database.pool.query(sql, values)).rows;
const words = async () => (await rows("select details from audit_logs where action = 'reader.said'")).length;

const forget = ({ userId }: Owner) =>
  everkept.database.pool.query('delete from declining_readers where user_id = $1', [userId]);
const isDeclined = async ({ userId }: Owner) =>
  (await rows('select declined_at from declining_readers where user_id = $1', [userId]))[0]?.declined_at != null;
const portalOf = (contact: string) =>
  `/api/trusted-contact-admin/${everkept.tokenFor(contact, '/trusted-contact-admin/')}`;

/** The writer is here again, and leaves the letters as they are. */
async function comesBack(owner: Owner): Promise<Browser> {
  const browser = createBrowser(everkept.app);
  await everkept.signIn({ ...owner, browser });
  await browser.send('POST', '/api/release/answer', { body: { take: 'leave' } });
  return browser;
}

/** Contacts give Nell another address after one of her letters came back. */
async function moves(token: string, address: string): Promise<void> {
  const { db, serviceKeys } = everkept.opened;
  await db.transaction(async (tx) => {
    const refused = await findByTokenHash(tx, serviceKeys.hashToken(token));
    if (refused) await changeWaitingAddress(everkept.opened, tx, { refused, address });
  });
}

/** An owner whose letters for Nell leave by silence: one at once, and one for a day of its own. */
async function released(others: string[] = []): Promise<{ owner: Owner; nell: string; priya: string; token: string }> {
  people += 1;
  const address = (name: string) => `${name}.${people}@say.example`;
  const owner = await everkept.signUp({ firstName: 'Silas', lastName: 'Marner' });
  await everkept.database.pool.query("update users set plan = 'premium' where id = $1", [owner.userId]);
  const recipients = [{ name: 'Nell', relation: null, email: address('nell') }];
  for (const letter of [
    { title: 'At once' },
    { title: 'Half a year on', deliverOn: { months: 6 }, announceWait: true },
  ]) {
    const body = { content: 'Be kind.', category: 'family', status: 'ready', recipients, ...letter };
    expect((await owner.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
  }
  for (const name of ['priya', ...others]) await everkept.befriend(owner, { name, email: address(name) });
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  await everkept.live(98);
  return { owner, nell: address('nell'), priya: address('priya'), token: linkOf(address('nell')) };
}

describe('“Not now”', () => {
  test('ends the reminders and the news to contacts, and a second press changes nothing', async () => {
    const { owner, nell, priya, token } = await released();
    const before = await words();
    expect((await read(token)).said).toBeUndefined();
    await press(token, 'not-now');
    await press(token, 'not-now');
    expect(await words()).toBe(before + 1);
    expect((await read(token)).said).toEqual({ noReminders: true });
    const mails = [mailsTo(nell).length, mailsTo(priya).length];
    await everkept.live(60);
    expect([mailsTo(nell).length, mailsTo(priya).length]).toEqual(mails);
    const own = await rows('select action, details from audit_logs where chain = $1', [owner.userId]);
    expect(JSON.stringify(own)).not.toMatch(/said|not-now/);
  });
});

test('“Not now” cancels a queued reminder that belongs to the mail of an opened letter', async () => {
  const { owner, token } = await released();
  const values = [owner.userId];
  await rows('update message_deliveries set accessed_at = now() where user_id = $1', values);
  await rows(
    "update notifications set kind = 'delivery.reminder', status = 'pending', accepted_at = null, ended_at = null where user_id = $1 and kind = 'delivery.letter'",
    values,
  );
  await press(token, 'not-now');
  const reminders = "select status from notifications where user_id = $1 and kind = 'delivery.reminder'";
  expect(await rows(reminders, values)).toEqual([{ status: 'cancelled' }]);
});

describe('“Keep it for me”', () => {
  test('keeps the link for a year without reminders, and the writer’s export has none of it', async () => {
    const { owner, nell, token } = await released();
    const before = await words();
    for (const _ of [1, 2]) await press(token, 'keep');
    expect(await words()).toBe(before + 1);
    expect((await read(token)).said).toEqual({ keptUntil: expect.any(String), noReminders: true });
    const mails = mailsTo(nell).length;
    await everkept.live(150);
    expect(mailsTo(nell).length).toBe(mails);
    await everkept.live(190);
    expect((await read(token)).title).toBe('At once');
    await everkept.live(30);
    expect((await reader().send('GET', `/api/message-delivery/${token}`)).statusCode).toBe(404);
    const browser = await comesBack(owner);
    const exported = await browser.send('POST', '/api/export-data', { body: { format: 'json' } });
    expect(exported.body).not.toMatch(/kept_?until|answered_?at|reader-declined|reader\.said/i);
  });
});

test('an owner who is back reads in no export or log who was reminded, sent a new link or never opened', async () => {
  const { owner, nell } = await released();
  await everkept.live(40);
  const token = linkOf(nell);
  expect(subjects(nell).length).toBeGreaterThan(2);
  expect((await reader().send('POST', `/api/message-delivery/${token}/renew`)).statusCode).toBeLessThan(400);
  await everkept.live(1);
  const browser = createBrowser(everkept.app);
  await everkept.signIn({ ...owner, browser });
  await browser.send('POST', '/api/release/answer', { body: { take: 'leave' } });
  const body = { format: 'json', includeAuditLogs: true };
  const exported = (await browser.send('POST', '/api/export-data', { body })).json();
  expect(exported.auditLog.length).toBeGreaterThan(3);
  const kinds = ['reminder', 'reminded', 'renewal', 'renewed', 'never-opened', 'never_opened'];
  const text = JSON.stringify(exported);
  expect(kinds.filter((kind) => text.includes(`"delivery.${kind}"`))).toEqual([]);
  expect(exported.deliveries[0]).not.toHaveProperty('remindersSent');
  expect(exported.deliveries[0]).not.toHaveProperty('expiresAt');
});

describe('“No more letters”', () => {
  test('holds a letter past its day until the reader takes it back', async () => {
    const { nell, priya, token } = await released();
    expect((await read(token)).waitsUntil).toHaveLength(1);
    await press(token, 'keep');
    await press(token, 'no-more');
    await press(token, 'no-more');
    expect(await read(token)).toMatchObject({ said: { noMore: true } });
    expect(await read(token)).not.toHaveProperty('waitsUntil');
    const count = mailsTo(nell).length;
    await everkept.live(200);
    expect(mailsTo(nell).length).toBe(count);
    const told = mailsTo(priya).filter(({ subject }) => /^A reader wants no more letters/.test(subject));
    expect(told).toHaveLength(1);
    expect(told[0]?.text).not.toMatch(/Nell/);
    const portal = `/api/trusted-contact-admin/${everkept.tokenFor(priya, '/trusted-contact-admin/')}`;
    const isOpen = async () => (await reader().send('GET', portal)).statusCode === 200;
    expect(await isOpen()).toBe(true);
    await press(token, 'letters');
    expect([(await read(token)).said?.noMore, await isOpen()]).toEqual([undefined, false]);
    await everkept.live(1);
    expect(mailsTo(nell).length).toBe(count + 1);
    expect((await read(linkOf(nell))).title).toBe('Half a year on');
  });

  test('is emailed once a day to contacts with a page, and to none after the owner’s return', async () => {
    const { owner, nell, priya, token } = await released(['tom']);
    const tom = priya.replace('priya', 'tom');
    // As for a contact who accepted the role after the question.
    const ofTom = 'contact_id = (select id from trusted_contacts where user_id = $1 order by created_at desc limit 1)';
    await rows(`delete from release_asks where user_id = $1 and ${ofTom}`, [owner.userId]);
    const told = (address: string) => subjects(address).filter((subject) => /^A reader wants no more/.test(subject));
    for (const say of ['no-more', 'letters', 'no-more']) await press(token, say);
    await everkept.work();
    expect([told(priya).length, told(tom).length]).toEqual([1, 0]);
    await everkept.live(1);
    for (const say of ['letters', 'no-more']) await press(token, say);
    await everkept.work();
    expect(told(priya)).toHaveLength(2);
    await reader().send('POST', `/api/message-delivery/${linkOf(nell)}/opened`);
    await everkept.signIn(owner);
    const left = await owner.browser.send('POST', '/api/release/answer', { body: { take: 'leave' } });
    expect(left.statusCode, left.body).toBe(200);
    await everkept.live(1);
    for (const say of ['letters', 'no-more']) await press(token, say);
    await everkept.work();
    expect(told(priya)).toHaveLength(2);
  });

  test('is ended by a contact in the portal, long after the release', async () => {
    const { nell, priya, token } = await released();
    await press(token, 'no-more');
    await everkept.live(200);
    const count = mailsTo(nell).length;
    const portal = `/api/trusted-contact-admin/${everkept.tokenFor(priya, '/trusted-contact-admin/')}`;
    const { declining } = (await reader().send('GET', portal)).json();
    expect(declining).toHaveLength(1);
    expect(JSON.stringify(declining)).not.toMatch(/Nell|say\.example/);
    const body = { readerId: declining[0].id };
    for (const _ of [1, 2]) {
      expect((await reader().send('POST', `${portal}/letters`, { body })).json()).toEqual({ ok: true });
    }
    expect((await reader().send('GET', portal)).json()).toMatchObject({ state: 'released', declining: [] });
    await everkept.live(1);
    expect(mailsTo(nell).length).toBe(count + 1);
    expect(subjects(nell).at(-1)).toBe('Silas Marner wrote a message for you');
    await everkept.live(30);
    expect((await reader().send('GET', portal)).statusCode).toBe(404);
  });

  test('leaves its reader one letter to take it back by, past the retention and the end of the account', async () => {
    const { owner, token } = await released();
    const { opened, database } = everkept;
    const titles = async (tx: Executor) => {
      const left = await tx.select({ id: messages.id }).from(messages).where(eq(messages.userId, owner.userId));
      const ids = left.map(({ id }) => id);
      return [...(await readTitles(opened, tx, owner.userId, ids)).values()].map(({ title }) => title).toSorted();
    };
    /** If delivered letters go some day, and titles that an account keeps which is deleted then. */
    const inYears = async (years: number) => {
      const at = new Date((await opened.clock.now()).getTime() + years * 365 * dayMs);
      const found: unknown[] = [];
      await database.db
        .transaction(async (tx) => {
          const row = await findOwner(tx, owner.userId);
          if (!row) throw new Error('There is no owner.');
          const plan = await planOf.delivered(opened, { tx, owner: row, at, notice: null });
          await forgetAllButLetters(tx, owner.userId, at);
          found.push(plan.goesAtMs !== null, await titles(tx));
          throw new Error('taken back');
        })
        .catch((error) => expect(String(error)).toMatch('taken back'));
      return found;
    };
    expect(await inYears(1)).toEqual([true, ['Half a year on']]);
    await press(token, 'no-more');
    expect(await inYears(1)).toEqual([false, ['At once', 'Half a year on']]);
    expect(await inYears(2)).toEqual([false, []]);
  });

  test('and its end survive a restored backup from before them, and an older ledger cancels neither', async () => {
    const { owner, token } = await released();
    await press(token, 'no-more');
    await forget(owner);
    expect([await applySays(everkept.opened), await isDeclined(owner)]).toEqual([1, true]);
    await press(token, 'letters');
    const older = { ...everkept.opened, ledger: createMemoryLedger() };
    expect([await applySays(older), await isDeclined(owner)]).toEqual([0, false]);
    await everkept.database.pool.query('update declining_readers set declined_at = now() where user_id = $1', [
      owner.userId,
    ]);
    await everkept.work();
    expect([await applySays(everkept.opened), await isDeclined(owner)]).toEqual([1, false]);
    const [{ isDue }] = await rows('select next_step_at <= $2 as "isDue" from users where id = $1', [
      owner.userId,
      await everkept.opened.clock.now(),
    ]);
    expect(isDue).toBe(true);
    await forget(owner);
    await press(token, 'no-more');
    await forget(owner);
    expect([await applySays(everkept.opened), await isDeclined(owner)]).toEqual([1, true]);
    expect(await applySays(everkept.opened)).toBe(0);
  });

  test('and its end reach the letters for a person to whom contacts gave another address', async () => {
    const first = await released();
    await press(first.token, 'keep');
    await moves(first.token, `other.${first.nell}`);
    await press(first.token, 'no-more');
    const second = await released();
    await press(second.token, 'keep');
    await press(second.token, 'no-more');
    await moves(second.token, `other.${second.nell}`);
    await everkept.live(186);
    const mails = () => [first, second].map(({ nell }) => mailsTo(`other.${nell}`).length);
    expect(mails()).toEqual([0, 0]);
    for (const { token } of [first, second]) await press(token, 'letters');
    await everkept.live(1);
    expect(mails()).toEqual([1, 1]);
  });

  test('holds a letter of a later release, after a restored backup too, until a contact takes it back', async () => {
    const { owner, nell, priya, token } = await released();
    await press(token, 'no-more');
    const browser = await comesBack(owner);
    const recipients = [{ name: 'Nell', relation: null, email: nell }];
    const body = { title: 'Again', content: 'Be kind.', category: 'family', status: 'ready', recipients };
    expect((await browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
    await forget(owner);
    const count = mailsTo(nell).length;
    await everkept.live(99);
    const { userId } = owner;
    const [release] = await rows(
      'select released_at, done_at from release_requests where user_id = $1 and closed_at is null',
      [userId],
    );
    expect(release.done_at - release.released_at).toBeLessThan(60_000);
    expect(subjects(priya).at(-1)).toBe('Silas Marner: the release has ended');
    expect(mailsTo(nell).length).toBe(count);
    const { declining } = (await reader().send('GET', portalOf(priya))).json();
    expect(declining).toHaveLength(1);
    await reader().send('POST', `${portalOf(priya)}/letters`, { body: { readerId: declining[0].id } });
    await everkept.live(1);
    expect(mailsTo(nell).length).toBe(count + 1);
    expect((await read(linkOf(nell))).title).toBe('Again');
  });
});
