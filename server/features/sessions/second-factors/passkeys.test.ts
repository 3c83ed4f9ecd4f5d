import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import { createPasskey } from './passkey.test-world.ts';
import {
  addPasskey,
  beginSignIn,
  confirmPaths,
  signInPaths,
  stepPaths,
  usePasskeyAt,
} from './second-factors.test-world.ts';

const minuteMs = 60_000;

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

async function owner() {
  const someone = await signedIn(test);
  return { ...someone, ...(await addPasskey(someone.browser)) };
}

const anywhere = () => createBrowser(test.app);

describe('a passkey alone', () => {
  it('signs in, with a second factor', async () => {
    const { passkey, person } = await owner();
    const browser = anywhere();
    const { answer } = await usePasskeyAt(browser, passkey, signInPaths);
    expect([answer.statusCode, answer.json().user.email]).toEqual([200, person.email]);
    const principal = await test.principalOf(browser);
    expect(principal.secondFactorAt).toBeInstanceOf(Date);
  });

  it('is requested without revealing its owner', async () => {
    const { options } = (await anywhere().send('POST', signInPaths[0])).json();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
  });

  it('must have been opened by its holder', async () => {
    const { passkey } = await owner();
    const { answer } = await usePasskeyAt(anywhere(), passkey, signInPaths, { isVerified: false });
    expect(answer.statusCode).toBe(401);
  });

  it('names its owner, and is refused if the name is wrong', async () => {
    const { passkey, userId } = await owner();
    const handleOf = (id: string) => Buffer.from(id).toString('base64url');
    const other = await signedIn(test);
    const wrong = await usePasskeyAt(anywhere(), passkey, signInPaths, { userHandle: handleOf(other.userId) });
    expect(wrong.answer.statusCode).toBe(401);
    const right = await usePasskeyAt(anywhere(), passkey, signInPaths, { userHandle: handleOf(userId) });
    expect(right.answer.statusCode).toBe(200);
  });

  it('that was removed, or never added, is answered alike', async () => {
    const { passkey, browser, added } = await owner();
    await browser.send('DELETE', `/api/user/passkeys/${added.passkey.id}`);
    const removed = await usePasskeyAt(anywhere(), passkey, signInPaths);
    const unknown = await usePasskeyAt(anywhere(), createPasskey('localhost'), signInPaths);
    expect([removed.answer.statusCode, removed.answer.body]).toEqual([401, unknown.answer.body]);
  });
});

describe('an answer to a challenge', () => {
  it('counts once: a repeat is refused, and fifty in parallel open one session', async () => {
    const { passkey } = await owner();
    const question = (await anywhere().send('POST', signInPaths[0])).json();
    const body = passkey.answer(question, testBaseUrl);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => anywhere().send('POST', signInPaths[1], { body })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(49);
  });

  it('is too late after five minutes', async () => {
    const { passkey } = await owner();
    const browser = anywhere();
    const question = (await browser.send('POST', signInPaths[0])).json();
    test.clock.advance(5 * minuteMs);
    const body = passkey.answer(question, testBaseUrl);
    expect((await browser.send('POST', signInPaths[1], { body })).statusCode).toBe(401);
  });

  it.each([
    ['another origin', (_: string) => 'https://everkept.example.evil'],
    ['another port', (_: string) => 'http://localhost:4000'],
  ])('from %s is refused', async (_where, originOf) => {
    const { passkey } = await owner();
    const browser = anywhere();
    const question = (await browser.send('POST', signInPaths[0])).json();
    const body = passkey.answer(question, originOf(testBaseUrl));
    expect((await browser.send('POST', signInPaths[1], { body })).statusCode).toBe(401);
  });

  it('to a question with another purpose is refused', async () => {
    const { passkey, browser, person } = await owner();
    const waiting = await beginSignIn(test, person);
    const asked = (await browser.send('POST', confirmPaths[0])).json();
    const body = { factor: 'passkey', ...passkey.answer(asked, testBaseUrl) };
    expect((await waiting.send('POST', stepPaths[1], { body })).statusCode).toBe(401);
    expect((await anywhere().send('POST', signInPaths[1], { body })).statusCode).toBe(401);
  });

  it('with a ticket that was changed, or a signature that was, is refused', async () => {
    const { passkey } = await owner();
    const browser = anywhere();
    for (const spoil of ['ticket', 'signature'] as const) {
      const question = (await browser.send('POST', signInPaths[0])).json();
      const body = passkey.answer(question, testBaseUrl) as {
        ticket: string;
        response: { response: { signature: string } };
      };
      if (spoil === 'ticket') body.ticket = `${body.ticket.slice(0, -4)}AAAA`;
      else body.response.response.signature = `${body.response.response.signature.slice(0, -4)}AAAA`;
      expect((await browser.send('POST', signInPaths[1], { body })).statusCode).toBe(401);
    }
  });

  it('by a key that has counted further elsewhere is refused: it was copied', async () => {
    const { passkey } = await owner();
    expect((await usePasskeyAt(anywhere(), passkey, signInPaths, { counter: 7 })).answer.statusCode).toBe(200);
    expect((await usePasskeyAt(anywhere(), passkey, signInPaths, { counter: 7 })).answer.statusCode).toBe(401);
    expect((await usePasskeyAt(anywhere(), passkey, signInPaths, { counter: 8 })).answer.statusCode).toBe(200);
  });
});

describe('a passkey as second factor', () => {
  it('is offered after the password, and completes the sign-in, even by a mere touch', async () => {
    const { passkey, person } = await owner();
    const browser = await beginSignIn(test, person);
    expect((await browser.send('GET', '/api/login/second-factor')).json().secondFactor).toEqual([
      'passkey',
      'recovery',
    ]);
    const { options } = (await browser.send('POST', stepPaths[0])).json();
    expect(options.allowCredentials).toMatchObject([{ id: passkey.id }]);
    const { answer } = await usePasskeyAt(browser, passkey, stepPaths, { isVerified: false });
    expect(answer.statusCode).toBe(200);
  });

  it('from another account ends no sign-in', async () => {
    const [one, other] = [await owner(), await owner()];
    const browser = await beginSignIn(test, one.person);
    expect((await usePasskeyAt(browser, other.passkey, stepPaths)).answer.statusCode).toBe(401);
  });
});

describe('a passkey before what can’t be undone', () => {
  it('makes the sign-in fresh, even without a password, and gives the session another cookie', async () => {
    const { passkey, browser, userId } = await owner();
    await test.database.db.update(users).set({ password: null }).where(eq(users.id, userId));
    test.clock.advance(20 * minuteMs);
    const first = browser.cookie;
    expect((await browser.send('POST', '/api/user/passkeys/options')).statusCode).toBe(403);
    expect((await usePasskeyAt(browser, passkey, confirmPaths)).answer.json()).toEqual({ ok: true });
    expect(browser.cookie).not.toBe(first);
    expect((await browser.send('POST', '/api/user/passkeys/options')).statusCode).toBe(200);
  });

  it('from another account proves nothing', async () => {
    const [one, other] = [await owner(), await owner()];
    expect((await usePasskeyAt(one.browser, other.passkey, confirmPaths)).answer.statusCode).toBe(401);
  });
});

describe('a passkey that is made', () => {
  it('answers the question its owner was asked, once', async () => {
    const { browser } = await signedIn(test);
    const { browser: other } = await signedIn(test);
    const passkey = createPasskey('localhost');
    const question = (await browser.send('POST', '/api/user/passkeys/options')).json();
    const body = { name: 'My phone', ...passkey.made(question, testBaseUrl) };
    expect((await other.send('POST', '/api/user/passkeys', { body })).statusCode).toBe(400);
    expect((await browser.send('POST', '/api/user/passkeys', { body })).statusCode).toBe(201);
    expect((await browser.send('POST', '/api/user/passkeys', { body })).statusCode).toBe(400);
  });

  it('elsewhere is refused', async () => {
    const { browser } = await signedIn(test);
    const question = (await browser.send('POST', '/api/user/passkeys/options')).json();
    const body = { name: 'My phone', ...createPasskey('evil.example').made(question, testBaseUrl) };
    expect((await browser.send('POST', '/api/user/passkeys', { body })).statusCode).toBe(400);
  });
});
