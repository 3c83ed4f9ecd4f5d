import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestDeletion } from '#server/features/deletion/deletion.ts';
import { setUpAuthenticator } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { sessions, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
});
afterAll(() => everkept.close());

const remove = (owner: Pick<Owner, 'browser'>, body?: unknown) =>
  owner.browser.send('DELETE', '/api/delete-account', body === undefined ? {} : { body });

async function rowOf({ userId }: Owner) {
  const [row] = await everkept.database.db.select().from(users).where(eq(users.id, userId));
  if (!row) throw new Error('The account is gone.');
  return row;
}

/** Ends the ten minutes of a fresh sign-in. */
async function age({ userId }: Owner) {
  const authenticatedAt = new Date(Date.now() - 11 * 60_000);
  await everkept.database.db.update(sessions).set({ authenticatedAt }).where(eq(sessions.userId, userId));
}

const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject);

describe('an owner who asks for the account to be deleted', () => {
  test('needs a sign-in of the last ten minutes, or the password, and no other', async () => {
    const owner = await everkept.signUp();
    await age(owner);
    for (const body of [undefined, {}, { password: '' }]) {
      const refused = await remove(owner, body);
      expect([refused.statusCode, refused.json().type]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
    }
    const wrong = await remove(owner, { password: 'not this one' });
    expect([wrong.statusCode, wrong.json().issues]).toMatchObject([400, [{ path: 'password' }]]);
    expect((await rowOf(owner)).deletionRequestedAt).toBeNull();
    expect((await remove(owner, { password: owner.password })).statusCode).toBe(204);
    expect((await rowOf(owner)).deletionRequestedAt).not.toBeNull();
  });

  test('needs the second step too, as every act that can’t be undone, in a session that never passed it', async () => {
    const owner = await everkept.signUp();
    const friend = await everkept.signUp();
    await everkept.befriend(friend, { name: 'Nell Ashworth', email: owner.email });
    await setUpAuthenticator(owner.browser, Date.now());
    await everkept.database.db.update(sessions).set({ secondFactorAt: null }).where(eq(sessions.userId, owner.userId));
    const refusals = [
      await remove(owner),
      await remove(owner, { password: owner.password }),
      await owner.browser.send('POST', '/api/export-data', { body: { format: 'json' } }),
      await owner.browser.send('POST', `/api/trustee/trigger-release/${friend.userId}`),
    ];
    const refusal = { type: 'REAUTHENTICATION_REQUIRED', issues: [{ path: 'code' }] };
    expect(refusals.map((answer) => answer.json())).toMatchObject(refusals.map(() => refusal));
    expect((await rowOf(owner)).deletionRequestedAt).toBeNull();
  });

  test('is signed out on every device immediately, and gets an email with the way to restore it', async () => {
    const owner = await everkept.signUp({ isVerified: false, firstName: 'Ida' });
    const otherDevice = { ...owner, browser: createBrowser(everkept.app) };
    await everkept.signIn(otherDevice);
    const cookie = owner.browser.cookie;
    const answer = await remove(owner);
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(owner.browser.cookie).toBeNull();

    owner.browser.cookie = cookie;
    for (const { browser } of [owner, otherDevice]) {
      expect((await browser.send('GET', '/api/auth/user')).statusCode).toBe(401);
    }
    await everkept.work();
    const mail = mailsTo(owner.email).at(-1);
    expect(mail?.subject).toMatch(/^Your account will be deleted on \d+ \w+ \d{4}$/);
    expect(mail?.text).toContain('http://localhost:3000/login');
    expect(mail?.text).toMatch(/choose Restore my\s+account/);
  });

  test('can sign in again, and then restore, take a copy or sign out and nothing else', async () => {
    const owner = await everkept.signUp();
    await everkept.write(owner);
    await remove(owner);
    await everkept.signIn(owner);

    const user = (await owner.browser.send('GET', '/api/auth/user')).json<{ deletionAt: string }>();
    const { deletionRequestedAt } = await rowOf(owner);
    const restoreDays = (Date.parse(user.deletionAt) - (deletionRequestedAt?.getTime() ?? 0)) / 86_400_000;
    expect(restoreDays).toBe(30);
    const others: ['GET' | 'POST' | 'PUT' | 'DELETE', string][] = [
      ['GET', '/api/messages'],
      ['POST', '/api/messages'],
      ['GET', '/api/trusted-contacts'],
      ['POST', '/api/checkin'],
      ['GET', '/api/release'],
      ['PUT', '/api/user/release-settings'],
      ['PUT', '/api/user/password'],
      ['GET', '/api/trustee/relationships'],
      ['DELETE', '/api/delete-account'],
    ];
    for (const [method, path] of others) {
      const answer = await owner.browser.send(method, path, method === 'GET' ? {} : { body: {} });
      expect([path, answer.statusCode, answer.json().type]).toEqual([path, 403, 'ACCOUNT_CLOSING']);
    }
    await age(owner);
    const take = () => owner.browser.send('POST', '/api/export-data', { body: { format: 'json' } });
    expect((await take()).json().type).toBe('REAUTHENTICATION_REQUIRED');
    await owner.browser.send('POST', '/api/user/reauthenticate', { body: { password: owner.password } });
    const copy = await take();
    expect([copy.statusCode, copy.body.includes('Put the kettle on first.')]).toEqual([200, true]);
    expect((await owner.browser.send('POST', '/api/logout', { body: {} })).statusCode).toBe(200);
  });

  test('gets everything back by restoring it, once or twice', async () => {
    const owner = await everkept.signUp();
    await everkept.write(owner, { title: 'Still here' });
    await remove(owner);
    await everkept.signIn(owner);
    for (const _ of [1, 2]) {
      const restored = await owner.browser.send('POST', '/api/user/restore', { body: {} });
      expect([restored.statusCode, restored.json().deletionAt]).toEqual([200, undefined]);
    }
    const messages = (await owner.browser.send('GET', '/api/messages')).json<{ title: string }[]>();
    expect(messages.map(({ title }) => title)).toEqual(['Still here']);
    await everkept.work();
    expect(subjectsTo(owner.email).filter((subject) => subject === 'Your account is restored')).toHaveLength(1);
    const log = await everkept.database.db.select().from(auditLogs).where(eq(auditLogs.userId, owner.userId));
    const actions = log.map(({ action }) => action).filter((action) => action.startsWith('account.'));
    expect(actions).toEqual(expect.arrayContaining(['account.deletion_requested', 'account.restored']));
  });

  test('is refused while they are the designated administrator, whom the service needs', async () => {
    const administrator = await everkept.signUp({ email: adminEmail });
    const answer = await remove(administrator, { password: administrator.password });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { type: 'CONFLICT', message: expect.stringContaining('ADMIN_EMAIL') },
    ]);
    expect((await rowOf(administrator)).deletionRequestedAt).toBeNull();
    expect((await administrator.browser.send('GET', '/api/messages')).statusCode).toBe(200);
  });

  test('is requested once for any number of parallel requests', async () => {
    const owner = await everkept.signUp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(owner)));
    // Requests after the first have no session any more.
    expect(answers.filter(({ statusCode }) => statusCode !== 204 && statusCode !== 401)).toEqual([]);
    expect(answers[0]?.statusCode).toBe(204);
    await everkept.work();
    expect(subjectsTo(owner.email).filter((subject) => subject.includes('will be deleted'))).toHaveLength(1);
  });
});

describe('while an account is being deleted', () => {
  test('its trustee sees it as inactive and can trigger nothing, and an invitation to it has expired', async () => {
    const owner = await everkept.signUp({ firstName: 'Wilma' });
    const trustee = await everkept.signUp();
    await everkept.write(owner);
    await everkept.befriend(owner, { name: 'Tess Trustee', email: trustee.email });
    await owner.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ivo', email: 'ivo@friends.example' } });
    await everkept.work();
    const invitation = everkept.tokenFor('ivo@friends.example', '/trusted-contact-accept/');
    await remove(owner);

    const list = (await trustee.browser.send('GET', '/api/trustee/relationships')).json<{ isActive: boolean }[]>();
    expect(list.map(({ isActive }) => isActive)).toEqual([false]);
    const pressed = await trustee.browser.send('POST', `/api/trustee/trigger-release/${owner.userId}`, { body: {} });
    expect(pressed.statusCode).toBe(404);
    const path = `/api/trusted-contact-invitation/${invitation}`;
    expect((await trustee.browser.send('GET', path)).statusCode).toBe(404);
    expect((await trustee.browser.send('POST', path, { body: { accept: true } })).statusCode).toBe(404);

    await everkept.signIn(owner);
    await owner.browser.send('POST', '/api/user/restore', { body: {} });
    const again = (await trustee.browser.send('GET', '/api/trustee/relationships')).json<{ isActive: boolean }[]>();
    expect(again.map(({ isActive }) => isActive)).toEqual([true]);
  });

  test('an open release ends: nothing is sent, and the contact who was asked is emailed', async () => {
    const owner = await everkept.signUp({ firstName: 'Otto' });
    const contact = `cara.${owner.email}`;
    await everkept.write(owner, { recipientEmail: `reader.${owner.email}` });
    await everkept.befriend(owner, { name: 'Cara Lind', email: contact });
    const { database } = everkept;
    const monthAgo = new Date(Date.now() - 30 * dayMs);
    await database.db
      .update(trustedContacts)
      .set({ confirmedAt: monthAgo, confirmedHealthyMs: null })
      .where(eq(trustedContacts.email, contact));
    await createBrowser(everkept.app).send('POST', '/api/emergency-activate', {
      body: { userEmail: owner.email, contactEmail: contact, contactName: 'Cara Lind', reason: 'She is in hospital.' },
    });
    await everkept.work();
    const portal = everkept.tokenFor(contact, '/trusted-contact-admin/');

    await database.db.transaction((tx) =>
      requestDeletion(everkept.opened, tx, { userId: owner.userId, cause: 'owner' }),
    );
    await everkept.work();
    expect(subjectsTo(contact).at(-1)).toBe('Otto Ashworth: the release has ended. Nothing was sent');
    expect((await owner.browser.send('GET', `/api/trusted-contact-admin/${portal}`)).statusCode).toBe(404);
    // A nudge is due every day.
    await database.db.update(users).set({ checkinIntervalDays: 1 }).where(eq(users.id, owner.userId));
    const before = everkept.mailer.sent.length;
    await everkept.live(3);
    const since = everkept.mailer.sent.slice(before).map(({ to }) => to.address);
    expect(since.filter((address) => address.endsWith(owner.email))).toEqual([]);
    expect(subjectsTo(`reader.${owner.email}`)).toEqual([]);
  });
});
