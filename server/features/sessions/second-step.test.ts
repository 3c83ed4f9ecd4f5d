import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  beginSignIn,
  codeAt,
  type Protected,
  withAuthenticator,
} from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { sessions, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { signInSteps } from '#server/schema/second-factors.tables.ts';
import {
  type Browser,
  createBrowser,
  createTestApp,
  linkIn,
  type Person,
  signedIn,
  type TestApp,
} from '#tests/support/app.ts';

const stepMs = 30_000;
const minuteMs = 60_000;

let test: TestApp;
let realMs = Date.parse('2026-11-20T10:00:10Z');
beforeAll(async () => {
  test = await createTestApp({ parts: { realNowMs: () => realMs } });
});
afterAll(() => test.close());

async function owner(): Promise<Protected> {
  const made = await withAuthenticator(test, () => realMs);
  // The code that confirmed the app is used up.
  realMs += 2 * stepMs;
  return made;
}

const finish = (browser: Browser, body: object) => browser.send('POST', '/api/login/second-factor', { body });
const finishWith = (browser: Browser, secret: string, atMs = realMs) =>
  finish(browser, { factor: 'authenticator', code: codeAt(secret, atMs) });

/** Ten browsers that wait for the second factor of one person. */
async function tenWaiting(person: Person): Promise<Browser[]> {
  const browsers: Browser[] = [];
  for (let count = 0; count < 10; count += 1) browsers.push(await beginSignIn(test, person));
  return browsers;
}

async function actionsOf(userId: string): Promise<string[]> {
  const rows = await test.database.db.select().from(auditLogs).where(eq(auditLogs.userId, userId));
  return rows.map(({ action }) => action);
}

describe('a right password of an owner with an authenticator app', () => {
  it('keeps the choice of the first step in the second: no session longer than the browser’s window', async () => {
    const { person, secret } = await owner();
    const browser = createBrowser(test.app);
    const { email, password } = person;
    await browser.send('POST', '/api/login', { body: { email, password, keepSignedIn: false } });
    const answer = await finishWith(browser, secret);
    expect(answer.cookies.find(({ name }) => name === 'everkept')?.maxAge).toBeUndefined();
    test.clock.advance(31 * 60_000);
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
  });

  it('signs no one in: the answer names the second step and has no session', async () => {
    const { person, userId } = await owner();
    const before = await test.database.db.select().from(sessions).where(eq(sessions.userId, userId));
    const browser = createBrowser(test.app);
    const { email, password } = person;
    const answer = await browser.send('POST', '/api/login', { body: { email, password } });

    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      { ok: false, secondFactor: ['authenticator', 'recovery'] },
    ]);
    expect(answer.headers['set-cookie']).toMatch(
      /^everkept-step=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(browser.cookie).toBeNull();
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
    const after = await test.database.db.select().from(sessions).where(eq(sessions.userId, userId));
    expect(after).toHaveLength(before.length);
    expect((await browser.send('GET', '/api/login/second-factor')).json()).toEqual({
      secondFactor: ['authenticator', 'recovery'],
    });
  });

  it('is no sign of life until the code is right', async () => {
    const { person, userId, secret } = await owner();
    const lastCheckin = async () => {
      const [row] = await test.database.db.select().from(users).where(eq(users.id, userId));
      return row?.lastCheckinAt.getTime();
    };
    const before = await lastCheckin();
    test.clock.advance(minuteMs);
    const browser = await beginSignIn(test, person);
    expect(await lastCheckin()).toBe(before);
    expect((await finishWith(browser, secret)).statusCode).toBe(200);
    expect(await lastCheckin()).toBe((before ?? 0) + minuteMs);
  });

  it('with the code makes a session that records it, and ends the step', async () => {
    const { person, secret, userId } = await owner();
    const browser = await beginSignIn(test, person);
    const answer = await finishWith(browser, secret);
    expect(answer.json()).toMatchObject({ ok: true, user: { email: person.email } });
    expect(browser.others.has('everkept-step')).toBe(false);
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(200);
    const principal = await test.principalOf(browser);
    expect(principal.secondFactorAt).toBeInstanceOf(Date);
    expect(await test.database.db.select().from(signInSteps).where(eq(signInSteps.userId, userId))).toEqual([]);
  });

  it('is answered for a wrong password as it is for everybody', async () => {
    const { person } = await owner();
    const plain = await signedIn(test);
    const answers = [];
    for (const { email } of [person, plain.person]) {
      const browser = createBrowser(test.app);
      answers.push(await browser.send('POST', '/api/login', { body: { email, password: 'not the password' } }));
    }
    expect(answers.map(({ statusCode, body }) => [statusCode, body])[0]).toEqual([
      answers[1]?.statusCode,
      answers[1]?.body,
    ]);
    expect(answers[0]?.headers['set-cookie']).toBeUndefined();
  });
});

describe('a code', () => {
  it.each([
    ['of the step before', -1, 200],
    ['of the present step', 0, 200],
    ['of the step after', 1, 200],
    ['of two steps before', -2, 401],
    ['of two steps after', 2, 401],
  ])('%s: %s', async (_when, steps, status) => {
    const { person, secret } = await owner();
    const browser = await beginSignIn(test, person);
    expect((await finishWith(browser, secret, realMs + steps * stepMs)).statusCode).toBe(status);
  });

  it('is refused with a sentence, and the sign-in keeps waiting', async () => {
    const { person, secret, userId } = await owner();
    const browser = await beginSignIn(test, person);
    const wrong = await finish(browser, { factor: 'authenticator', code: '000 000' });
    expect([wrong.statusCode, wrong.json().issues]).toMatchObject([401, [{ path: 'code' }]]);
    expect((await finishWith(browser, secret)).statusCode).toBe(200);
    expect(await actionsOf(userId)).toContain('session.factor_refused');
  });

  it('never works twice, not even in another sign-in within its step', async () => {
    const { person, secret } = await owner();
    expect((await finishWith(await beginSignIn(test, person), secret)).statusCode).toBe(200);
    expect((await finishWith(await beginSignIn(test, person), secret)).statusCode).toBe(401);
    expect((await finishWith(await beginSignIn(test, person), secret, realMs - stepMs)).statusCode).toBe(401);
  });

  it('used fifty times at the same instant opens one session', async () => {
    const { person, secret } = await owner();
    const browsers = await tenWaiting(person);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => finishWith(browsers[index % 10] ?? createBrowser(test.app), secret)),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.every(({ statusCode }) => [200, 401, 429].includes(statusCode))).toBe(true);
  });

  it('can be guessed five times, then waits longer and longer, also after a restart of the sign-in', async () => {
    const { person, secret } = await owner();
    const wrong = { factor: 'authenticator', code: '000000' };
    for (let count = 0; count < 5; count += 1) {
      expect((await finish(await beginSignIn(test, person), wrong)).statusCode).toBe(401);
    }
    const refused = await finishWith(await beginSignIn(test, person), secret);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    test.clock.advance(1_000);
    expect((await finishWith(await beginSignIn(test, person), secret)).statusCode).toBe(200);
  });

  it.each(['12345', 'abcdef', '', '1234567'])('in a wrong form, “%s”, is refused before any check', async (code) => {
    const answer = await finish(createBrowser(test.app), { factor: 'authenticator', code });
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
  });
});

describe('a sign-in that waits', () => {
  it('expires after ten minutes, and then asks to start again', async () => {
    const { person, secret } = await owner();
    const browser = await beginSignIn(test, person);
    test.clock.advance(10 * minuteMs);
    const late = await finishWith(browser, secret);
    expect([late.statusCode, late.json().issues]).toEqual([401, undefined]);
    expect((await browser.send('GET', '/api/login/second-factor')).json()).toEqual({ secondFactor: [] });
  });

  it('belongs to one browser: without its cookie nothing can be ended', async () => {
    const { person, secret } = await owner();
    await beginSignIn(test, person);
    expect((await finishWith(createBrowser(test.app), secret)).statusCode).toBe(401);
    expect((await createBrowser(test.app).send('POST', '/api/login/second-factor/passkey-options')).statusCode).toBe(
      401,
    );
  });

  it('dies with the password it began with', async () => {
    const { person, secret, browser } = await owner();
    const waiting = await beginSignIn(test, person);
    const password = 'a bag of eleven limes';
    await browser.send('PUT', '/api/user/password', {
      body: { currentPassword: person.password, password, confirmPassword: password },
    });
    expect((await finishWith(waiting, secret)).statusCode).toBe(401);
  });

  it('also follows a new password by mail: the link does not replace the second factor', async () => {
    const { person, secret } = await owner();
    const reset = createBrowser(test.app);
    await reset.send('POST', '/api/reset-password', { body: { email: person.email } });
    const token = linkIn(test.mails, person.email, '/reset-password/').split('/').at(-1);
    const password = 'a bag of eleven limes';
    const done = await reset.send('POST', '/api/reset-password/complete', {
      body: { token, password, confirmPassword: password },
    });
    expect([done.statusCode, reset.cookie]).toEqual([200, null]);
    const browser = await beginSignIn(test, { ...person, password });
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await finishWith(browser, secret)).statusCode).toBe(200);
  });
});

describe('a recovery code', () => {
  it('works once, in any spelling, and a mail reports the number of unused codes', async () => {
    const { person, recoveryCodes, userId } = await owner();
    const [code = ''] = recoveryCodes;
    const typed = code.toLowerCase().replaceAll('-', ' ');
    expect((await finish(await beginSignIn(test, person), { factor: 'recovery', code: typed })).statusCode).toBe(200);
    const mail = test.mails.findLast(({ to }) => to.address === person.email)?.mail;
    expect(mail?.subject).toBe('A recovery code was used to sign in');
    expect(mail?.text.replace(/\s+/g, ' ')).toContain('9 codes are left.');
    expect(JSON.stringify(mail)).not.toContain(code);
    expect(await actionsOf(userId)).toContain('factor.code_used');

    expect((await finish(await beginSignIn(test, person), { factor: 'recovery', code })).statusCode).toBe(401);
  });

  it('used fifty times at the same instant opens one session', async () => {
    const { person, recoveryCodes } = await owner();
    const browsers = await tenWaiting(person);
    const body = { factor: 'recovery', code: recoveryCodes[0] };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => finish(browsers[index % 10] ?? createBrowser(test.app), body)),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  });

  it('from another account is rejected', async () => {
    const [one, other] = [await owner(), await owner()];
    const body = { factor: 'recovery', code: other.recoveryCodes[0] };
    expect((await finish(await beginSignIn(test, one.person), body)).statusCode).toBe(401);
  });
});
