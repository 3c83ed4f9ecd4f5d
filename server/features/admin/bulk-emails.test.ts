import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { bulkEmails } from '#server/schema/bulk-emails.tables.ts';
import type { BulkEmail } from '#shared/contract/admin.ts';
import { adminEmail, createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { call } from '#tests/support/everkept-world.ts';
import { sendSomeNews } from './bulk-sender.ts';

let everkept: Everkept;
let administrator: Owner;
let sam: Owner;
let una: Owner;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
  administrator = await everkept.signUp({ email: adminEmail });
  sam = await everkept.signUp({ firstName: 'Sam' });
  una = await everkept.signUp({ firstName: 'Una', isVerified: false });
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.db.delete(bulkEmails);
  await everkept.database.db.update(users).set({ newsStoppedAt: null });
  // As if the administrator had just signed in, wherever the clock was moved.
  await everkept.database.pool.query(
    "update sessions set authenticated_at = now() + interval '90 days', last_seen_at = now() + interval '90 days', created_at = now() + interval '90 days', expire = now() + interval '99 days'",
  );
  everkept.mailer.clear();
  everkept.mailer.answer(null);
});

const news = { subject: 'New guides', message: 'We wrote a guide.\n\nIt has two parts:\none and two.' };
/** Each call has another address, so that no budget is spent. */
const ask = (method: string, url: string, body?: unknown) => {
  const { cookie } = administrator.browser;
  return call(everkept, { method, url, cookie, headers: { 'sec-fetch-site': 'same-origin' }, body });
};
const begin = (recipients: string[] | undefined, given: { [Field in keyof typeof news]?: string | undefined } = {}) =>
  ask('POST', '/api/admin/bulk-email', { ...news, ...given, recipients });
const list = async () => (await ask('GET', '/api/admin/bulk-email')).json<BulkEmail[]>();
const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const round = async () => {
  const people = await sendSomeNews(everkept.opened);
  await everkept.work();
  return people;
};
const acts = async () =>
  (
    await everkept.database.db
      .select({ action: auditLogs.action, details: auditLogs.details })
      .from(auditLogs)
      .where(sql`${auditLogs.userId} = ${administrator.userId} and ${auditLogs.action} like 'admin.bulk%'`)
      .orderBy(auditLogs.position)
  ).at(-1);

/** Accounts with verified addresses, written by SQL because none of them signs in. */
async function many(count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, number) => ({
    email: `crowd-${number}@people.example`,
    firstName: `Crowd ${number}`,
    emailVerified: true,
  }));
  await everkept.database.db.insert(users).values(rows).onConflictDoNothing();
  return rows.map(({ email }) => email);
}

describe('a bulk email', () => {
  test('is one mail a person, greeted by name, with the way out of it at its foot and in its head', async () => {
    const answer = await begin([sam.email, sam.email.toUpperCase(), adminEmail]);
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      { message: 'Bulk email sent successfully', id: expect.any(String), total: 2, leftOut: 0 },
    ]);
    expect(await round()).toBe(2);
    const [mail, ...more] = mailsTo(sam.email);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ subject: 'New guides', to: { address: sam.email } });
    expect(mail?.text).toMatch(/^Hello Sam,\n\nWe wrote a guide\.\n\nIt has two parts:\none and two\.\n/);
    expect(mail?.text).not.toContain(adminEmail);
    const token = everkept.tokenFor(sam.email, '/news/');
    expect(mail?.headers).toMatchObject({
      'List-Unsubscribe': `<http://localhost:3000/api/news/${token}/stop>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(await list()).toMatchObject([{ subject: 'New guides', state: 'done', total: 2, sent: 2, failed: 0 }]);
    expect(await acts()).toEqual({ action: 'admin.bulk_email', details: { people: 2, leftOut: 0 } });
  });

  test('leaves out users who have not verified the address or want no news', async () => {
    await everkept.database.db.update(users).set({ newsStoppedAt: new Date() }).where(eq(users.id, sam.userId));
    expect((await begin([sam.email, una.email, adminEmail])).json()).toMatchObject({ total: 1, leftOut: 2 });
    await round();
    expect(everkept.mailer.sent.map(({ to }) => to.address)).toEqual([adminEmail]);
    const nobody = await begin([una.email]);
    expect([nobody.statusCode, nobody.json().message]).toEqual([
      400,
      'Nobody you selected has a verified address and wants our news.',
    ]);
  });

  test.each([
    [[], {}, 'Please select at least one user to send email to'],
    [undefined, {}, 'Please select at least one user to send email to'],
    [[adminEmail], { subject: ' ' }, 'Subject is required'],
    [[adminEmail], { message: '\n' }, 'Message is required'],
    [[adminEmail], { subject: undefined }, 'Subject is required'],
    [[adminEmail], { message: undefined }, 'Message is required'],
    [[adminEmail], { subject: 'News\r\nBcc: all@people.example' }, 'This must be a single line of text'],
    [[adminEmail], { subject: 'News\nX-Other: yes' }, 'This must be a single line of text'],
    [[adminEmail], { subject: 'News\u2028Bcc: all@people.example' }, 'This must be a single line of text'],
    [['a@b.example\r\nBcc: all@people.example'], {}, 'Please enter a valid email address'],
    [['a@b.example, c@d.example'], {}, 'Please enter a valid email address'],
  ])('to %o with %o is refused', async (recipients, given, message) => {
    const answer = await begin(recipients, given);
    expect([answer.statusCode, answer.json().message]).toEqual([400, message]);
    expect(await list()).toEqual([]);
  });

  test('to an unknown address is refused completely, and that is logged', async () => {
    const answer = await begin([sam.email, 'stranger@elsewhere.example']);
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
    expect(await round()).toBe(0);
    expect(everkept.mailer.sent).toEqual([]);
    expect(await acts()).toEqual({ action: 'admin.bulk_email_refuse', details: { unknown: 1 } });
  });

  test('adds no line to a mail by the name of a person', async () => {
    const firstName = 'Sam\r\nBcc: all@people.example\r\n\r\n<b>';
    await everkept.database.db.update(users).set({ firstName }).where(eq(users.id, sam.userId));
    await begin([sam.email]);
    await round();
    const [mail] = mailsTo(sam.email);
    expect(Object.keys(mail?.headers ?? {}).sort()).toEqual([
      'Auto-Submitted',
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'X-Auto-Response-Suppress',
    ]);
    expect(mail?.html).not.toContain('<b>');
    await everkept.database.db.update(users).set({ firstName: 'Sam' }).where(eq(users.id, sam.userId));
  });

  test('never goes to more than fifty people in any minute, with any number of workers', async () => {
    await begin(await many(70));
    const rounds = async () => {
      const people = await Promise.all(Array.from({ length: 8 }, () => sendSomeNews(everkept.opened)));
      return people.reduce((sum, one) => sum + one, 0);
    };
    expect(await rounds()).toBe(50);
    await everkept.work();
    expect(await rounds()).toBe(0);
    expect(everkept.mailer.sent).toHaveLength(50);
    await everkept.jump(1.1 / 1440);
    expect(await rounds()).toBe(20);
    await everkept.work();
    expect(new Set(everkept.mailer.sent.map(({ to }) => to.address)).size).toBe(70);
    expect(everkept.mailer.sent).toHaveLength(70);
    expect(await list()).toMatchObject([{ state: 'done', total: 70, sent: 70 }]);
  });

  test('waits while no mail is accepted, and continues afterwards', async () => {
    everkept.mailer.answer(() => ({ outcome: 'temporary', replyCode: null }));
    await begin(await many(70));
    for (let minute = 0; minute < 5; minute += 1) {
      for (let turn = 0; turn < 4; turn += 1) await round();
      await everkept.jump(1.1 / 1440);
    }
    expect(await list()).toMatchObject([{ state: 'sending', total: 70, sent: 0 }]);
    const { rows } = await everkept.database.pool.query(
      "select count(*)::int as queued from bulk_email_recipients where state = 'queued'",
    );
    expect(rows).toEqual([{ queued: 50 }]);
    everkept.mailer.answer(null);
    for (let turn = 0; turn < 4; turn += 1) {
      await everkept.live(0.1);
      for (let again = 0; again < 4; again += 1) await round();
    }
    expect(await list()).toMatchObject([{ state: 'done', sent: 70 }]);
  });

  test('reports bounced mail', async () => {
    everkept.mailer.answer(({ to }) =>
      to.address === sam.email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await begin([sam.email, adminEmail]);
    await round();
    await everkept.live(4);
    expect(await list()).toMatchObject([{ state: 'done', total: 2, sent: 1, failed: 1 }]);
  });

  test('can be cancelled: waiting recipients get no mail, and a repeated press changes nothing', async () => {
    const { id } = (await begin(await many(30))).json<{ id: string }>();
    await round();
    await sendSomeNews(everkept.opened);
    const cancel = () => ask('POST', `/api/admin/bulk-email/${id}/cancel`);
    for (let press = 0; press < 2; press += 1) {
      expect((await cancel()).json()).toMatchObject({ id, state: 'cancelled', total: 30, sent: 13, cancelled: 17 });
    }
    await everkept.jump(2 / 1440);
    expect(await round()).toBe(0);
    expect(everkept.mailer.sent).toHaveLength(13);
    expect(await acts()).toMatchObject({ action: 'admin.bulk_email_cancel' });
  });

  test('holds its words sealed in the database', async () => {
    await begin([sam.email], { subject: 'Canary subject', message: 'Canary message' });
    await round();
    expect((await dumpRows(everkept.database)).filter((row) => /Canary/.test(row))).toEqual([]);
  });
});

describe('the way out of the news', () => {
  async function token(): Promise<string> {
    await begin([sam.email]);
    await round();
    return everkept.tokenFor(sam.email, '/news/');
  }
  const wants = async () =>
    (await everkept.database.db.select({ stopped: users.newsStoppedAt }).from(users).where(eq(users.id, sam.userId)))[0]
      ?.stopped === null;

  test('is a page that changes nothing by being opened, and a press', async () => {
    const url = `/api/news/${await token()}`;
    const read = await call(everkept, { method: 'GET', url });
    expect(read.json()).toEqual({
      email: `${sam.email[0]}…@${sam.email.split('@')[1]}`,
      wantsNews: true,
      about: 'news',
    });
    const led = await call(everkept, { method: 'GET', url: `${url}/stop` });
    expect([led.statusCode, led.headers.location]).toEqual([302, url.replace('/api', '')]);
    expect(await wants()).toBe(true);

    const before = await findOwner(everkept.database.db, sam.userId);
    const stopped = await call(everkept, { method: 'POST', url, body: { wantsNews: false } });
    expect(stopped.json().wantsNews).toBe(false);
    expect((await findOwner(everkept.database.db, sam.userId))?.lastCheckinAt).toEqual(before?.lastCheckinAt);
    expect((await begin([sam.email])).statusCode).toBe(400);
    await call(everkept, { method: 'POST', url, body: { wantsNews: true } });
    expect(await wants()).toBe(true);
  });

  test.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--',
    ],
  ])('accepts the form that a mail program posts, as %s (RFC 8058)', async (type, body) => {
    const url = `/api/news/${await token()}/stop`;
    const answer = await call(everkept, { method: 'POST', url, headers: { 'content-type': type }, body });
    expect([answer.statusCode, await wants()]).toEqual([200, false]);
  });

  test('keeps what concerns the account coming', async () => {
    const url = `/api/news/${await token()}`;
    await call(everkept, { method: 'POST', url, body: { wantsNews: false } });
    everkept.mailer.clear();
    await sam.browser.send('POST', '/api/reset-password', { body: { email: sam.email } });
    await everkept.work();
    expect(mailsTo(sam.email)).toHaveLength(1);
  });

  test('also stops an email that is already waiting', async () => {
    const url = `/api/news/${await token()}`;
    await begin([sam.email]);
    await call(everkept, { method: 'POST', url, body: { wantsNews: false } });
    everkept.mailer.clear();
    await round();
    expect(mailsTo(sam.email)).toEqual([]);
    expect(await list()).toMatchObject([{ state: 'done', total: 1, leftOut: 1 }, { state: 'done' }]);
  });
});
