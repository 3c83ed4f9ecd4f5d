import { Secret, TOTP } from 'otpauth';
import { type Browser, createBrowser, type Person, signedIn, type TestApp } from '#tests/support/app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import { createPasskey, type TestPasskey } from './passkey.test-world.ts';

export const factorsPath = '/api/user/second-factors';
const rpId = new URL(testBaseUrl).hostname;

/** The codes that an app with this secret shows. */
export function codeAt(secret: string, atMs: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({ timestamp: atMs });
}

/** Gives the password, which opens the second step. Returns the waiting browser. */
export async function beginSignIn(
  { app }: Pick<TestApp, 'app'>,
  person: Person,
  browser = createBrowser(app),
): Promise<Browser> {
  const { email, password } = person;
  const answer = await browser.send('POST', '/api/login', { body: { email, password } });
  if (answer.statusCode !== 202) throw new Error(`No second step: ${answer.statusCode} ${answer.body}`);
  return browser;
}

export type Protected = { browser: Browser; person: Person; userId: string; secret: string; recoveryCodes: string[] };

/** A signed-in owner with an authenticator app, at the time that `nowMs` returns. */
export async function withAuthenticator(test: TestApp, nowMs: () => number): Promise<Protected> {
  const someone = await signedIn(test);
  return { ...someone, ...(await setUpAuthenticator(someone.browser, nowMs())) };
}

/** Sets up an authenticator app for the browser's owner. */
export async function setUpAuthenticator(
  browser: Browser,
  nowMs: number,
): Promise<Pick<Protected, 'secret' | 'recoveryCodes'>> {
  const begun = await browser.send('POST', `${factorsPath}/authenticator`);
  const { secret } = begun.json<{ secret: string }>();
  const code = codeAt(secret, nowMs);
  const confirmed = await browser.send('POST', `${factorsPath}/authenticator/confirm`, { body: { code } });
  if (confirmed.statusCode !== 200) throw new Error(`Not confirmed: ${confirmed.body}`);
  return { secret, recoveryCodes: confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes };
}

export async function addPasskey(browser: Browser, name = 'My phone') {
  const passkey = createPasskey(rpId);
  const question = (await browser.send('POST', '/api/user/passkeys/options')).json();
  const answer = await browser.send('POST', '/api/user/passkeys', {
    body: { name, ...passkey.made(question, testBaseUrl) },
  });
  if (answer.statusCode !== 201) throw new Error(`No passkey: ${answer.statusCode} ${answer.body}`);
  return { passkey, added: answer.json<{ passkey: { id: string }; recoveryCodes: string[] | null }>() };
}

/** Asks at `askPath` and answers at `answerPath`, as a page with this passkey would. */
export async function usePasskeyAt(
  browser: Browser,
  passkey: TestPasskey,
  [askPath, answerPath]: [string, string],
  given: Parameters<TestPasskey['answer']>[2] = {},
) {
  const question = (await browser.send('POST', askPath)).json();
  const body = { factor: 'passkey', ...passkey.answer(question, testBaseUrl, given) };
  return { answer: await browser.send('POST', answerPath, { body }), body };
}

export const signInPaths: [string, string] = ['/api/login/passkey/options', '/api/login/passkey'];
export const stepPaths: [string, string] = ['/api/login/second-factor/passkey-options', '/api/login/second-factor'];
export const confirmPaths: [string, string] = [
  '/api/user/reauthenticate/passkey-options',
  '/api/user/reauthenticate/passkey',
];

const anyPasskey = createPasskey(rpId).made({ options: { challenge: 'AAAA' }, ticket: 'none' }, testBaseUrl);

/** All calls that change sign-in protection, each with a valid body. */
export const factorChanges: readonly [method: 'POST' | 'DELETE', path: string, body: object | undefined][] = [
  ['POST', `${factorsPath}/authenticator`, undefined],
  ['POST', `${factorsPath}/authenticator/confirm`, { code: '123456' }],
  ['DELETE', `${factorsPath}/authenticator`, undefined],
  ['POST', `${factorsPath}/recovery-codes`, undefined],
  ['POST', '/api/user/passkeys/options', undefined],
  ['POST', '/api/user/passkeys', { name: 'A phone', ...anyPasskey }],
  ['DELETE', '/api/user/passkeys/0198a7d2-0000-7000-8000-000000000000', undefined],
];
