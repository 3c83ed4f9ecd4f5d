import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { tellActivity } from '#server/features/audit/activity.words.ts';
import { googleOf, type Visitor, visitorAt } from '#server/features/sessions/external-sign-in.test-world.ts';
import {
  addPasskey,
  setUpAuthenticator,
  signInPaths,
  usePasskeyAt,
} from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { identityLinks, userIdentities } from '#server/schema/identities.tables.ts';
import { type Browser, createBrowser, createTestApp, linkIn, signedIn, type TestApp } from '#tests/support/app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import {
  type ProviderPerson,
  startIdentityProvider,
  type TestIdentityProvider,
} from '#tests/support/servers/identity-provider.ts';
import { linkToAccount } from './identity-links.ts';
import { identitiesForOperator, removeIdentityByOperator } from './ways-in.ts';

const callback = `${testBaseUrl}/api/auth/google/callback`;
const mailedPath = '/login?error=google_email_sent';
const minuteMs = 60_000;
const newPassword = 'a quiet green kettle';

let provider: TestIdentityProvider;
let test: TestApp;
let people = 0;

beforeAll(async () => {
  provider = await startIdentityProvider({ redirectUris: [callback] });
  test = await createTestApp({ parts: { identityProviders: await googleOf(provider) } });
});
afterEach(() => {
  provider.tamper = null;
});
afterAll(async () => {
  await test.close();
  await provider.close();
});

function atProvider(email: string): ProviderPerson {
  people += 1;
  const person = { sub: `way-${people}`, email, email_verified: true };
  provider.people.push(person);
  return person;
}

async function byGoogle(sub: string, at = visitorAt(provider, test.app)) {
  const answer = await at.send(await at.travel(sub), { 'sec-fetch-site': 'cross-site' });
  return { to: answer.headers.location, at };
}

/** An owner with a password, and a person at Google with their address. */
async function ownerAndGoogle() {
  const owner = await signedIn(test);
  return { ...owner, google: atProvider(owner.person.email) };
}

const tokenOf = (email: string, path: string) => /[\w-]{43}/.exec(linkIn(test.mails, email, path))?.[0] ?? '';
const press = (path: string, token: string) => createBrowser(test.app).send('POST', `/api${path}${token}`);
const look = (path: string, token: string) => createBrowser(test.app).send('GET', `/api${path}${token}`);
const mailsTo = (address: string) => test.mails.filter(({ to }) => to.address === address);
const kindsTo = (address: string) => mailsTo(address).map(({ kind }) => kind);
const identitiesOf = (userId: string) =>
  test.database.db.select().from(userIdentities).where(eq(userIdentities.userId, userId));
const isSignedIn = async (browser: Pick<Browser, 'send'>) =>
  (await browser.send('GET', '/api/user')).statusCode === 200;
const isVisitorIn = async (at: Visitor) => (await at.send('/api/user')).statusCode === 200;

/** Links Google by the mailed button. */
async function linked() {
  const given = await ownerAndGoogle();
  expect((await byGoogle(given.google.sub)).to).toBe(mailedPath);
  const answer = await press('/link-sign-in/', tokenOf(given.person.email, '/link-sign-in/'));
  expect([answer.statusCode, answer.json()]).toEqual([200, { provider: 'Google' }]);
  return given;
}

async function resetByMail(email: string) {
  const browser = createBrowser(test.app);
  await browser.send('POST', '/api/reset-password', { body: { email } });
  const token = tokenOf(email, '/reset-password/');
  const body = { token, password: newPassword, confirmPassword: newPassword };
  return browser.send('POST', '/api/reset-password/complete', { body });
}

async function logOf(userId: string): Promise<string[]> {
  const rows = await test.database.db.select().from(auditLogs).where(eq(auditLogs.userId, userId));
  return rows.map(({ action, details }) => tellActivity(action, details as Record<string, unknown>).words);
}

describe('an account with the address of a Google person', () => {
  it('is not linked by a sign-in alone: the mailbox is emailed, and the visitor stays signed out', async () => {
    const { person, userId, google } = await ownerAndGoogle();
    const { to, at } = await byGoogle(google.sub);
    expect([to, [...at.jar.keys()]]).toEqual([mailedPath, []]);
    expect(await identitiesOf(userId)).toEqual([]);
    expect(kindsTo(person.email)).toContain('accounts.identity-asked');
    expect(kindsTo(person.email)).not.toContain('accounts.identity-linked');
    expect(await logOf(userId)).toContain('You were asked by email whether Google may open your account');
  });

  it('is linked by the button of the mail, once, without being signed in, and opening the page links nothing', async () => {
    const { person, userId, google } = await ownerAndGoogle();
    await byGoogle(google.sub);
    const token = tokenOf(person.email, '/link-sign-in/');
    const seen = await look('/link-sign-in/', token);
    expect([seen.statusCode, seen.json()]).toMatchObject([200, { provider: 'Google', askedAt: expect.any(String) }]);
    expect(seen.body).not.toContain(person.email);
    expect(await identitiesOf(userId)).toEqual([]);

    expect((await press('/link-sign-in/', token)).statusCode).toBe(200);
    expect((await press('/link-sign-in/', token)).statusCode).toBe(404);
    expect(await identitiesOf(userId)).toMatchObject([{ subject: google.sub, email: person.email, lastUsedAt: null }]);
    expect(kindsTo(person.email)).toContain('accounts.identity-linked');
    const { to, at } = await byGoogle(google.sub);
    expect([to, (await at.user()).id]).toEqual(['/', userId]);
    expect(await identitiesOf(userId)).toMatchObject([{ lastUsedAt: await test.clock.now() }]);
  });

  it('is linked once by a hundred presses in parallel', async () => {
    const { person, userId, google } = await ownerAndGoogle();
    await byGoogle(google.sub);
    const token = tokenOf(person.email, '/link-sign-in/');
    const answers = await Promise.all(Array.from({ length: 100 }, () => press('/link-sign-in/', token)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(await identitiesOf(userId)).toHaveLength(1);
    expect(kindsTo(person.email).filter((kind) => kind === 'accounts.identity-linked')).toHaveLength(1);
  });

  it('is not linked by a mail that is an hour old', async () => {
    const { person, userId, google } = await ownerAndGoogle();
    await byGoogle(google.sub);
    const token = tokenOf(person.email, '/link-sign-in/');
    test.clock.advance(60 * minuteMs);
    expect((await look('/link-sign-in/', token)).statusCode).toBe(404);
    expect((await press('/link-sign-in/', token)).statusCode).toBe(404);
    expect(await identitiesOf(userId)).toEqual([]);
  });

  it('causes five such mails a day, and a hundred sign-ins in parallel cause no more', async () => {
    const { person, google } = await ownerAndGoogle();
    const visits = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const at = visitorAt(provider, test.app);
        return { at, path: await at.travel(google.sub) };
      }),
    );
    const answers = await Promise.all(visits.map(({ at, path }) => at.send(path)));
    // The page is equal with and without a further mail.
    expect(new Set(answers.map(({ headers }) => headers.location))).toEqual(new Set([mailedPath]));
    expect(kindsTo(person.email).filter((kind) => kind === 'accounts.identity-asked')).toHaveLength(5);
    test.clock.advance(24 * 60 * minuteMs);
    await byGoogle(google.sub);
    expect(kindsTo(person.email).filter((kind) => kind === 'accounts.identity-asked')).toHaveLength(6);
  });
});

describe('"This was not me" of a mail about a provider', () => {
  it('refuses a requested link, changes nothing when the page is opened, and stops further mails', async () => {
    const { browser, person, userId, google } = await ownerAndGoogle();
    await byGoogle(google.sub);
    const link = tokenOf(person.email, '/link-sign-in/');
    const token = tokenOf(person.email, '/unlink-sign-in/');
    expect((await look('/unlink-sign-in/', token)).json()).toMatchObject({ provider: 'Google', isLinked: false });
    expect((await look('/link-sign-in/', link)).statusCode).toBe(200);

    expect((await press('/unlink-sign-in/', token)).json()).toEqual({ provider: 'Google', wasLinked: false });
    expect((await press('/link-sign-in/', link)).statusCode).toBe(404);
    expect((await press('/unlink-sign-in/', token)).statusCode).toBe(404);
    // Nothing was linked, so the owner stays signed in.
    expect(await isSignedIn(browser)).toBe(true);
    const before = kindsTo(person.email).length;
    expect((await byGoogle(google.sub)).to).toBe(mailedPath);
    expect(kindsTo(person.email)).toHaveLength(before);
    expect(await logOf(userId)).toContain('A reader of your mailbox said that a sign-in with Google was not you');
  });

  it.each(['the mail that asked', 'the mail that reported the link'])(
    'removes the link and every session, from %s',
    async (which) => {
      const { browser, person, userId, google } = await ownerAndGoogle();
      await byGoogle(google.sub);
      const asked = tokenOf(person.email, '/unlink-sign-in/');
      await press('/link-sign-in/', tokenOf(person.email, '/link-sign-in/'));
      const token = which === 'the mail that asked' ? asked : tokenOf(person.email, '/unlink-sign-in/');
      const { at } = await byGoogle(google.sub);
      expect(await isVisitorIn(at)).toBe(true);

      expect((await look('/unlink-sign-in/', token)).json()).toMatchObject({ isLinked: true });
      expect(await identitiesOf(userId)).toHaveLength(1);
      expect((await press('/unlink-sign-in/', token)).json()).toEqual({ provider: 'Google', wasLinked: true });
      expect(await identitiesOf(userId)).toEqual([]);
      expect([await isVisitorIn(at), await isSignedIn(browser)]).toEqual([false, false]);
      expect((await byGoogle(google.sub)).to).toBe(mailedPath);
    },
  );

  it('ends a reset link that was mailed before, and works for 30 days', async () => {
    const { person } = await linked();
    await createBrowser(test.app).send('POST', '/api/reset-password', { body: { email: person.email } });
    const reset = tokenOf(person.email, '/reset-password/');
    const token = tokenOf(person.email, '/unlink-sign-in/');
    expect((await press('/unlink-sign-in/', token)).statusCode).toBe(200);
    const body = { token: reset, password: newPassword, confirmPassword: newPassword };
    expect((await createBrowser(test.app).send('POST', '/api/reset-password/complete', { body })).statusCode).toBe(404);

    const late = await linked();
    const old = tokenOf(late.person.email, '/unlink-sign-in/');
    test.clock.advance(30 * 24 * 60 * minuteMs);
    expect((await press('/unlink-sign-in/', old)).statusCode).toBe(404);
  });
});

describe('a new password by mail', () => {
  it('a provider linked by an intruder is gone after the owner resets the password', async () => {
    // The intruder reads the mailbox for a moment, and presses the button.
    const { browser, person, userId, google } = await linked();
    const { at } = await byGoogle(google.sub);
    const form = {
      currentPassword: person.password,
      password: 'nine lemons in a jar',
      confirmPassword: 'nine lemons in a jar',
    };
    expect((await browser.send('PUT', '/api/user/password', { body: form })).statusCode).toBe(200);
    expect((await browser.send('DELETE', '/api/user/sessions')).statusCode).toBe(204);
    // A changed password says which providers stay.
    expect(mailsTo(person.email).at(-1)?.mail.text).toContain('You can still sign in with Google too.');
    expect((await byGoogle(google.sub, at)).to).toBe('/');

    test.clock.advance(minuteMs);
    const reset = await resetByMail(person.email);
    expect(reset.json()).toMatchObject({ unlinkedProviders: ['Google'], hasSecondStep: false });
    expect(mailsTo(person.email).at(-1)).toMatchObject({ kind: 'accounts.password-changed' });
    expect(mailsTo(person.email).at(-1)?.mail.text).toContain('The link with Google was removed');
    expect(await isVisitorIn(at)).toBe(false);
    expect(await identitiesOf(userId)).toEqual([]);
    // Also when the provider by then says another address that it has not verified.
    Object.assign(google, { email: 'other@people.example', email_verified: false });
    const again = await byGoogle(google.sub);
    expect([again.to, [...again.at.jar.keys()]]).toEqual(['/login?error=google_address_unverified', []]);
    expect(await logOf(userId)).toContain('A new password by email removed the link with Google');
  });

  it('lists before the press what it removes, and expires a requested link', async () => {
    const { person, userId } = await linked();
    await createBrowser(test.app).send('POST', '/api/reset-password', { body: { email: person.email } });
    expect(mailsTo(person.email).at(-1)?.mail.text.replace(/\s+/g, ' ')).toContain(
      'It also removes the link with Google',
    );

    const other = await ownerAndGoogle();
    await byGoogle(other.google.sub);
    const link = tokenOf(other.person.email, '/link-sign-in/');
    expect((await resetByMail(other.person.email)).json()).toMatchObject({ unlinkedProviders: [] });
    expect((await press('/link-sign-in/', link)).statusCode).toBe(404);
    expect(await identitiesOf(other.userId)).toEqual([]);
    expect(await identitiesOf(userId)).toHaveLength(1);
  });

  it('leaves the second step on, and says so', async () => {
    const { browser, person } = await signedIn(test);
    await setUpAuthenticator(browser, Date.now());
    expect((await resetByMail(person.email)).json()).toMatchObject({ hasSecondStep: true });
    expect(mailsTo(person.email).at(-1)?.mail.text).toContain('Your second step stays on.');
  });
});

type Factors = {
  hasPassword: boolean;
  passkeys: { id: string }[];
  identities: {
    id: string;
    provider: string;
    isUsable: boolean;
    email: string;
    linkedAt: string;
    lastUsedAt: string | null;
  }[];
};
const factorsOf = async (browser: Pick<Browser, 'send'>) =>
  (await browser.send('GET', '/api/user/second-factors')).json<Factors>();

describe('the list of ways to sign in', () => {
  it('names the provider, its address, the day of the link and of the last use', async () => {
    const { browser, person, google } = await linked();
    expect((await factorsOf(browser)).identities).toMatchObject([
      { provider: 'Google', isUsable: true, email: person.email, lastUsedAt: null },
    ]);
    test.clock.advance(minuteMs);
    await byGoogle(google.sub);
    const [listed] = (await factorsOf(browser)).identities;
    expect(listed?.lastUsedAt).toBe((await test.clock.now()).toISOString());
    expect(listed?.lastUsedAt).not.toBe(listed?.linkedAt);
    expect(JSON.stringify(listed)).not.toContain(google.sub);
  });

  it('removes a provider from a fresh session alone, ends the other sessions, and mails the owner', async () => {
    const { browser, person, userId, google } = await linked();
    const { at } = await byGoogle(google.sub);
    const [listed] = (await factorsOf(browser)).identities;
    const path = `/api/user/identities/${listed?.id}`;
    test.clock.advance(11 * minuteMs);
    expect((await browser.send('DELETE', path)).json()).toMatchObject({ type: 'REAUTHENTICATION_REQUIRED' });
    await browser.send('POST', '/api/user/reauthenticate', { body: { password: person.password } });
    expect((await browser.send('DELETE', path)).statusCode).toBe(204);
    expect((await browser.send('DELETE', path)).statusCode).toBe(404);
    expect([await isSignedIn(browser), await isVisitorIn(at)]).toEqual([true, false]);
    expect(await identitiesOf(userId)).toEqual([]);
    expect(kindsTo(person.email)).toContain('accounts.way-removed');
    expect(await logOf(userId)).toContain('You removed the link with Google');
  });

  it('removes no provider of another owner', async () => {
    const { userId } = await linked();
    const [row] = await identitiesOf(userId);
    const { browser } = await signedIn(test);
    expect((await browser.send('DELETE', `/api/user/identities/${row?.id}`)).statusCode).toBe(404);
    expect(await identitiesOf(userId)).toHaveLength(1);
  });

  it('refuses to remove the only sign-in method of any kind, with a sentence', async () => {
    const refusal = { type: 'CONFLICT', message: expect.stringMatching(/only way to sign in/) };
    const { browser } = await signedIn(test);
    expect((await browser.send('DELETE', '/api/user/password')).json()).toMatchObject(refusal);

    const { at } = await byGoogle(atProvider(`only-google-${people}@people.example`).sub);
    const mine = (await at.send('/api/user/second-factors')).json<Factors>();
    const path = `/api/user/identities/${mine.identities[0]?.id}`;
    expect((await at.request(path, { method: 'DELETE' })).json()).toMatchObject(refusal);

    const keyed = await signedIn(test);
    const { added, passkey } = await addPasskey(keyed.browser);
    expect((await keyed.browser.send('DELETE', '/api/user/password')).statusCode).toBe(204);
    const keyPath = `/api/user/passkeys/${added.passkey.id}`;
    expect((await keyed.browser.send('DELETE', keyPath)).json()).toMatchObject(refusal);
    const { answer } = await usePasskeyAt(createBrowser(test.app), passkey, signInPaths);
    expect(answer.statusCode).toBe(200);
  });

  it('removes a password beside a provider, and only one of two in parallel', async () => {
    const { browser, person } = await linked();
    const [listed] = (await factorsOf(browser)).identities;
    const answers = await Promise.all([
      browser.send('DELETE', '/api/user/password'),
      browser.send('DELETE', `/api/user/identities/${listed?.id}`),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([204, 409]);
    const { hasPassword, identities } = await factorsOf(browser);
    expect(Number(hasPassword) + identities.length).toBe(1);
    expect(kindsTo(person.email)).toContain('accounts.way-removed');
  });

  it('sets a first password from a fresh session, and keeps the provider', async () => {
    const google = atProvider(`no-password-${people}@people.example`);
    const { at } = await byGoogle(google.sub);
    const body = { password: newPassword, confirmPassword: newPassword };
    test.clock.advance(11 * minuteMs);
    const stale = await at.request('/api/user/password', { method: 'POST', body });
    expect(stale.json()).toMatchObject({ type: 'REAUTHENTICATION_REQUIRED' });
    await byGoogle(google.sub, at);
    const easy = { password: 'password12345', confirmPassword: 'password12345' };
    expect((await at.request('/api/user/password', { method: 'POST', body: easy })).statusCode).toBe(400);
    expect((await at.request('/api/user/password', { method: 'POST', body })).statusCode).toBe(200);
    expect((await at.request('/api/user/password', { method: 'POST', body })).statusCode).toBe(409);
    const login = { email: google.email, password: newPassword };
    expect((await createBrowser(test.app).send('POST', '/api/login', { body: login })).statusCode).toBe(200);
    expect((await byGoogle(google.sub)).to).toBe('/');
  });

  it('ends the other sessions when a passkey is removed', async () => {
    const { browser } = await signedIn(test);
    const { added, passkey } = await addPasskey(browser);
    const other = createBrowser(test.app);
    await usePasskeyAt(other, passkey, signInPaths);
    expect(await isSignedIn(other)).toBe(true);
    expect((await browser.send('DELETE', `/api/user/passkeys/${added.passkey.id}`)).statusCode).toBe(204);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
  });
});

describe('a link from a session', () => {
  const start = (at: Visitor) => at.request('/api/user/identities', { method: 'POST', body: { provider: 'google' } });

  async function byPassword() {
    const { person, userId } = await signedIn(test);
    const at = visitorAt(provider, test.app);
    const { email, password } = person;
    await at.request('/api/login', { method: 'POST', body: { email, password } });
    return { person, userId, at };
  }
  async function goOn(at: Visitor, url: string, sub: string) {
    const { pathname, search } = new URL(await provider.visit(url, sub));
    return (await at.send(pathname + search, { 'sec-fetch-site': 'cross-site' })).headers.location;
  }

  it('is made right after the password, with any address, and reported by mail', async () => {
    const { person, userId, at } = await byPassword();
    const google = atProvider(`elsewhere-${people}@people.example`);
    const { url } = (await start(at)).json<{ url: string }>();
    expect(await goOn(at, url, google.sub)).toBe('/privacy?linked=google');
    expect(await identitiesOf(userId)).toMatchObject([{ subject: google.sub, email: google.email }]);
    expect(kindsTo(person.email)).toContain('accounts.identity-linked');
  });

  it('asks for the password or a passkey when the last one is ten minutes old', async () => {
    const { at } = await byPassword();
    test.clock.advance(11 * minuteMs);
    expect((await start(at)).json()).toMatchObject({
      type: 'REAUTHENTICATION_REQUIRED',
      issues: [{ path: 'password' }],
    });
  });

  it('is not made from a session that only a provider vouched for', async () => {
    const { person, google } = await linked();
    const { at } = await byGoogle(google.sub);
    expect((await start(at)).json()).toMatchObject({ type: 'REAUTHENTICATION_REQUIRED' });
    // A fresh confirmation by the provider changes nothing.
    const asked = await at.send('/api/auth/google?purpose=confirm');
    expect(await goOn(at, String(asked.headers.location), google.sub)).toBe('/confirmed');
    expect((await start(at)).json()).toMatchObject({ type: 'REAUTHENTICATION_REQUIRED' });
    await at.request('/api/user/reauthenticate', { method: 'POST', body: { password: person.password } });
    expect((await start(at)).statusCode).toBe(200);
  });

  it('rejects an identity that opens another account, and a second one of a provider', async () => {
    const { google } = await linked();
    const { userId, at } = await byPassword();
    const first = (await start(at)).json<{ url: string }>();
    expect(await goOn(at, first.url, google.sub)).toBe('/privacy?error=google_link_taken');
    const [one, two] = [atProvider(`one-${people}@people.example`), atProvider(`two-${people}@people.example`)];
    expect(await goOn(at, (await start(at)).json<{ url: string }>().url, one.sub)).toBe('/privacy?linked=google');
    expect(await goOn(at, (await start(at)).json<{ url: string }>().url, two.sub)).toBe(
      '/privacy?error=google_link_taken',
    );
    expect(await identitiesOf(userId)).toMatchObject([{ subject: one.sub }]);
  });

  it('is not made if the deletion of the account was requested meanwhile', async () => {
    const { person, userId, at } = await byPassword();
    const google = atProvider(`closing-${people}@people.example`);
    const { url } = (await start(at)).json<{ url: string }>();
    const deletionRequestedAt = await test.clock.now();
    await test.database.db.update(users).set({ deletionRequestedAt }).where(eq(users.id, userId));
    expect(await goOn(at, url, google.sub)).toBe('/privacy?error=google_auth_failed');
    expect(await identitiesOf(userId)).toEqual([]);
    expect(kindsTo(person.email)).not.toContain('accounts.identity-linked');
  });

  it('is not made in another browser than the one that set out', async () => {
    const { userId, at } = await byPassword();
    const { url } = (await start(at)).json<{ url: string }>();
    const { at: other } = await byPassword();
    other.jar.set('everkept-provider', at.jar.get('everkept-provider') ?? '');
    const google = atProvider(`astray-${people}@people.example`);
    expect(await goOn(other, url, google.sub)).toBe('/privacy?error=google_auth_failed');
    expect(await identitiesOf(userId)).toEqual([]);
  });
});

describe('a provider that does not vouch for its person', () => {
  it('is refused although it is linked, if the provider reports the address as unverified', async () => {
    const { userId, google } = await linked();
    google.email_verified = false;
    const { to, at } = await byGoogle(google.sub);
    expect([to, [...at.jar.keys()]]).toEqual(['/login?error=google_address_unverified', []]);
    expect(await logOf(userId)).toContain(
      'A sign-in with Google was refused, since it has not verified the address there',
    );
    // The account stays linked, and opens again once the address is verified.
    google.email_verified = true;
    expect((await byGoogle(google.sub)).to).toBe('/');
  });

  it('confirms no session while it reports the address as unverified', async () => {
    const { google } = await linked();
    const { at } = await byGoogle(google.sub);
    google.email_verified = false;
    const asked = await at.send('/api/auth/google?purpose=confirm');
    const { pathname, search } = new URL(await provider.visit(String(asked.headers.location), google.sub));
    expect((await at.send(pathname + search)).headers.location).toBe('/confirmed?error=google_address_unverified');
  });

  it.each(['', ' ', '\t\n', '\u00a0', 'x'.repeat(256)])('is refused for the subject %j', async (subject) => {
    const google = atProvider(`subject-${people}@people.example`);
    provider.tamper = (given) => ({
      ...given,
      id_token: provider.token({ ...provider.claimsOf(given), sub: subject }),
    });
    const { to, at } = await byGoogle(google.sub);
    expect([to, [...at.jar.keys()]]).toEqual([
      expect.stringMatching(/^\/login\?error=google_(person_unnamed|auth_failed)$/),
      [],
    ]);
    const rows = await test.database.db
      .select()
      .from(users)
      .where(eq(users.email, google.email ?? ''));
    expect(rows).toEqual([]);
  });

  it('opens an account with a subject of 255 letters', async () => {
    const google = atProvider(`longest-${people}@people.example`);
    provider.tamper = (given) => ({
      ...given,
      id_token: provider.token({ ...provider.claimsOf(given), sub: `${people}${'x'.repeat(255)}`.slice(0, 255) }),
    });
    expect((await byGoogle(google.sub)).to).toBe('/');
  });
});

describe('the operator', () => {
  it('lists the identities of an account, and removes one with every session', async () => {
    const { opened } = test;
    const { browser, person, userId } = await linked();
    expect(await identitiesForOperator(opened, person.email)).toMatchObject([
      { provider: 'google', email: person.email },
    ]);
    expect(await identitiesForOperator(opened, 'nobody@people.example')).toBeNull();
    const { email } = person;
    expect(await removeIdentityByOperator(opened, { email, provider: 'other' })).toBe('not-linked');
    expect(await removeIdentityByOperator(opened, { email: 'nobody@people.example', provider: 'google' })).toBe(
      'unknown',
    );
    expect(await removeIdentityByOperator(opened, { email, provider: 'google' })).toBe('removed');
    expect(await identitiesOf(userId)).toEqual([]);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await logOf(userId)).toContain('The operator of this service removed the link with Google');
  });
});

it('links one account if two link the same identity at the same moment', async () => {
  const { opened, database } = test;
  const [one, other] = [await signedIn(test), await signedIn(test)];
  const identity = { issuer: 'https://accounts.google.com', subject: 'raced', email: null };
  const provider = { slug: 'google', name: 'Google' };
  const origin = { ipAddress: null, userAgent: null };
  const linkBeside = ({ userId }: { userId: string }, meanwhile: () => Promise<void>) =>
    database.db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, userId);
      if (!owner) throw new Error('The owner is gone.');
      const isLinked = await linkToAccount(opened, tx, {
        owner,
        provider,
        identity,
        by: 'session',
        origin,
        at: new Date(),
      });
      await meanwhile();
      return isLinked;
    });
  let second: Promise<boolean> | undefined;
  const first = await linkBeside(one, async () => {
    second = linkBeside(other, async () => undefined);
    const waiting = 'select count(*)::int as count from pg_locks where not granted';
    await expect.poll(async () => (await database.pool.query(waiting)).rows[0].count).toBeGreaterThan(0);
  });
  expect([first, await second]).toEqual([true, false]);
  expect([await identitiesOf(one.userId), await identitiesOf(other.userId)]).toMatchObject([[identity], []]);
  expect(kindsTo(other.person.email)).not.toContain('accounts.identity-linked');
});

it('keeps no token of a mailed link', async () => {
  const { person } = await linked();
  const tokens = [tokenOf(person.email, '/link-sign-in/'), tokenOf(person.email, '/unlink-sign-in/')];
  const stored = JSON.stringify(await test.database.db.select().from(identityLinks));
  for (const token of tokens)
    expect([stored.includes(token), test.log.join('').includes(token)]).toEqual([false, false]);
});
