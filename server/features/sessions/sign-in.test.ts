import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { activityReactionsOf } from '#server/features/accounts/activity.ts';
import { createPasswords } from '#server/platform/crypto/passwords.ts';
import { checkins, loginAttempts, sessions, users } from '#server/schema/accounts.tables.ts';
import { AppError } from '#shared/contract/errors.ts';
import { createBrowser, createTestApp, newPerson, signedIn, type TestApp } from '#tests/support/app.ts';
import { rawHashOf } from '#tests/support/passwords.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

const minuteMs = 60_000;

function signIn(email: string, password: string, browser = createBrowser(test.app)) {
  return browser.send('POST', '/api/login', { body: { email, password } });
}

describe('signing in', () => {
  it('returns the person and a cookie that scripts and other sites cannot use', async () => {
    const { person } = await signedIn(test);
    const answer = await signIn(person.email.toUpperCase(), person.password);

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ ok: true, user: { email: person.email, plan: 'free', emailVerified: true } });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^everkept=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^everkept-device=[\w.-]{87}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('answers nothing that the contract does not name', async () => {
    const { browser } = await signedIn(test);
    for (const path of ['/api/user', '/api/auth/user']) {
      const answer = await browser.send('GET', path);
      expect(Object.keys(answer.json()).sort()).toEqual(
        [
          'checkinIntervalDays',
          'email',
          'emailVerified',
          'firstName',
          'id',
          'inactivityDays',
          'intendedPlan',
          'isAdministrator',
          'isMailboxProven',
          'isPhoneProven',
          'isPlanOffered',
          'isTrustedContactAccount',
          'lastCheckinAt',
          'lastName',
          'phone',
          'plan',
          'profileImageUrl',
          'releaseMethod',
          'role',
          'tempPassword',
        ].sort(),
      );
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('is a sign of life, reported to its listeners, and sets the last login', async () => {
    const { person, userId } = await signedIn(test);
    const told: unknown[] = [];
    activityReactionsOf(test.opened).activity.push(async (_tx, activity) => {
      if (activity.userId === userId) told.push(activity);
    });
    test.clock.advance(minuteMs);
    const at = await test.clock.now();
    await signIn(person.email, person.password);

    const [row] = await test.database.db.select().from(users).where(eq(users.id, userId));
    expect([row?.lastLoginAt, row?.lastCheckinAt]).toEqual([at, at]);
    const heardAt = new Date(at.getTime() - minuteMs);
    expect(told).toEqual([{ userId, at, type: 'login', isStop: false, heardAt, isQuiet: expect.any(Boolean) }]);
    const rows = await test.database.db.select().from(checkins).where(eq(checkins.userId, userId));
    expect(rows.map(({ type }) => type)).toEqual(['login', 'login']);
  });

  it('keeps the cookie’s value nowhere', async () => {
    const { browser, userId } = await signedIn(test);
    const [row] = await test.database.db.select().from(sessions).where(eq(sessions.userId, userId));
    expect(browser.cookie).toMatch(/^everkept=/);
    expect(JSON.stringify(row)).not.toContain(browser.cookie?.split('=')[1]);
  });

  it('answers an unknown address as a wrong password', async () => {
    const { person } = await signedIn(test);
    const wrong = await signIn(person.email, 'not the password');
    const unknown = await signIn('nobody@people.example', 'not the password');
    expect([unknown.statusCode, unknown.body]).toEqual([wrong.statusCode, wrong.body]);
    expect(wrong.statusCode).toBe(401);
    expect(wrong.json().type).toBe('UNAUTHENTICATED');
  });

  it('works as long for an unknown address as for a known one', async () => {
    const { person } = await signedIn(test);
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let round = 0; round < 12; round += 1) {
      for (const [kind, email] of [
        ['known', person.email],
        ['unknown', `nobody${round}@people.example`],
      ] as const) {
        await test.database.db.delete(loginAttempts);
        // Time on the processor, since what else the machine does must not count.
        const start = process.cpuUsage();
        await signIn(email, 'not the password');
        const { user, system } = process.cpuUsage(start);
        times[kind].push(user + system);
      }
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[6] ?? 0;
    expect(Math.abs(median(times.known) - median(times.unknown))).toBeLessThan(median(times.known) * 0.6);
  });

  it.each(['known', 'unknown'])('slows down after five wrong passwords for an address that is %s', async (kind) => {
    const email = kind === 'known' ? (await signedIn(test)).person.email : `never${Math.random()}@people.example`;
    for (let count = 0; count < 5; count += 1) {
      expect((await signIn(email, 'not the password')).statusCode).toBe(401);
    }
    const refused = await signIn(email, 'not the password');
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().type]).toEqual([
      429,
      '1',
      'RATE_LIMITED',
    ]);

    test.clock.advance(1_000);
    expect((await signIn(email, 'not the password')).statusCode).toBe(401);
    expect((await signIn(email, 'not the password')).headers['retry-after']).toBe('2');
  });

  it('forgets the mistakes once the password was right', async () => {
    const { person } = await signedIn(test);
    for (let count = 0; count < 4; count += 1) await signIn(person.email, 'not the password');
    expect((await signIn(person.email, person.password)).statusCode).toBe(200);
    for (let count = 0; count < 4; count += 1) {
      expect((await signIn(person.email, 'not the password')).statusCode).toBe(401);
    }
  });

  it('allows at most five of many tries at the same instant', async () => {
    const { person } = await signedIn(test);
    const answers = await Promise.all(Array.from({ length: 30 }, () => signIn(person.email, 'not the password')));
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(25);
  });

  it('allows ten tries a minute from one client, for any addresses', async () => {
    const browser = createBrowser(test.app);
    const statuses = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await signIn(`one${count}@people.example`, 'not the password', browser)).statusCode);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it('counts no wrong password if too many people are signing in', async () => {
    const { person } = await signedIn(test);
    const attempts = async () => (await test.database.db.select().from(loginAttempts)).length;
    const before = await attempts();
    vi.spyOn(test.opened.passwords, 'check').mockRejectedValueOnce(new AppError('UNAVAILABLE', 'Too many wait.'));
    const refused = await signIn(person.email, person.password);
    expect(refused.statusCode).toBe(503);
    expect(await attempts()).toBe(before);
    expect((await signIn(person.email, person.password)).statusCode).toBe(200);
  });

  it('rehashes the password if the hash parameters have changed', async () => {
    const { person, userId } = await signedIn(test);
    const older = await createPasswords({ memoryKib: 8_192, passes: 1, lanes: 1 }).hash(person.password);
    await test.database.db.update(users).set({ password: older }).where(eq(users.id, userId));

    expect((await signIn(person.email, person.password)).statusCode).toBe(200);
    const [row] = await test.database.db.select().from(users).where(eq(users.id, userId));
    expect(row?.password).toMatch(/m=8,t=1,p=1/);
    expect((await signIn(person.email, person.password)).statusCode).toBe(200);
  });

  it('accepts a password in any form of its accents, and replaces a hash of the typed characters', async () => {
    const person = newPerson({ password: 'p\u00e4ssw\u00f6rd caf\u00e9 1' });
    const { userId } = await signedIn(test, { person });
    const typed = person.password.normalize('NFD');
    expect((await signIn(person.email, typed)).statusCode).toBe(200);

    await test.database.db
      .update(users)
      .set({ password: rawHashOf(typed) })
      .where(eq(users.id, userId));
    const statuses = [];
    for (const password of [person.password, typed, person.password]) {
      statuses.push((await signIn(person.email, password)).statusCode);
    }
    expect(statuses).toEqual([401, 200, 200]);
  });

  it('refuses an account without a password', async () => {
    const { person, userId } = await signedIn(test);
    await test.database.db.update(users).set({ password: null }).where(eq(users.id, userId));
    expect((await signIn(person.email, person.password)).statusCode).toBe(401);
  });

  it('checks the last byte of a long password', async () => {
    const person = newPerson({ password: `${'a long phrase '.repeat(9)}!?` });
    await signedIn(test, { person });
    expect((await signIn(person.email, `${person.password.slice(0, -1)}.`)).statusCode).toBe(401);
  });
});

describe('the administrator', () => {
  it('is who has the configured address, once they have shown that they read its mail', async () => {
    const other = await createTestApp({ environment: { ADMIN_EMAIL: 'Boss@People.example ' } });
    try {
      const person = newPerson({ email: 'boss@people.example' });
      const { browser } = await signedIn(other, { person, verified: false });
      expect((await browser.send('GET', '/api/user')).json().isAdministrator).toBe(false);
      await other.database.db.update(users).set({ emailVerified: true });
      expect((await browser.send('GET', '/api/user')).json().isAdministrator).toBe(false);
      await other.database.db.update(users).set({ mailboxProvenAt: await other.clock.now() });
      expect((await browser.send('GET', '/api/user')).json()).toMatchObject({ isAdministrator: true, role: 'admin' });

      const { browser: another } = await signedIn(other);
      await other.database.db.update(users).set({ role: 'admin' });
      expect((await another.send('GET', '/api/user')).json().isAdministrator).toBe(false);
    } finally {
      await other.close();
    }
  });
});
