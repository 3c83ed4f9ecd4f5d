import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { checkins, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';

const saved: unknown[] = [];
let test: TestApp;

beforeAll(async () => {
  test = await createTestApp({
    saveReleaseSettings: async (actor, settings) => {
      saved.push([actor.userId, settings]);
      await test.database.db.update(users).set(settings).where(eq(users.id, actor.userId));
    },
  });
});
afterAll(() => test.close());

const profile = { phone: '07700 900123', releaseMethod: 'inactivity', inactivityDays: 180 };
const saved180 = { ...profile, isPhoneProven: false, phoneTrouble: null, hasChosenSettings: true };

describe('the profile of the setup wizard', () => {
  it('starts without a phone and with ninety days', async () => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('GET', '/api/user-profile');
    expect(answer.json()).toEqual({
      phone: null,
      isPhoneProven: false,
      phoneTrouble: null,
      releaseMethod: 'inactivity',
      inactivityDays: 90,
      hasChosenSettings: false,
    });
  });

  it("distinguishes saved settings from an account's defaults, even if they are equal", async () => {
    const { browser, userId } = await signedIn(test);
    const started = { phone: null, releaseMethod: 'inactivity', inactivityDays: 90 };
    for (let press = 0; press < 2; press += 1) {
      const answer = await browser.send('PUT', '/api/user-profile', { body: started });
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        { ...started, isPhoneProven: false, phoneTrouble: null, hasChosenSettings: true },
      ]);
    }
    expect((await browser.send('GET', '/api/user-profile')).json().hasChosenSettings).toBe(true);
    const written = await test.database.db.select().from(auditLogs).where(eq(auditLogs.userId, userId));
    expect(written.filter(({ action }) => action === 'account.safety_settings')).toHaveLength(1);

    const other = await signedIn(test);
    expect((await other.browser.send('GET', '/api/user-profile')).json().hasChosenSettings).toBe(false);
  });

  it('hands the release settings on and keeps the phone; it is a sign of life', async () => {
    const { browser, userId } = await signedIn(test);
    test.clock.advance(60_000);
    const answer = await browser.send('PUT', '/api/user-profile', { body: profile });
    expect([answer.statusCode, answer.json()]).toEqual([200, saved180]);
    expect(saved.at(-1)).toEqual([userId, { releaseMethod: 'inactivity', inactivityDays: 180 }]);
    expect((await browser.send('GET', '/api/user-profile')).json()).toEqual(saved180);
    const owner = await findOwner(test.database.db, userId);
    expect(owner?.lastCheckinAt).toEqual(await test.clock.now());
  });

  it('leaves fields that were not sent, and does not affect the release when nothing changed', async () => {
    const { browser } = await signedIn(test);
    await browser.send('PUT', '/api/user-profile', { body: profile });
    const before = saved.length;
    const answer = await browser.send('PUT', '/api/user-profile', { body: { phone: '+44 7700 900124' } });
    expect(answer.json()).toEqual({ ...saved180, phone: '+44 7700 900124' });
    expect(saved).toHaveLength(before);
  });

  it('can be saved once before the address is verified, and again only as it is', async () => {
    const { browser } = await signedIn(test, { verified: false });
    expect((await browser.send('PUT', '/api/user-profile', { body: profile })).statusCode).toBe(200);
    expect((await browser.send('PUT', '/api/user-profile', { body: profile })).statusCode).toBe(200);
    const changed = await browser.send('PUT', '/api/user-profile', { body: { ...profile, inactivityDays: 365 } });
    expect([changed.statusCode, changed.json().type]).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    expect((await browser.send('GET', '/api/user-profile')).json()).toEqual(saved180);
  });

  it.each([
    { phone: 'call me' },
    { phone: '07700 900123\r\n07700 900124' },
    { phone: '020 7946 0018' },
    { ...profile, inactivityDays: 89 },
    { ...profile, inactivityDays: 366 },
    { ...profile, inactivityDays: 90.5 },
    { ...profile, inactivityDays: '180' },
    { ...profile, releaseMethod: 'never' },
    { phone: 12 },
    [],
    null,
    'text',
  ])('refuses %j', async (body) => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('PUT', '/api/user-profile', { body: JSON.stringify(body) });
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
  });

  it('ignores all other fields of the body', async () => {
    const { browser, userId } = await signedIn(test);
    await browser.send('PUT', '/api/user-profile', {
      body: {
        ...profile,
        plan: 'lifetime',
        role: 'admin',
        emailVerified: false,
        lastCheckinAt: '2000-01-01T00:00:00Z',
      },
    });
    const owner = await findOwner(test.database.db, userId);
    expect(owner).toMatchObject({ plan: 'free', role: 'user', emailVerified: true });
  });
});

describe('the plan that was chosen at registration', () => {
  it('is offered once: every browser of the account learns that it was', async () => {
    const { browser, person } = await signedIn(test);
    const isOffered = async (from = browser) => (await from.send('GET', '/api/user')).json().isPlanOffered;
    expect(await isOffered()).toBe(false);
    for (let count = 0; count < 2; count += 1) {
      expect((await browser.send('POST', '/api/user/plan-offered')).json()).toEqual({ ok: true });
    }
    const another = createBrowser(test.app);
    await another.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
    expect(await isOffered(another)).toBe(true);
  });
});

describe('signs of life', () => {
  it('are written for a change at most once an hour, but always move the last one', async () => {
    const { userId } = await signedIn(test);
    const { db } = test.database;
    const start = await test.clock.now();
    for (const minutes of [1, 30, 59, 62]) {
      const at = new Date(start.getTime() + minutes * 60_000);
      await db.transaction((tx) => recordActivity(test.opened, tx, { userId, type: 'change', at }));
      expect((await findOwner(db, userId))?.lastCheckinAt).toEqual(at);
    }
    const rows = await db.select({ type: checkins.type }).from(checkins).where(eq(checkins.userId, userId));
    expect(rows.map(({ type }) => type).sort()).toEqual(['change', 'change', 'login']);
  });

  it('never move the last one back', async () => {
    const { userId } = await signedIn(test);
    const { db } = test.database;
    const now = await test.clock.now();
    const earlier = new Date(now.getTime() - 60_000);
    await db.transaction((tx) => recordActivity(test.opened, tx, { userId, type: 'manual', at: earlier }));
    expect((await findOwner(db, userId))?.lastCheckinAt).toEqual(now);
  });
});

describe('an owner’s vault', () => {
  it('opens for background work, and is the same for the signed-in owner', async () => {
    const { userId, browser } = await signedIn(test);
    const { db } = test.database;
    const context = { table: 'messages', column: 'title', rowId: userId };
    const sealed = (await openVault(test.opened, db, userId)).seal(context, 'For Nell');
    const principal = await test.principalOf(browser);
    expect(principal).toMatchObject({ userId, emailVerified: true, plan: 'free' });
    expect((await openVault(test.opened, db, userId)).unseal(context, sealed)).toBe('For Nell');
  });

  it('is not found for an unknown owner', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    await expect(openVault(test.opened, test.database.db, nobody)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await expect(findOwner(test.database.db, nobody)).resolves.toBeNull();
  });
});
