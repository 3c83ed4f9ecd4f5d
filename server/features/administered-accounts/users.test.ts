import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buy } from '#server/features/billing/billing.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import type { AdminUser } from '#shared/contract/admin.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let administrator: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
  administrator = await everkept.signUp({ email: adminEmail, firstName: 'Opal' });
});
afterAll(() => everkept.close());

const form = {
  email: 'nia@people.example',
  password: 'a bag of eleven limes',
  firstName: 'Nia',
  lastName: 'Reed',
  plan: 'essential',
  role: 'user',
};

const list = async (query = '') => {
  const answer = await administrator.browser.send('GET', `/api/admin/users-temp${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json<AdminUser[]>();
};
const emailsOf = (listed: AdminUser[]) => listed.map(({ email }) => email);
const update = (id: string, body: unknown) => administrator.browser.send('PUT', `/api/admin/users/${id}`, { body });
const rowOf = async (id: string) => {
  const [row] = await everkept.database.db.select().from(users).where(eq(users.id, id));
  return row;
};
const logOf = (id: string) =>
  everkept.database.db
    .select({
      action: auditLogs.action,
      resourceId: auditLogs.resourceId,
      details: auditLogs.details,
      ip: auditLogs.ipAddress,
    })
    .from(auditLogs)
    .where(sql`${auditLogs.userId} = ${id} and ${auditLogs.action} like 'admin.%'`)
    .orderBy(auditLogs.position);

let opened = 0;
async function openFor(given: Partial<typeof form> = {}) {
  opened += 1;
  const body = { ...form, email: `person.${opened}@opened.example`, ...given };
  const answer = await administrator.browser.send('POST', '/api/admin/users', { body });
  expect(answer.statusCode).toBe(201);
  const browser = createBrowser(everkept.app);
  const signIn = () => browser.send('POST', '/api/login', { body: { email: body.email, password: body.password } });
  return { user: answer.json<AdminUser>(), body, browser, signIn };
}

describe('the list of users', () => {
  test("shows an account's owner and state, and nothing that opens it", async () => {
    const [newest] = await list();
    expect(newest).toEqual({
      id: administrator.userId,
      email: adminEmail,
      firstName: 'Opal',
      lastName: 'Ashworth',
      plan: 'free',
      isPlanGranted: false,
      role: 'admin',
      isEmailVerified: true,
      isAdministrator: true,
      createdAt: expect.any(String),
      lastLoginAt: expect.any(String),
      lastCheckinAt: expect.any(String),
      deletesAt: null,
    });
  });

  test('is found through by words in the address or the name, sorted, and turned page by page', async () => {
    const { db } = everkept.database;
    const base = Date.now() - 86_400_000;
    await db.insert(users).values(
      Array.from({ length: 120 }, (_, number) => ({
        email: `page-${String(number).padStart(3, '0')}@list.example`,
        firstName: number % 2 ? 'Wyn' : 'Tess',
        lastName: `O'Neil 100%_${number}`,
        // Several with an equal time, which a wrong page would lose or repeat.
        createdAt: new Date(base + Math.floor(number / 7) * 1000),
        lastLoginAt: number % 3 ? new Date(base + number * 1000) : null,
      })),
    );
    for (const sort of ['createdAt', 'email', 'name', 'lastLoginAt', 'lastCheckinAt']) {
      for (const direction of ['asc', 'desc']) {
        const seen: string[] = [];
        for (let after = ''; ; ) {
          const page = await list(`?search=list.example&sort=${sort}&direction=${direction}${after}`);
          seen.push(...emailsOf(page));
          if (page.length < 50) break;
          after = `&after=${page.at(-1)?.id}`;
        }
        expect([sort, direction, seen.length, new Set(seen).size]).toEqual([sort, direction, 120, 120]);
      }
    }
    expect(emailsOf(await list('?search=list.example&sort=email&direction=asc')).slice(0, 2)).toEqual([
      'page-000@list.example',
      'page-001@list.example',
    ]);
    expect(emailsOf(await list(`?search=${encodeURIComponent('WYN 100%_7')}&sort=email&direction=asc`))).toEqual([
      'page-007@list.example',
      'page-071@list.example',
      'page-073@list.example',
      'page-075@list.example',
      'page-077@list.example',
      'page-079@list.example',
    ]);
    expect(await list('?search=nobody-of-this-name')).toEqual([]);
    expect(await list()).toHaveLength(50);
  });

  test('reports that the user before the page is gone', async () => {
    const answer = await administrator.browser.send(
      'GET',
      '/api/admin/users-temp?after=00000000-0000-4000-8000-000000000000',
    );
    expect([answer.statusCode, answer.json().message]).toEqual([
      404,
      'The list has changed. Begin again with the first page.',
    ]);
  });
});

describe('an account that an administrator opens', () => {
  test('is verified, has the plan without a payment, and its owner is emailed without the password', async () => {
    const { user, body } = await openFor();
    expect(user).toMatchObject({ isEmailVerified: true, plan: 'essential', isPlanGranted: true, role: 'user' });
    expect(await rowOf(user.id)).toMatchObject({
      tempPassword: true,
      paymentProvider: null,
      paymentSubscriptionId: null,
    });
    await everkept.work();
    const mail = everkept.mailer.sent.find(({ to }) => to.address === body.email);
    expect(mail?.text).toContain('/login');
    expect(mail?.text).not.toContain(body.password);
    const inLogs = [await logOf(user.id), await logOf(administrator.userId)].map((log) => log.at(-1));
    const act = { action: 'admin.user_create', resourceId: user.id };
    expect(inLogs).toEqual([
      { ...act, ip: null, details: { plan: 'essential', role: 'user', actor: administrator.userId } },
      { ...act, ip: expect.any(String), details: { plan: 'essential', role: 'user' } },
    ]);
  });

  test('opens nothing until the password is changed, not even to its owner', async () => {
    const { browser, signIn, body } = await openFor();
    expect((await signIn()).json()).toMatchObject({ ok: true, user: { tempPassword: true } });
    expect((await browser.send('GET', '/api/auth/user')).json().tempPassword).toBe(true);
    for (const [method, url, given] of [
      ['GET', '/api/messages', undefined],
      ['POST', '/api/messages', { title: 'a', content: 'b', recipientEmail: 'c@d.example' }],
      ['GET', '/api/user/sessions', undefined],
      ['POST', '/api/checkin', undefined],
      ['POST', '/api/user/reauthenticate', { password: body.password }],
    ] as const) {
      const answer = await browser.send(method, url, given ? { body: given } : {});
      expect([url, answer.statusCode, answer.json().type]).toEqual([url, 403, 'PASSWORD_CHANGE_REQUIRED']);
    }

    const change = (password: string) =>
      browser.send('PUT', '/api/user/password', {
        body: { currentPassword: body.password, password, confirmPassword: password },
      });
    const same = await change(body.password);
    expect([same.statusCode, same.json().message]).toEqual([
      400,
      'Choose another password than the one you were given.',
    ]);
    expect((await change('seven pears in a net')).statusCode).toBe(200);
    expect((await browser.send('GET', '/api/messages')).statusCode).toBe(200);
    expect((await signIn()).statusCode).toBe(401);
  });

  test('admits an administrator who knows its password before its owner, into an empty account, and the log names the administrator', async () => {
    const { user, body, browser, signIn } = await openFor();
    await signIn();
    const password = 'chosen by the administrator';
    const change = { currentPassword: body.password, password, confirmPassword: password };
    expect((await browser.send('PUT', '/api/user/password', { body: change })).statusCode).toBe(200);
    expect((await browser.send('GET', '/api/messages')).json()).toEqual([]);
    const owner = createBrowser(everkept.app);
    const given = { email: body.email, password: body.password };
    expect((await owner.send('POST', '/api/login', { body: given })).statusCode).toBe(401);
    const { rows } = await everkept.database.db.execute(sql`select action, user_id from audit_logs
      where resource_id = ${user.id} and action like 'admin.%'`);
    expect(rows).toContainEqual({ action: 'admin.user_create', user_id: administrator.userId });
  });

  test('can be left again by signing out', async () => {
    const { browser, signIn } = await openFor();
    await signIn();
    expect((await browser.send('POST', '/api/logout')).statusCode).toBe(200);
  });

  test.each([
    [{ email: 'nobody' }, 'Please enter a valid email address'],
    [{ password: 'seven77' }, 'Password must be at least 8 characters'],
    [{ firstName: ' ' }, 'First name is required'],
    [{ lastName: '' }, 'Last name is required'],
    [{ firstName: undefined }, 'First name is required'],
    [{ lastName: undefined }, 'Last name is required'],
    [{ firstName: 'Nia\r\nBcc: all@people.example' }, 'This must be a single line of text'],
    [{ password: 'password123' }, 'Many people use this password, so it is easy to guess. Choose another one.'],
    [{ plan: 'lifetime' }, 'Something is missing or cannot be read.'],
    [{ role: 'owner' }, 'Something is missing or cannot be read.'],
  ])('is refused with %o', async (given, message) => {
    const body = { ...form, email: 'refused@people.example', ...given };
    const answer = await administrator.browser.send('POST', '/api/admin/users', { body });
    expect([answer.statusCode, answer.json().message]).toEqual([400, message]);
    expect(await list('?search=refused@people.example')).toEqual([]);
  });

  test('is not opened a second time for the same address, in any case', async () => {
    const { body } = await openFor();
    const again = await administrator.browser.send('POST', '/api/admin/users', {
      body: { ...form, email: body.email.toUpperCase() },
    });
    expect([again.statusCode, again.json()]).toMatchObject([409, { type: 'CONFLICT', issues: [{ path: 'email' }] }]);
  });
});

describe('editing a user', () => {
  test('changes plan, role and verification, and marks the plan as given; the role opens nothing', async () => {
    const owner = await everkept.signUp();
    const answer = await update(owner.userId, { plan: 'premium', role: 'admin', isEmailVerified: true });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      { plan: 'premium', role: 'admin', isPlanGranted: true, isAdministrator: false },
    ]);
    expect((await owner.browser.send('GET', '/api/user')).json()).toMatchObject({
      plan: 'premium',
      isAdministrator: false,
    });
    expect((await owner.browser.send('GET', '/api/admin/users-temp')).statusCode).toBe(403);

    await update(owner.userId, { plan: 'free', role: 'user', isEmailVerified: false });
    expect(await rowOf(owner.userId)).toMatchObject({ plan: 'free', planGrantedAt: null, emailVerified: false });
    expect(
      (
        await owner.browser.send('PUT', '/api/user/release-settings', {
          body: { releaseMethod: 'inactivity', inactivityDays: 90 },
        })
      ).json().type,
    ).toBe('EMAIL_VERIFICATION_REQUIRED');
    expect((await logOf(owner.userId)).map(({ details }) => details?.to)).toEqual([
      { plan: 'premium', role: 'admin', isEmailVerified: true },
      { plan: 'free', role: 'user', isEmailVerified: false },
    ]);
  });

  test('is no sign of life of the user', async () => {
    const owner = await everkept.signUp();
    const before = (await rowOf(owner.userId))?.lastCheckinAt;
    await update(owner.userId, { plan: 'essential', role: 'user', isEmailVerified: true });
    expect((await rowOf(owner.userId))?.lastCheckinAt).toEqual(before);
  });

  test.each([
    { plan: 'gold', role: 'user', isEmailVerified: true },
    { plan: 'free', role: 'root', isEmailVerified: true },
    { plan: 'free', role: 'user', isEmailVerified: 'yes' },
  ])('refuses %o', async (body) => {
    expect((await update(administrator.userId, body)).statusCode).toBe(400);
  });

  test('does not take the role or the verified address from the designated administrator', async () => {
    for (const change of [
      { role: 'user', isEmailVerified: true },
      { role: 'admin', isEmailVerified: false },
    ]) {
      const answer = await update(administrator.userId, { plan: 'free', ...change });
      expect([answer.statusCode, answer.json().type]).toEqual([409, 'CONFLICT']);
    }
    expect(
      (await update(administrator.userId, { plan: 'premium', role: 'admin', isEmailVerified: true })).statusCode,
    ).toBe(200);
  });

  test('answers an unknown user with 404', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await update(id, { plan: 'free', role: 'user', isEmailVerified: true })).statusCode).toBe(404);
    expect((await administrator.browser.send('POST', `/api/admin/verify-user/${id}`)).statusCode).toBe(404);
  });
});

describe('verifying a user', () => {
  test('counts the address as verified, as the link in the mail would, and again is harmless', async () => {
    const owner = await everkept.signUp({ isVerified: false });
    await owner.browser.send('POST', '/api/trusted-contacts', {
      body: { name: 'Ben Okri', email: 'ben@held.example' },
    });
    for (let press = 0; press < 2; press += 1) {
      const answer = await administrator.browser.send('POST', `/api/admin/verify-user/${owner.userId}`);
      expect([answer.statusCode, answer.json().isEmailVerified]).toEqual([200, true]);
    }
    expect(await logOf(owner.userId)).toHaveLength(1);
    await everkept.work();
    expect(everkept.linkTo('ben@held.example', '/trusted-contact-accept/')).toBeDefined();
  });
});

describe('a plan from an administrator', () => {
  const given = (plan: string) => ({ plan, role: 'user', isEmailVerified: true });

  test('is the owner’s own from the moment they pay for it or for more, and stays given while they pay for less', async () => {
    const cases = [
      { granted: 'essential', bought: 'essential', plan: 'essential', isGranted: false },
      { granted: 'essential', bought: 'premium', plan: 'premium', isGranted: false },
      { granted: 'premium', bought: 'essential', plan: 'premium', isGranted: true },
    ] as const;
    for (const { granted, bought, plan, isGranted } of cases) {
      const owner = await everkept.signUp();
      expect((await update(owner.userId, given(granted))).statusCode).toBe(200);
      expect((await rowOf(owner.userId))?.planGrantedAt).not.toBeNull();
      await buy(everkept, owner.browser, { plan: bought });
      const row = await rowOf(owner.userId);
      expect([granted, bought, row?.plan, row?.planGrantedAt !== null]).toEqual([granted, bought, plan, isGranted]);
    }
  });

  test('is refused for an owner with a paid subscription, and the account stays unchanged', async () => {
    const owner = await everkept.signUp();
    await buy(everkept, owner.browser, { plan: 'essential' });
    for (const plan of ['free', 'premium', 'lifetime']) {
      const answer = await update(owner.userId, given(plan));
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        { type: 'CONFLICT', message: expect.stringContaining('subscription'), issues: [{ path: 'plan' }] },
      ]);
    }
    expect(await rowOf(owner.userId)).toMatchObject({ plan: 'essential', planGrantedAt: null });
    const changed = await update(owner.userId, { ...given('essential'), role: 'admin' });
    expect([changed.statusCode, changed.json().role]).toEqual([200, 'admin']);
  });
});

describe('deleting a user', () => {
  test('is the deletion that its owner could request: signed out immediately, emailed, thirty days to undo it', async () => {
    const owner = await everkept.signUp();
    for (let press = 0; press < 2; press += 1) {
      const answer = await administrator.browser.send('DELETE', `/api/admin/users/${owner.userId}`);
      expect(answer.statusCode).toBe(204);
    }
    expect((await owner.browser.send('GET', '/api/messages')).statusCode).toBe(401);
    const [shown] = await list(`?search=${owner.email}`);
    const days = (Date.parse(shown?.deletesAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29);
    expect(await logOf(owner.userId)).toEqual([
      { action: 'admin.user_delete', resourceId: owner.userId, details: { actor: administrator.userId }, ip: null },
    ]);
    await everkept.work();
    expect(
      everkept.mailer.sent.filter(({ to, subject }) => to.address === owner.email && /delet/i.test(subject)),
    ).toHaveLength(1);
    await everkept.signIn(owner);
    expect((await owner.browser.send('POST', '/api/user/restore')).statusCode).toBe(200);
    expect((await list(`?search=${owner.email}`))[0]?.deletesAt).toBeNull();
  });

  test('is refused while a release of theirs is open, and so is taking the verified address away, which would stop it', async () => {
    const owner = await everkept.signUp();
    const contact = `cara.${owner.email}`;
    await everkept.write(owner, { recipientEmail: `reader.${owner.email}` });
    await everkept.befriend(owner, { name: 'Cara Lind', email: contact });
    await everkept.database.db
      .update(trustedContacts)
      .set({ confirmedAt: new Date(Date.now() - 30 * dayMs), confirmedHealthyMs: null });
    await createBrowser(everkept.app).send('POST', '/api/emergency-activate', {
      body: { userEmail: owner.email, contactEmail: contact, contactName: 'Cara Lind', reason: 'She has died.' },
    });
    await everkept.work();

    const remove = () => administrator.browser.send('DELETE', `/api/admin/users/${owner.userId}`);
    const unverified = { plan: 'free', role: 'user', isEmailVerified: false };
    for (const answer of [await remove(), await update(owner.userId, unverified)]) {
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        { type: 'CONFLICT', message: expect.stringContaining('A release of this account is in progress') },
      ]);
    }
    expect(await rowOf(owner.userId)).toMatchObject({ emailVerified: true, deletionRequestedAt: null });
    expect(await logOf(owner.userId)).toEqual([]);
    const portal = `/api/trusted-contact-admin/${everkept.tokenFor(contact, '/trusted-contact-admin/')}`;
    expect((await createBrowser(everkept.app).send('GET', portal)).statusCode, 'the contact can still answer').toBe(
      200,
    );

    await everkept.signIn(owner);
    expect((await remove()).statusCode, 'once its owner is back').toBe(204);
  });

  test('leaves the designated administrator unchanged, and rejects an unknown account', async () => {
    const remove = (id: string) => administrator.browser.send('DELETE', `/api/admin/users/${id}`);
    expect((await remove(administrator.userId)).statusCode).toBe(409);
    expect((await remove('00000000-0000-4000-8000-000000000000')).statusCode).toBe(404);
    expect((await list(`?search=${adminEmail}`))[0]?.deletesAt).toBeNull();
  });
});

describe("the administrator's identity", () => {
  test('follows from the verified address alone: no look-alike, no spelling and no field of a profile gives it', async () => {
    const { browser } = await everkept.signUp();
    for (const email of ['0perator@everkept.example', 'operator+x@everkept.example', 'оperator@everkept.example'])
      await browser.send('POST', '/api/register', { body: { ...form, confirmPassword: form.password, email } });
    await browser.send('PUT', '/api/user-profile', {
      body: { email: adminEmail, role: 'admin', phone: '07700 900123' },
    });
    const taken = { ...form, confirmPassword: form.password, email: adminEmail.toUpperCase() };
    expect((await browser.send('POST', '/api/register', { body: taken })).statusCode).toBe(201);
    expect((await browser.send('GET', '/api/user')).json()).toMatchObject({ isAdministrator: false, role: 'user' });
    expect((await browser.send('GET', '/api/admin/users-temp')).statusCode).toBe(403);
    expect((await list('?search=operator@everkept')).filter(({ isAdministrator }) => isAdministrator)).toHaveLength(1);
  });

  test('must have been proved within ten minutes before any change, and ends after twenty idle minutes', async () => {
    const { user } = await openFor();
    const minutes = (count: number) => everkept.jump(count / 1440);
    await minutes(11);
    for (const [method, url, body] of [
      ['POST', '/api/admin/users', form],
      ['PUT', `/api/admin/users/${user.id}`, { plan: 'free', role: 'user', isEmailVerified: true }],
      ['POST', `/api/admin/verify-user/${user.id}`, undefined],
      ['DELETE', `/api/admin/users/${user.id}`, undefined],
      ['POST', '/api/admin/bulk-email', { subject: 'News', message: 'Words', recipients: [adminEmail] }],
    ] as const) {
      const answer = await administrator.browser.send(method, url, body ? { body } : {});
      expect([url, answer.statusCode, answer.json().type]).toEqual([url, 403, 'REAUTHENTICATION_REQUIRED']);
    }
    const { password } = administrator;
    await administrator.browser.send('POST', '/api/user/reauthenticate', { body: { password } });
    expect((await administrator.browser.send('POST', `/api/admin/verify-user/${user.id}`)).statusCode).toBe(200);

    await minutes(21);
    expect((await administrator.browser.send('GET', '/api/admin/users-temp')).statusCode).toBe(401);
    await everkept.signIn(administrator);
  });
});
