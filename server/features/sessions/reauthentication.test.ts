import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessions, users } from '#server/schema/accounts.tables.ts';
import { createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import { requireFreshSignIn } from './fresh-sign-in.ts';
import { findPrincipal } from './principal.ts';
import { confirmPassword } from './reauthentication.ts';

const minuteMs = 60_000;
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

const give = (browser: Awaited<ReturnType<typeof signedIn>>['browser'], password: string) =>
  browser.send('POST', '/api/user/reauthenticate', { body: { password } });

async function principalOf(cookie: string | null) {
  const principal = await findPrincipal(test.opened, cookie?.split('=')[1] ?? '');
  if (!principal) throw new Error('Nobody is signed in.');
  return principal;
}

describe('the password, given once more', () => {
  it('makes a sign-in fresh again, and gives the session another cookie', async () => {
    const { browser, person, userId } = await signedIn(test);
    const first = browser.cookie;
    test.clock.advance(10 * minuteMs);
    await expect(requireFreshSignIn(test.opened, await principalOf(first))).rejects.toMatchObject({
      type: 'REAUTHENTICATION_REQUIRED',
      status: 403,
    });

    expect((await give(browser, person.password)).json()).toEqual({ ok: true });
    expect(browser.cookie).not.toBe(first);
    await requireFreshSignIn(test.opened, await principalOf(browser.cookie));
    await expect(principalOf(first)).rejects.toThrow('Nobody');
    expect(await test.database.db.select().from(sessions).where(eq(sessions.userId, userId))).toHaveLength(1);
  });

  it('keeps a sign-in fresh for ten minutes, not a moment longer', async () => {
    const { browser } = await signedIn(test);
    test.clock.advance(10 * minuteMs - 1);
    await requireFreshSignIn(test.opened, await principalOf(browser.cookie));
    test.clock.advance(1);
    await expect(requireFreshSignIn(test.opened, await principalOf(browser.cookie))).rejects.toThrow('password');
  });

  it('is a sign of life, and a wrong one is not', async () => {
    const { browser, person, userId } = await signedIn(test);
    const lastCheckin = async () => {
      const [row] = await test.database.db.select().from(users).where(eq(users.id, userId));
      return row?.lastCheckinAt.getTime() ?? 0;
    };
    const before = await lastCheckin();
    test.clock.advance(20 * minuteMs);
    const wrong = await give(browser, 'not the right one');
    expect([wrong.statusCode, wrong.json()]).toMatchObject([400, { issues: [{ path: 'password' }] }]);
    expect(await lastCheckin()).toBe(before);
    await give(browser, person.password);
    expect(await lastCheckin()).toBe(before + 20 * minuteMs);
  });

  it('allows ten guesses an hour', async () => {
    const { browser, userId } = await signedIn(test);
    const { sessionId } = await principalOf(browser.cookie);
    const actor = { userId, sessionId, origin: { ipAddress: null, userAgent: null } };
    const refusals = [];
    for (let tries = 0; tries < 11; tries += 1) {
      refusals.push(
        await confirmPassword(test.opened, actor, { password: `guess ${tries}` }).catch((error) => error.type),
      );
    }
    expect(refusals).toEqual([...Array(10).fill('VALIDATION'), 'RATE_LIMITED']);
  });

  it('is refused with the reason for an account without a password', async () => {
    const { browser, userId } = await signedIn(test);
    await test.database.db.update(users).set({ password: null }).where(eq(users.id, userId));
    expect((await give(browser, '')).statusCode).toBe(400);
    expect((await give(browser, 'anything')).json()).toMatchObject({ message: expect.stringContaining('no password') });
  });
});
