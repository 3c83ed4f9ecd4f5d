import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markClosing } from '#server/features/registration/closing.ts';
import { sessions } from '#server/schema/accounts.tables.ts';
import { type Browser, createBrowser, createTestApp, type Person, signedIn, type TestApp } from '#tests/support/app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import { createPasskey } from './passkey.test-world.ts';
import {
  addPasskey,
  beginSignIn,
  codeAt,
  confirmPaths,
  factorChanges,
  factorsPath,
  type Protected,
  setUpAuthenticator,
  usePasskeyAt,
  withAuthenticator,
} from './second-factors.test-world.ts';
import { removeAuthenticator } from './second-factors.ts';

const codeMs = 60_000;

let test: TestApp;
let realMs = Date.parse('2026-11-20T10:00:10Z');
beforeAll(async () => {
  test = await createTestApp({ parts: { realNowMs: () => realMs } });
});
afterAll(() => test.close());

const owner = () => withAuthenticator(test, () => realMs);
/** A code that was not used yet. */
const nextCode = (secret: string) => {
  realMs += codeMs;
  return codeAt(secret, realMs);
};
const statusOf = async (browser: Browser) => (await browser.send('GET', '/api/user')).statusCode;
const reauthenticate = (browser: Browser, body: object) => browser.send('POST', '/api/user/reauthenticate', { body });
const factorsOf = async (browser: Browser) => (await browser.send('GET', factorsPath)).json();

/** A thief's session with a leaked password. */
async function thiefOf({ email, password }: Person): Promise<Browser> {
  const browser = createBrowser(test.app);
  const answer = await browser.send('POST', '/api/login', { body: { email, password } });
  if (answer.statusCode !== 200) throw new Error(`The thief was answered ${answer.statusCode}.`);
  return browser;
}

/** Makes all sessions of an owner such as were there before a second factor, when nothing ended them yet. */
const forgetSecondStep = (userId: string) =>
  test.database.db.update(sessions).set({ secondFactorAt: null }).where(eq(sessions.userId, userId));

describe('the first second factor', () => {
  it.each([
    ['an authenticator app', (browser: Browser) => setUpAuthenticator(browser, realMs)],
    ['a passkey', (browser: Browser) => addPasskey(browser)],
  ])('%s ends every other session, also of an intruder who had the password alone', async (_name, turnOn) => {
    const { browser, person } = await signedIn(test);
    const thief = await thiefOf(person);
    expect(await statusOf(thief)).toBe(200);
    await turnOn(browser);
    expect([await statusOf(thief), await statusOf(browser)]).toEqual([401, 200]);
  });

  it('keeps sessions that passed it when another factor is added', async () => {
    const { browser, person, secret } = await owner();
    const phone = await beginSignIn(test, person);
    const body = { factor: 'authenticator', code: nextCode(secret) };
    expect((await phone.send('POST', '/api/login/second-factor', { body })).statusCode).toBe(200);
    await addPasskey(browser);
    expect(await statusOf(phone)).toBe(200);
  });

  it('comes before an act that a session was about to do when it ended', async () => {
    const { browser, person } = await signedIn(test);
    const thief = await thiefOf(person);
    const principal = await test.principalOf(thief);
    await setUpAuthenticator(browser, realMs);
    const call = { principal, origin: { ipAddress: null, userAgent: null } };
    await expect(removeAuthenticator(test.opened, call)).rejects.toMatchObject({
      type: 'UNAUTHENTICATED',
    });
    expect((await factorsOf(browser)).authenticator).not.toBeNull();
  });
});

describe('a session that never passed the second factor', () => {
  it('changes no factor, even with a fresh password', async () => {
    const { browser, person, userId } = await owner();
    await forgetSecondStep(userId);
    expect((await reauthenticate(browser, { password: person.password })).statusCode).toBe(200);
    for (const [method, path, body] of factorChanges) {
      const refused = await browser.send(method, path, body && { body });
      expect([path, refused.statusCode, refused.json()]).toMatchObject([
        path,
        403,
        { type: 'REAUTHENTICATION_REQUIRED', issues: [{ path: 'code' }] },
      ]);
    }
    expect(await factorsOf(browser)).toMatchObject({ authenticator: {}, passkeys: [], recoveryCodes: { left: 10 } });
    const principal = await test.principalOf(browser);
    expect(principal.secondFactorAt).toBeNull();
  });

  it('makes no new password of the one that leaked, until it passes one', async () => {
    const { browser, person, userId, secret } = await owner();
    await forgetSecondStep(userId);
    const password = 'a bag of eleven limes';
    const change = () =>
      browser.send('PUT', '/api/user/password', {
        body: { currentPassword: person.password, password, confirmPassword: password },
      });
    const refused = await change();
    const wanted = { type: 'REAUTHENTICATION_REQUIRED', issues: [{ path: 'code' }] };
    expect([refused.statusCode, refused.json()]).toMatchObject([403, wanted]);
    const proof = { password: person.password, code: nextCode(secret) };
    expect((await reauthenticate(browser, proof)).statusCode).toBe(200);
    expect((await change()).statusCode).toBe(200);
  });

  it('passes it in place with the password and a code, and an answer that was refused still counts then', async () => {
    const { browser, person, userId, secret } = await owner();
    const question = (await browser.send('POST', '/api/user/passkeys/options')).json();
    const made = createPasskey('localhost').made(question, testBaseUrl);
    const add = () => browser.send('POST', '/api/user/passkeys', { body: { name: 'A phone', ...made } });
    await forgetSecondStep(userId);
    expect((await add()).statusCode).toBe(403);
    const proof = { password: person.password, code: nextCode(secret) };
    expect((await reauthenticate(browser, proof)).statusCode).toBe(200);
    expect((await add()).statusCode).toBe(201);
    expect((await browser.send('DELETE', `${factorsPath}/authenticator`)).statusCode).toBe(204);
  });

  it('passes it with a passkey, if there is no other factor', async () => {
    const { browser, person, userId } = await signedIn(test);
    const { passkey, added } = await addPasskey(browser);
    const path = `/api/user/passkeys/${added.passkey.id}`;
    await forgetSecondStep(userId);
    await reauthenticate(browser, { password: person.password });
    expect((await browser.send('DELETE', path)).statusCode).toBe(403);
    expect((await usePasskeyAt(browser, passkey, confirmPaths)).answer.statusCode).toBe(200);
    expect((await browser.send('DELETE', path)).statusCode).toBe(204);
  });
});

describe('a session that passed the second factor at its sign-in', () => {
  it.each([['authenticator'], ['recovery']] as const)('with %s changes them', async (factor) => {
    const { person, secret, recoveryCodes } = await owner();
    const browser = await beginSignIn(test, person);
    const code = factor === 'recovery' ? recoveryCodes[0] : nextCode(secret);
    const answer = await browser.send('POST', '/api/login/second-factor', { body: { factor, code } });
    expect(answer.statusCode).toBe(200);
    expect((await browser.send('DELETE', `${factorsPath}/authenticator`)).statusCode).toBe(204);
  });
});

describe('a sign-in that waits for its second step', () => {
  it.each([
    ['signs all other devices out', ({ browser }: Protected) => browser.send('DELETE', '/api/user/sessions')],
    [
      'asks for the account to be deleted',
      ({ userId }: Protected) =>
        test.database.db.transaction((tx) => markClosing(tx, userId, { at: new Date(), healthyMs: 0 })),
    ],
  ])('ends when its owner %s', async (_act, act) => {
    const someone = await owner();
    const thief = await beginSignIn(test, someone.person);
    await act(someone);
    const body = { factor: 'authenticator', code: nextCode(someone.secret) };
    expect((await thief.send('POST', '/api/login/second-factor', { body })).statusCode).toBe(401);
  });
});
