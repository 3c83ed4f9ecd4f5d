import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessions } from '#server/schema/accounts.tables.ts';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import { keptSessionIdleMs, sessionAbsoluteMs, sessionIdleMs } from './sessions.limits.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

const dayMs = 86_400_000;

function signIn(email: string, password: string, browser = createBrowser(test.app)) {
  return browser.send('POST', '/api/login', { body: { email, password } });
}

describe('a session', () => {
  it('is not the one the browser came with, which ends', async () => {
    const { browser: victim, person } = await signedIn(test);
    const fixed = victim.cookie;
    await victim.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
    expect(victim.cookie).not.toBe(fixed);

    const attacker = createBrowser(test.app);
    attacker.cookie = fixed;
    expect((await attacker.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await victim.send('GET', '/api/user')).statusCode).toBe(200);
  });

  it('does not take a value that a stranger chose', async () => {
    const { person } = await signedIn(test);
    const browser = createBrowser(test.app);
    const planted = `everkept=${'A'.repeat(43)}`;
    browser.cookie = planted;
    await browser.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
    expect(browser.cookie).not.toBe(planted);
  });

  it.each(['', 'x', `${'a'.repeat(44)}`, '%00', 'a b', '../../etc'])(
    'is not found for a cookie of another shape (%s)',
    async (value) => {
      const browser = createBrowser(test.app);
      browser.cookie = `everkept=${value}`;
      expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
    },
  );

  it('ends permanently at the sign-out, and clears the cookie', async () => {
    const { browser } = await signedIn(test);
    const stolen = browser.cookie;
    const answer = await browser.send('POST', '/api/logout');
    expect(answer.json()).toEqual({ ok: true });
    expect(String(answer.headers['set-cookie'])).toMatch(/^everkept=; .*Expires=Thu, 01 Jan 1970/);
    expect(answer.headers['clear-site-data']).toBe('"cache"');
    browser.cookie = stolen;
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await browser.send('POST', '/api/logout')).statusCode).toBe(200);
  });

  it('falls idle while pages only read, and stays alive after an action', async () => {
    const reader = await signedIn(test);
    const writer = await signedIn(test);
    for (let days = 0; days < 14; days += 7) {
      test.clock.advance(7 * dayMs - 1);
      await reader.browser.send('GET', '/api/user');
      expect((await writer.browser.send('PUT', '/api/user-profile', { body: {} })).statusCode).toBe(200);
    }
    test.clock.advance(2);
    expect(keptSessionIdleMs).toBe(14 * dayMs);
    expect((await reader.browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await writer.browser.send('GET', '/api/user')).statusCode).toBe(200);
  });

  /** A person who did not choose to stay signed in. */
  async function passingBy() {
    const { person } = await signedIn(test);
    const browser = createBrowser(test.app);
    const body = { email: person.email, password: person.password, keepSignedIn: false };
    const answer = await browser.send('POST', '/api/login', { body });
    return { browser, cookie: String([answer.headers['set-cookie']].flat()[0]), person };
  }
  const minuteMs = 60_000;

  it('without the choice to stay signed in falls idle after thirty minutes, whatever a page polls', async () => {
    expect(sessionIdleMs).toBe(30 * minuteMs);
    const [reader, writer] = [await passingBy(), await passingBy()];
    const polled = ['/api/user', '/api/auth/user', '/api/user-profile', '/api/user/sessions'];
    for (let minutes = 0; minutes < 30; minutes += 10) {
      test.clock.advance(10 * minuteMs - 1);
      for (const path of polled) await reader.browser.send('GET', path);
      expect((await writer.browser.send('PUT', '/api/user-profile', { body: {} })).statusCode).toBe(200);
    }
    test.clock.advance(minuteMs);
    expect((await reader.browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await writer.browser.send('GET', '/api/user')).statusCode).toBe(200);
  });

  it('goes with the browser’s window unless its holder chose to stay signed in, also under another token', async () => {
    const { cookie, browser, person } = await passingBy();
    expect(cookie).not.toMatch(/Max-Age|Expires/i);
    const { password } = person;
    const renewed = await browser.send('POST', '/api/user/reauthenticate', { body: { password } });
    expect(String(renewed.headers['set-cookie'])).not.toMatch(/everkept=[^;]+;[^,]*Max-Age/i);

    const kept = createBrowser(test.app);
    const answer = await signIn(person.email, password, kept);
    expect(String(answer.headers['set-cookie'])).toMatch(/everkept=[^;]+; Max-Age=2592000/);
    const again = await kept.send('POST', '/api/user/reauthenticate', { body: { password } });
    expect(String(again.headers['set-cookie'])).toMatch(/everkept=[^;]+; Max-Age=2592000/);
  });

  it('ends thirty days after the sign-in, even while in use', async () => {
    const { browser } = await signedIn(test);
    expect(sessionAbsoluteMs).toBe(30 * dayMs);
    for (let days = 0; days < 29; days += 1) {
      test.clock.advance(dayMs);
      expect((await browser.send('PUT', '/api/user-profile', { body: {} })).statusCode).toBe(200);
    }
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(200);
    test.clock.advance(dayMs);
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
  });

  it('reading is no sign of life', async () => {
    const { browser } = await signedIn(test);
    const before = (await browser.send('GET', '/api/user')).json().lastCheckinAt;
    test.clock.advance(dayMs);
    for (const path of ['/api/user', '/api/auth/user', '/api/user-profile', '/api/user/sessions']) {
      await browser.send('GET', path);
    }
    expect((await browser.send('GET', '/api/user')).json().lastCheckinAt).toBe(before);
  });
});

describe('the list of devices', () => {
  it('shows one’s own, the current one marked, and ends one', async () => {
    const { browser: laptop, person } = await signedIn(test);
    const phone = createBrowser(test.app, { 'user-agent': 'A phone' });
    await signIn(person.email, person.password, phone);

    const list = (await laptop.send('GET', '/api/user/sessions')).json();
    expect(list).toHaveLength(2);
    const other = list.find((one: { isCurrent: boolean }) => !one.isCurrent);
    expect(other).toMatchObject({ userAgent: 'A phone', ipAddress: expect.stringMatching(/^198\.51\./) });
    expect(JSON.stringify(list)).not.toContain(phone.cookie?.split('=')[1]);

    expect((await laptop.send('DELETE', `/api/user/sessions/${other.id}`)).statusCode).toBe(204);
    expect((await phone.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await laptop.send('DELETE', `/api/user/sessions/${other.id}`)).statusCode).toBe(404);
  });

  it('ends all others in one call', async () => {
    const { browser: laptop, person } = await signedIn(test);
    const phone = createBrowser(test.app);
    await signIn(person.email, person.password, phone);
    expect((await laptop.send('DELETE', '/api/user/sessions')).statusCode).toBe(204);
    expect((await phone.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await laptop.send('GET', '/api/user')).statusCode).toBe(200);
  });

  it('answers another owner’s session as missing, and keeps it', async () => {
    const mine = await signedIn(test);
    const theirs = await signedIn(test);
    const [row] = await test.database.db.select().from(sessions).where(eq(sessions.userId, theirs.userId));
    const foreign = await mine.browser.send('DELETE', `/api/user/sessions/${row?.publicId}`);
    const missing = await mine.browser.send('DELETE', '/api/user/sessions/00000000-0000-4000-8000-000000000000');
    const mangled = await mine.browser.send('DELETE', '/api/user/sessions/7');
    expect(foreign.statusCode).toBe(404);
    expect(new Set([foreign.body, missing.body, mangled.body]).size).toBe(1);
    expect((await theirs.browser.send('GET', '/api/user')).statusCode).toBe(200);
  });
});
