import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { authenticators, passkeys, recoveryCodes } from '#server/schema/second-factors.tables.ts';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import {
  addPasskey,
  beginSignIn,
  codeAt,
  factorChanges,
  factorsPath,
  signInPaths,
  usePasskeyAt,
  withAuthenticator,
} from './second-factors.test-world.ts';

const minuteMs = 60_000;

let test: TestApp;
let realMs = Date.parse('2026-11-20T10:00:10Z');
beforeAll(async () => {
  test = await createTestApp({ parts: { realNowMs: () => realMs } });
});
afterAll(() => test.close());

const owner = () => withAuthenticator(test, () => realMs);
const factorsOf = async (browser: Awaited<ReturnType<typeof owner>>['browser']) =>
  (await browser.send('GET', factorsPath)).json();
const subjectsTo = (address: string) =>
  test.mails.filter(({ to }) => to.address === address).map(({ mail }) => mail.subject);

describe('an authenticator app', () => {
  it('does not count until one of its codes was typed', async () => {
    const { browser, person } = await signedIn(test);
    const begun = await browser.send('POST', `${factorsPath}/authenticator`);
    const { secret, uri } = begun.json();
    expect(secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const parts = new URL(uri);
    expect([parts.protocol, parts.host, parts.searchParams.get('secret'), parts.searchParams.get('issuer')]).toEqual([
      'otpauth:',
      'totp',
      secret.replaceAll(' ', ''),
      'Everkept',
    ]);
    expect(decodeURIComponent(parts.pathname)).toBe(`/Everkept:${person.email}`);

    expect((await factorsOf(browser)).authenticator).toBeNull();
    const { email, password } = person;
    expect((await createBrowser(test.app).send('POST', '/api/login', { body: { email, password } })).statusCode).toBe(
      200,
    );
    const wrong = await browser.send('POST', `${factorsPath}/authenticator/confirm`, { body: { code: '000000' } });
    expect([wrong.statusCode, wrong.json().issues[0].path]).toEqual([400, 'code']);
  });

  it('comes with ten recovery codes, shown this once, and a mail', async () => {
    const { browser, person, recoveryCodes: codes } = await owner();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await factorsOf(browser)).toMatchObject({
      hasPassword: true,
      providers: [],
      authenticator: { confirmedAt: expect.any(String) },
      recoveryCodes: { left: 10 },
    });
    expect(subjectsTo(person.email)).toContain('An authenticator app was added to your account');
    expect(JSON.stringify(test.mails)).not.toContain(codes[0]);
  });

  it('leaves neither its secret nor a code in the database', async () => {
    const { userId, secret, recoveryCodes: codes } = await owner();
    const { db } = test.database;
    const rows = JSON.stringify([
      await db.select().from(authenticators).where(eq(authenticators.userId, userId)),
      await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
      await db.select().from(auditLogs).where(eq(auditLogs.userId, userId)),
    ]);
    expect(rows).not.toContain(secret.replaceAll(' ', ''));
    for (const code of codes) expect(rows).not.toContain(code.replaceAll('-', ''));
    expect(test.log.join('\n')).not.toContain(secret.slice(0, 9));
  });

  it('marks the session in which it was set up, and no other', async () => {
    const { browser } = await owner();
    const principal = await test.principalOf(browser);
    expect(principal.secondFactorAt).toBeInstanceOf(Date);
    const { browser: plain } = await signedIn(test);
    const other = await test.principalOf(plain);
    expect(other.secondFactorAt).toBeNull();
  });

  it('is one for each owner: a second begins only when the first is gone', async () => {
    const { browser } = await owner();
    expect((await browser.send('POST', `${factorsPath}/authenticator`)).statusCode).toBe(409);
    expect((await browser.send('DELETE', `${factorsPath}/authenticator`)).statusCode).toBe(204);
    expect((await browser.send('POST', `${factorsPath}/authenticator`)).statusCode).toBe(200);
  });

  it('takes the recovery codes with it if it was the last factor, and the password opens the account again', async () => {
    const { browser, person } = await owner();
    await browser.send('DELETE', `${factorsPath}/authenticator`);
    expect(await factorsOf(browser)).toMatchObject({ authenticator: null, recoveryCodes: null });
    const { email, password } = person;
    const answer = await createBrowser(test.app).send('POST', '/api/login', { body: { email, password } });
    expect(answer.statusCode).toBe(200);
    expect(subjectsTo(person.email)).toContain('The authenticator app was removed from your account');
    const principal = await test.principalOf(browser);
    expect(principal.secondFactorAt).toBeNull();
  });
});

describe('a change to the second factors', () => {
  it.each(factorChanges)('%s %s wants a sign-in from the last ten minutes', async (method, path, body) => {
    const { browser } = await owner();
    test.clock.advance(10 * minuteMs);
    const stale = await browser.send(method, path, body && { body });
    expect([stale.statusCode, stale.json()]).toMatchObject([403, { type: 'REAUTHENTICATION_REQUIRED' }]);
    expect(stale.json().issues).toBeUndefined();
  });

  it('is logged, without a secret', async () => {
    const { browser, userId } = await owner();
    await browser.send('POST', `${factorsPath}/recovery-codes`);
    await browser.send('DELETE', `${factorsPath}/authenticator`);
    const rows = await test.database.db.select().from(auditLogs).where(eq(auditLogs.userId, userId));
    expect(rows.map(({ action, details }) => [action, details]).slice(-3)).toEqual([
      ['factor.add', { factor: 'authenticator' }],
      ['factor.codes_renewed', null],
      ['factor.remove', { factor: 'authenticator' }],
    ]);
  });
});

describe('new recovery codes', () => {
  it('take the place of the old ones', async () => {
    const { browser, person, recoveryCodes: old } = await owner();
    const fresh = (await browser.send('POST', `${factorsPath}/recovery-codes`)).json().recoveryCodes;
    expect(fresh).toHaveLength(10);
    expect(fresh.some((code: string) => old.includes(code))).toBe(false);
    const use = async (code: string) =>
      (await beginSignIn(test, person)).send('POST', '/api/login/second-factor', {
        body: { factor: 'recovery', code },
      });
    expect((await use(old[0] ?? '')).statusCode).toBe(401);
    expect((await use(fresh[0])).statusCode).toBe(200);
  });

  it('require a second factor', async () => {
    const { browser } = await signedIn(test);
    expect((await browser.send('POST', `${factorsPath}/recovery-codes`)).statusCode).toBe(409);
  });
});

describe('a list of passkeys', () => {
  it('shows its owner’s names for them, which are stored sealed', async () => {
    const { browser, person, userId } = await signedIn(test);
    const { passkey, added } = await addPasskey(browser, 'Nell’s old phone');
    expect(added.recoveryCodes).toHaveLength(10);
    expect((await factorsOf(browser)).passkeys).toMatchObject([{ name: 'Nell’s old phone', lastUsedAt: null }]);
    const rows = await test.database.db.select().from(passkeys).where(eq(passkeys.userId, userId));
    expect(JSON.stringify(rows)).not.toContain('Nell');

    await usePasskeyAt(createBrowser(test.app), passkey, signInPaths);
    expect((await factorsOf(browser)).passkeys[0].lastUsedAt).toEqual(expect.any(String));
    expect(subjectsTo(person.email)).toContain('A passkey was added to your account');
  });

  it('grows by a second key without other recovery codes', async () => {
    const { browser } = await owner();
    const { added } = await addPasskey(browser);
    expect(added.recoveryCodes).toBeNull();
    expect((await factorsOf(browser)).recoveryCodes.left).toBe(10);
  });

  it('belongs to one owner: another owner’s key is answered as missing', async () => {
    const { browser } = await signedIn(test);
    const { added } = await addPasskey(browser);
    const { browser: other } = await signedIn(test);
    const path = `/api/user/passkeys/${added.passkey.id}`;
    expect((await other.send('DELETE', path)).statusCode).toBe(404);
    expect((await browser.send('DELETE', path)).statusCode).toBe(204);
    expect((await browser.send('DELETE', path)).statusCode).toBe(404);
  });
});

describe('an owner without a password', () => {
  it('is recognised, and can set up second factors', async () => {
    const { browser, userId } = await signedIn(test);
    await test.database.db.update(users).set({ password: null }).where(eq(users.id, userId));
    expect((await factorsOf(browser)).hasPassword).toBe(false);
    const { secret } = (await browser.send('POST', `${factorsPath}/authenticator`)).json();
    realMs += minuteMs;
    const body = { code: codeAt(secret, realMs) };
    expect((await browser.send('POST', `${factorsPath}/authenticator/confirm`, { body })).statusCode).toBe(200);
  });
});
