import { eq } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { activityReactionsOf } from '#server/features/accounts/activity.ts';
import { tellActivity } from '#server/features/audit/activity.words.ts';
import { openIdentityProviders } from '#server/platform/identity/identity-provider.ts';
import { checkins, sessions, users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { userIdentities } from '#server/schema/identities.tables.ts';
import { createBrowser, createTestApp, linkIn, signedIn, type TestApp } from '#tests/support/app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import {
  type ProviderPerson,
  startIdentityProvider,
  type TestIdentityProvider,
} from '#tests/support/servers/identity-provider.ts';
import { googleOf, type Visitor, visitorAt } from './external-sign-in.test-world.ts';
import { requireFreshSignIn } from './fresh-sign-in.ts';
import { findPrincipal } from './principal.ts';

const callback = `${testBaseUrl}/api/auth/google/callback`;
const failurePath = '/login?error=google_auth_failed';
const mailedPath = '/login?error=google_email_sent';
const unverifiedPath = '/login?error=google_address_unverified';
const minuteMs = 60_000;

let provider: TestIdentityProvider;
let test: TestApp;

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

let people = 0;

/** A person with a verified address at the provider. */
function atProvider(given: Partial<ProviderPerson> = {}): ProviderPerson & { email: string } {
  people += 1;
  const person = {
    sub: `subject-${people}`,
    email: `google${people}@people.example`,
    email_verified: true,
    given_name: 'Ada',
    family_name: 'Shah',
    ...given,
  };
  provider.people.push(person);
  return person;
}

const visitor = (app = test.app) => visitorAt(provider, app);

/** The whole way there and back; the browser comes from another site, as it does. */
async function signInWithGoogle(sub: string | null, { plan, at = visitor() }: { plan?: string; at?: Visitor } = {}) {
  const answer = await at.send(await at.travel(sub, plan), { 'sec-fetch-site': 'cross-site' });
  return { answer, at };
}

function expectRefused(answer: LightMyRequestResponse, { jar }: Visitor, path = failurePath) {
  expect([answer.statusCode, answer.headers.location]).toEqual([302, path]);
  expect([...jar.keys()]).toEqual([]);
}

const accountOf = async (email: string) => {
  const [row] = await test.database.db.select().from(users).where(eq(users.email, email));
  return row;
};
const identitiesOf = (userId: string) =>
  test.database.db.select().from(userIdentities).where(eq(userIdentities.userId, userId));
const mailsTo = (address: string) => test.mails.filter(({ to }) => to.address === address).map(({ kind }) => kind);

describe('signing in with Google', () => {
  it('is said to be possible, and sets out with a cookie that scripts and other sites cannot use', async () => {
    const at = visitor();
    expect((await at.send('/api/auth/providers')).json()).toEqual({ providers: [{ slug: 'google', name: 'Google' }] });
    const answer = await at.send('/api/auth/google');
    expect(answer.statusCode).toBe(302);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(String(answer.headers.location)).toMatch(`${provider.issuer}/auth?`);
    expect(new URL(String(answer.headers.location)).searchParams.get('redirect_uri')).toBe(callback);
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^everkept-provider=[\w-]{200,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('opens an account with a verified address, a vault, the names and no password', async () => {
    const ada = atProvider({ email: 'Ada.Shah@People.example' });
    const { answer, at } = await signInWithGoogle(ada.sub, { plan: 'premium' });
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '/']);
    expect([...at.jar.keys()]).toEqual(['everkept']);
    expect(await at.user()).toMatchObject({
      email: 'ada.shah@people.example',
      firstName: 'Ada',
      lastName: 'Shah',
      emailVerified: true,
      plan: 'free',
      intendedPlan: 'premium',
      role: 'user',
    });
    const account = await accountOf('ada.shah@people.example');
    expect(account).toMatchObject({ password: null, emailVerificationToken: null });
    expect(await identitiesOf(account?.id ?? '')).toMatchObject([{ issuer: provider.issuer, subject: ada.sub }]);
    const { db } = test.database;
    expect(
      await db
        .select()
        .from(vaultKeys)
        .where(eq(vaultKeys.userId, account?.id ?? '')),
    ).toHaveLength(1);
    expect(mailsTo('ada.shah@people.example')).toEqual([]);
  });

  it('remembers no plan for an unknown word', async () => {
    for (const plan of ['lifetime', 'nonsense', 'free', '']) {
      const person = atProvider();
      await signInWithGoogle(person.sub, { plan });
      expect((await accountOf(person.email))?.intendedPlan).toBeNull();
    }
  });

  it('finds the same account again by the identity, even if the address there has changed', async () => {
    const person = atProvider();
    const first = (await (await signInWithGoogle(person.sub)).at.user()).id;
    const { email } = person;
    Object.assign(person, { email: 'somewhere@else.example' });
    delete person.email_verified;
    const again = await (await signInWithGoogle(person.sub)).at.user();
    expect(again).toMatchObject({ id: first, email });
    expect(await accountOf('somewhere@else.example')).toBeUndefined();
  });

  it('is a sign of life, reported to its listeners, and sets the last login', async () => {
    const person = atProvider();
    const { id } = await (await signInWithGoogle(person.sub)).at.user();
    test.clock.advance(3 * 24 * 60 * minuteMs);
    const told: string[] = [];
    activityReactionsOf(test.opened).activity.push(async (_tx, { userId, type }) => {
      told.push(`${type} ${userId}`);
    });
    await signInWithGoogle(person.sub);
    expect(told).toEqual([`login ${id}`]);
    const account = await accountOf(person.email);
    const now = await test.clock.now();
    expect([account?.lastLoginAt, account?.lastCheckinAt]).toEqual([now, now]);
    const rows = await test.database.db.select().from(checkins).where(eq(checkins.userId, id));
    expect(rows.map(({ type }) => type)).toEqual(['login', 'login']);
  });

  it.each([
    ['', 30 * 86_400],
    ['?keep=no', undefined],
  ])('keeps the person signed in or not, as %o requests', async (query, maxAge) => {
    const [at, { sub }] = [visitor(), atProvider()];
    const left = await at.send(`/api/auth/google${query}`);
    const { pathname, search } = new URL(await provider.visit(String(left.headers.location), sub));
    const { cookies } = await at.send(pathname + search, { 'sec-fetch-site': 'cross-site' });
    expect(cookies.find(({ name }) => name === 'everkept')?.maxAge).toBe(maxAge);
  });

  it('ends the session that the browser had, and starts one with another id', async () => {
    const person = atProvider();
    const { at } = await signInWithGoogle(person.sub);
    const before = at.jar.get('everkept');
    await signInWithGoogle(person.sub, { at });
    expect(at.jar.get('everkept')).not.toBe(before);
    const { id } = await at.user();
    expect(await test.database.db.select().from(sessions).where(eq(sessions.userId, id))).toHaveLength(1);
  });

  it('opens one account for many parallel returns', async () => {
    const person = atProvider();
    const all = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const at = visitor();
        return { at, path: await at.travel(person.sub) };
      }),
    );
    const answers = await Promise.all(all.map(({ at, path }) => at.send(path)));
    expect(answers.map(({ headers }) => headers.location)).toEqual(answers.map(() => '/'));
    expect(new Set(await Promise.all(all.map(async ({ at }) => (await at.user()).id))).size).toBe(1);
  });
});

describe('confirming with Google who is there', () => {
  const confirmPath = '/api/auth/google?purpose=confirm';
  const confirmedPath = '/confirmed';
  const failedPath = `${confirmedPath}?error=google_auth_failed`;

  async function principalOf({ jar }: Visitor) {
    const principal = await findPrincipal(test.opened, jar.get('everkept') ?? '');
    if (!principal) throw new Error('Nobody is signed in.');
    return principal;
  }
  const isFresh = async (at: Visitor) =>
    requireFreshSignIn(test.opened, await principalOf(at)).then(
      () => true,
      () => false,
    );

  /** A person whose sign-in is no longer fresh. */
  async function signedInLongAgo() {
    const person = atProvider();
    const { at } = await signInWithGoogle(person.sub);
    test.clock.advance(11 * minuteMs);
    expect(await isFresh(at)).toBe(false);
    return { person, at };
  }

  async function confirm(at: Visitor, sub: string | null) {
    const answer = await at.send(confirmPath, { 'sec-fetch-site': 'same-origin' });
    const { pathname, search } = new URL(await provider.visit(String(answer.headers.location), sub));
    return at.send(pathname + search, { 'sec-fetch-site': 'cross-site' });
  }

  it('makes the same session fresh, under another token, and is a sign of life', async () => {
    const { person, at } = await signedInLongAgo();
    const before = { token: at.jar.get('everkept'), sessionId: (await principalOf(at)).sessionId };
    const answer = await confirm(at, person.sub);
    expect([answer.statusCode, answer.headers.location]).toEqual([302, confirmedPath]);
    expect(await isFresh(at)).toBe(true);
    expect(at.jar.get('everkept')).not.toBe(before.token);
    expect((await principalOf(at)).sessionId).toBe(before.sessionId);
    expect(await findPrincipal(test.opened, before.token ?? '')).toBeNull();
    expect((await accountOf(person.email))?.lastCheckinAt).toEqual(await test.clock.now());
    expect((await at.send('/api/user/second-factors')).json()).toMatchObject({
      hasPassword: false,
      providers: [{ slug: 'google' }],
    });
  });

  it('makes a person with a Google session choose the account again, and requires a sign-in of the last ten minutes', async () => {
    const { at } = await signedInLongAgo();
    const askedAt = async (path: string) => {
      const { searchParams } = new URL(String((await at.send(path)).headers.location));
      return ['prompt', 'max_age'].map((name) => searchParams.get(name));
    };
    expect(await askedAt(confirmPath)).toEqual(['select_account', '600']);
    expect(await askedAt('/api/auth/google')).toEqual([null, null]);
  });

  const secondsAgo = (count: number) => Math.floor(Date.now() / 1000) - count;
  it.each([
    ['is missing', () => undefined],
    ['is twenty minutes old', () => secondsAgo(1200)],
    ['lies ahead', () => secondsAgo(-600)],
    ['is no number', () => 'just now'],
  ])('confirms nothing if the time of the sign-in at Google %s, and gives the reason', async (_, authTime) => {
    const { person, at } = await signedInLongAgo();
    provider.tamper = (given) => ({
      ...given,
      id_token: provider.token({ ...provider.claimsOf(given), auth_time: authTime() }),
    });
    const answer = await confirm(at, person.sub);
    provider.tamper = null;
    expect(answer.headers.location).toMatch(/^\/confirmed\?error=google_(sign_in_old|auth_failed)$/);
    if (typeof authTime() !== 'string') expect(answer.headers.location).toContain('google_sign_in_old');
    expect(await isFresh(at)).toBe(false);
  });

  it('rejects other Google accounts, and opens and links no account on the way', async () => {
    const { person, at } = await signedInLongAgo();
    const [stranger, neighbour] = [atProvider(), atProvider()];
    await signInWithGoogle(neighbour.sub);
    for (const sub of [stranger.sub, neighbour.sub, null]) {
      const { sessionId } = await principalOf(at);
      expect((await confirm(at, sub)).headers.location).toBe(failedPath);
      expect([await isFresh(at), (await principalOf(at)).sessionId]).toEqual([false, sessionId]);
    }
    expect(await accountOf(stranger.email)).toBeUndefined();
    expect((await at.user()).email).toBe(person.email);
  });

  it('counts for the session that set out, and no other', async () => {
    const { person, at } = await signedInLongAgo();
    const setOut = await at.send(confirmPath);
    const { pathname, search } = new URL(await provider.visit(String(setOut.headers.location), person.sub));
    const other = await signInWithGoogle(person.sub);
    test.clock.advance(9 * minuteMs);
    at.jar.set('everkept', other.at.jar.get('everkept') ?? '');
    expect((await at.send(pathname + search)).headers.location).toBe(failedPath);
  });

  it('does not begin for a signed-out visitor, nor from another site', async () => {
    expect((await visitor().send(confirmPath)).headers.location).toBe(failedPath);
    const { at } = await signedInLongAgo();
    at.jar.delete('everkept');
    expect((await at.send(confirmPath)).headers.location).toBe(failedPath);
    const led = await at.send(confirmPath, { 'sec-fetch-site': 'cross-site' });
    expect(led.headers.location).toBe('/login');
  });
});

describe('an account with the same address', () => {
  it('with a never proved address is deleted, and Google’s person gets an empty one', async () => {
    const { browser, person, userId } = await signedIn(test, { verified: false });
    const known = atProvider({ email: person.email });
    const { answer } = await signInWithGoogle(known.sub);
    expect(answer.headers.location).toBe('/?handed-over=true');

    const account = await accountOf(person.email);
    expect(account).toMatchObject({ emailVerified: true, password: null, mailboxProvenAt: expect.any(Date) });
    expect(account?.id).not.toBe(userId);
    expect(await identitiesOf(account?.id ?? '')).toMatchObject([{ subject: known.sub }]);
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
    const { email, password } = person;
    const byPassword = await createBrowser(test.app).send('POST', '/api/login', { body: { email, password } });
    expect(byPassword.statusCode).toBe(401);
    expect((await signInWithGoogle(known.sub)).answer.headers.location).toBe('/');
  });

  it('is not linked before its user has shown that they read its mail', async () => {
    const { person, userId } = await signedIn(test);
    await test.database.db.update(users).set({ mailboxProvenAt: null }).where(eq(users.id, userId));
    const { answer, at } = await signInWithGoogle(atProvider({ email: person.email }).sub);
    expectRefused(answer, at, mailedPath);
    expect(await identitiesOf(userId)).toEqual([]);
    expect(mailsTo(person.email)).toContain('accounts.identity-refused');
  });

  it('is its person’s if Google opened it: each sign-in proves the mailbox, unless there is a password', async () => {
    const known = atProvider();
    const email = known.email ?? '';
    await signInWithGoogle(known.sub);
    expect((await accountOf(email))?.mailboxProvenAt).not.toBeNull();
    const forget = (changed: { password?: string }) =>
      test.database.db
        .update(users)
        .set({ mailboxProvenAt: null, ...changed })
        .where(eq(users.email, email));
    await forget({});
    await signInWithGoogle(known.sub);
    expect((await accountOf(email))?.mailboxProvenAt).toEqual(await test.clock.now());
    await forget({ password: 'of somebody who may not read the mail' });
    await signInWithGoogle(known.sub);
    expect((await accountOf(email))?.mailboxProvenAt).toBeNull();
  });

  it('is not linked, nor a new one opened, if the provider has not verified it', async () => {
    const { person, userId } = await signedIn(test);
    for (const email of [person.email, 'nobody.yet@people.example']) {
      const unsaid: ProviderPerson = atProvider({ email });
      delete unsaid.email_verified;
      for (const known of [unsaid, atProvider({ email, email_verified: false })]) {
        const { answer, at } = await signInWithGoogle(known.sub);
        expectRefused(answer, at, unverifiedPath);
      }
    }
    expect(await identitiesOf(userId)).toEqual([]);
    expect(await accountOf('nobody.yet@people.example')).toBeUndefined();
  });

  it('stays with its person when the address is given to another one at the provider', async () => {
    const first = atProvider();
    const { id } = await (await signInWithGoogle(first.sub)).at.user();
    const second = atProvider({ email: first.email });
    const { answer, at } = await signInWithGoogle(second.sub);
    expectRefused(answer, at, mailedPath);
    expect(await identitiesOf(id)).toMatchObject([{ subject: first.sub }]);
    expect(mailsTo(first.email)).toEqual(['accounts.identity-refused']);
  });
});

describe('an account without a password', () => {
  it('does not open with any, and gets one by the mailed link', async () => {
    const { email, sub } = atProvider();
    await signInWithGoogle(sub);
    const browser = createBrowser(test.app);
    for (const password of ['null', 'undefined', ' ', 'twelve lemons in a bowl']) {
      expect((await browser.send('POST', '/api/login', { body: { email, password } })).statusCode).toBe(401);
    }
    await browser.send('POST', '/api/reset-password', { body: { email } });
    const token = linkIn(test.mails, email, '/reset-password/').split('/').at(-1);
    const password = 'a quiet green kettle';
    const body = { token, password, confirmPassword: password };
    expect((await browser.send('POST', '/api/reset-password/complete', { body })).statusCode).toBe(200);
    test.clock.advance(minuteMs);
    expect((await browser.send('POST', '/api/login', { body: { email, password } })).statusCode).toBe(200);
    // The new password by mail has removed the link.
    expect((await signInWithGoogle(sub)).answer.headers.location).toBe(mailedPath);
  });
});

describe('a return without proof signs in no one:', () => {
  it('without the cookie, as in another browser', async () => {
    const path = await visitor().travel(atProvider().sub);
    const other = visitor();
    expectRefused(await other.send(path), other);
  });

  it("with another browser's cookie, as when a user is led into a stranger's account", async () => {
    const [mine, theirs] = [visitor(), visitor()];
    const path = await theirs.travel(atProvider().sub);
    await mine.travel(atProvider().sub);
    expectRefused(await mine.send(path), mine);
  });

  it.each([
    ['a state that is missing', (query: URLSearchParams) => query.delete('state')],
    ['a state that was forged', (query: URLSearchParams) => query.set('state', 'A'.repeat(43))],
    ['a code that is missing', (query: URLSearchParams) => query.delete('code')],
    ['a code that was invented', (query: URLSearchParams) => query.set('code', 'A'.repeat(43))],
    ['two states', (query: URLSearchParams) => query.append('state', 'other')],
  ])('with %s', async (_, change) => {
    const at = visitor();
    const [path = '', search] = (await at.travel(atProvider().sub)).split('?');
    const query = new URLSearchParams(search);
    change(query);
    expectRefused(await at.send(`${path}?${query}`), at);
  });

  it('with a used state, even if the cookie was kept', async () => {
    const at = visitor();
    const path = await at.travel(atProvider().sub);
    const kept = new Map(at.jar);
    expect((await at.send(path)).headers.location).toBe('/');
    at.jar.clear();
    expectRefused(await at.send(path), at);

    const asked = provider.asked.length;
    for (const [name, value] of kept) at.jar.set(name, value);
    expectRefused(await at.send(path), at);
    // Our own check refuses the second use of the ticket, before the provider refuses its code.
    expect(provider.asked.length).toBe(asked);
  });

  it('once, for many parallel repeats of one return', async () => {
    const at = visitor();
    const person = atProvider();
    const path = await at.travel(person.sub);
    const cookie = `everkept-provider=${at.jar.get('everkept-provider')}`;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => createBrowser(test.app).send('GET', path, { headers: { cookie } })),
    );
    const paths = answers.map(({ headers }) => headers.location);
    expect(paths.toSorted()).toEqual(['/', ...Array.from({ length: 4 }, () => failurePath)]);
  });

  it('with a cookie that was changed, cut, or is as old as ten minutes', async () => {
    const changes = [
      (value: string) => value.slice(0, -2),
      (value: string) => `${value.slice(0, 40)}${value[40] === 'A' ? 'B' : 'A'}${value.slice(41)}`,
      () => 'nonsense',
      (value: string) => {
        test.clock.advance(10 * minuteMs);
        return value;
      },
    ];
    for (const change of changes) {
      const at = visitor();
      const path = await at.travel(atProvider().sub);
      at.jar.set('everkept-provider', change(at.jar.get('everkept-provider') ?? ''));
      expectRefused(await at.send(path), at);
    }
  });

  it('with a token whose nonce, audience, issuer, end or signature is wrong', async () => {
    const wrong: ((claims: Record<string, unknown>) => string)[] = [
      (claims) => provider.token({ ...claims, nonce: 'another' }),
      (claims) => provider.token({ ...claims, aud: 'another' }),
      (claims) => provider.token({ ...claims, iss: 'https://accounts.google.com' }),
      (claims) => provider.token({ ...claims, exp: 1 }),
      (claims) => provider.token(claims, 'stranger'),
      (claims) => provider.token(claims, 'none'),
    ];
    for (const make of wrong) {
      const person = atProvider();
      provider.tamper = (answer) => ({ ...answer, id_token: make(provider.claimsOf(answer)) });
      const { answer, at } = await signInWithGoogle(person.sub);
      expectRefused(answer, at);
      expect(await accountOf(person.email)).toBeUndefined();
    }
  });

  it('after the person refused consent', async () => {
    const { answer, at } = await signInWithGoogle(null);
    expectRefused(answer, at);
  });

  it('by HEAD, which does not use the ticket up', async () => {
    const at = visitor();
    const path = await at.travel(atProvider().sub);
    expect((await at.send(path, {}, 'HEAD')).headers.location).toBe(failurePath);
    expect((await at.send(path)).headers.location).toBe('/');
  });

  it('and does not begin on the page of another site', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const at = visitor();
      const answer = await at.send('/api/auth/google', { 'sec-fetch-site': site });
      expect([answer.statusCode, answer.headers.location, at.jar.size]).toEqual([302, '/login', 0]);
    }
    expect((await visitor().send('/api/auth/google', { 'sec-fetch-site': 'none' })).headers.location).toMatch(
      provider.issuer,
    );
  });

  it('and leaves an existing session as it is', async () => {
    const { at } = await signInWithGoogle(atProvider().sub);
    const session = at.jar.get('everkept');
    expect((await at.send('/api/auth/google/callback?code=a&state=b')).headers.location).toBe(failurePath);
    expect(at.jar.get('everkept')).toBe(session);
    expect((await at.send('/api/auth/user')).statusCode).toBe(200);
  });
});

describe('the log', () => {
  it('holds neither code, state, token, address nor subject', async () => {
    const person = atProvider();
    const at = visitor();
    const path = await at.travel(person.sub);
    const query = new URLSearchParams(path.split('?')[1]);
    const ticket = at.jar.get('everkept-provider') ?? '';
    provider.tamper = (answer) => ({ ...answer, id_token: provider.token(provider.claimsOf(answer), 'none') });
    await at.send(path);
    const log = test.log.join('');
    expect(log).toContain('sign-in with a provider refused');
    for (const secret of [query.get('code'), query.get('state'), ticket, person.email, person.sub, 'eyJ']) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('an unreachable or missing provider', () => {
  it('leads back to the sign-in page while the provider is down, and works once it is up', async () => {
    const late = await startIdentityProvider({ redirectUris: [callback], people: provider.people });
    await late.close();
    const other = await createTestApp({ parts: { identityProviders: await googleOf(late) } });
    const at = visitor(other.app);
    expect((await at.send('/api/auth/providers')).json()).toEqual({ providers: [{ slug: 'google', name: 'Google' }] });
    const down = await at.send('/api/auth/google?plan=essential');
    expect([down.statusCode, down.headers.location, at.jar.size]).toEqual([302, failurePath, 0]);
    expect(other.log.join('')).toContain('the identity provider could not be asked');

    const port = Number(new URL(late.issuer).port);
    const up = await startIdentityProvider({ redirectUris: [callback], people: provider.people, port });
    expect((await at.send('/api/auth/google')).headers.location).toMatch(up.issuer);
    await up.close();
    await other.close();
  });

  it('leads back when the provider goes away in the middle', async () => {
    const brief = await startIdentityProvider({ redirectUris: [callback], people: provider.people });
    const other = await createTestApp({ parts: { identityProviders: await googleOf(brief) } });
    const at = visitor(other.app);
    const path = await at.travel(atProvider().sub);
    await brief.close();
    expectRefused(await at.send(path), at);
    await other.close();
  });

  it('has no such address without settings', async () => {
    const other = await createTestApp();
    const at = visitor(other.app);
    expect((await at.send('/api/auth/providers')).json()).toEqual({ providers: [] });
    for (const path of ['/api/auth/google', '/api/auth/google/callback?code=a&state=b']) {
      const answer = await at.send(path);
      expect([answer.statusCode, answer.json<{ type: string }>().type]).toEqual([404, 'NOT_FOUND']);
    }
    await other.close();
  });

  it('binds its cookie to this host by name if the product uses https', async () => {
    const secure = await createTestApp({
      parts: { identityProviders: await googleOf(provider) },
      environment: { BASE_URL: 'https://vault.example', TRUST_PROXY: '127.0.0.1' },
    });
    const answer = await createBrowser(secure.app).send('GET', '/api/auth/google');
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^__Host-everkept-provider=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    await secure.close();
  });
});

describe('with several providers', () => {
  let theirs: TestIdentityProvider;
  let several: TestApp;
  const callbackOf = (slug: string) => `${testBaseUrl}/api/auth/${slug}/callback`;
  beforeAll(async () => {
    // The provider accepts the secret in the header only, which is the standard's default.
    theirs = await startIdentityProvider({
      redirectUris: [callbackOf('our-login')],
      takesSecretBy: 'client_secret_basic',
    });
    const { issuer, clientId, clientSecret } = theirs;
    const ours = await openIdentityProviders([
      { slug: 'our-login', name: 'Our Login', issuer, clientId, clientSecret },
    ]);
    several = await createTestApp({ parts: { identityProviders: [...(await googleOf(provider)), ...ours] } });
  });
  afterAll(async () => {
    await several.close();
    await theirs.close();
  });

  /** Begins at one provider and returns the path of the way back. */
  async function travelBy(slug: string, sub: string, at: Visitor): Promise<string> {
    const to = slug === 'google' ? provider : theirs;
    const left = await at.send(`/api/auth/${slug}`);
    const { pathname, search } = new URL(await to.visit(String(left.headers.location), sub));
    return pathname + search;
  }
  async function signInBy(slug: string, sub: string, at = visitor(several.app)) {
    return { answer: await at.send(await travelBy(slug, sub, at), { 'sec-fetch-site': 'cross-site' }), at };
  }
  const activityOf = async (userId: string) => {
    const rows = await several.database.db.select().from(auditLogs).where(eq(auditLogs.userId, userId));
    return rows.map(({ action, details }) => tellActivity(action, details as Record<string, unknown>).words);
  };

  it('names each, and signs in with the chosen one', async () => {
    theirs.people.push({ sub: 'ida', email: 'ida@people.example', email_verified: true });
    const { answer, at } = await signInBy('our-login', 'ida');
    expect(answer.headers.location).toBe('/');
    expect((await at.send('/api/auth/providers')).json()).toEqual({
      providers: [
        { slug: 'google', name: 'Google' },
        { slug: 'our-login', name: 'Our Login' },
      ],
    });
    expect((await at.send('/api/user/second-factors')).json()).toMatchObject({
      providers: [{ slug: 'our-login', name: 'Our Login' }],
    });
    const { id } = await at.user();
    expect(await (await signInBy('our-login', 'ida')).at.user()).toMatchObject({ id });
    expect(await activityOf(id)).toContain('You signed in with Our Login');
  });

  it('distinguishes people with one subject at two of them', async () => {
    const google = atProvider({ sub: 'the-same' });
    theirs.people.push({ sub: 'the-same', email: 'another@people.example', email_verified: true });
    const one = await (await signInBy('google', google.sub)).at.user();
    const other = await (await signInBy('our-login', 'the-same')).at.user();
    expect(other.id).not.toBe(one.id);
  });

  it('opens nothing on the word of one that has not verified the address', async () => {
    theirs.people.push({ sub: 'unsure', email: 'unsure@people.example', email_verified: false });
    const { answer, at } = await signInBy('our-login', 'unsure');
    expect([answer.headers.location, [...at.jar.keys()]]).toEqual(['/login?error=our_login_address_unverified', []]);
  });

  it('rejects an answer of one to the question of another', async () => {
    const person = atProvider();
    const at = visitor(several.app);
    const path = await travelBy('google', person.sub, at);
    const answer = await at.send(path.replace('/google/', '/our-login/'));
    expect([answer.headers.location, [...at.jar.keys()]]).toEqual(['/login?error=our_login_auth_failed', []]);
  });

  it('asks one without a choice of accounts for a new sign-in, and checks its time', async () => {
    theirs.people.push({ sub: 'fay', email: 'fay@people.example', email_verified: true });
    const { at } = await signInBy('our-login', 'fay');
    const asked = await at.send('/api/auth/our-login?purpose=confirm', { 'sec-fetch-site': 'same-origin' });
    const { searchParams } = new URL(String(asked.headers.location));
    expect(['prompt', 'max_age', 'claims'].map((name) => searchParams.get(name))).toEqual(['login', '600', null]);
    const { pathname, search } = new URL(await theirs.visit(String(asked.headers.location), 'fay'));
    expect((await at.send(pathname + search)).headers.location).toBe('/confirmed');
  });

  it('has no address for a name that is not configured', async () => {
    for (const path of ['/api/auth/nobody', '/api/auth/nobody/callback?code=a&state=b', '/api/auth/__proto__']) {
      expect((await visitor(several.app).send(path)).statusCode, path).toBe(404);
    }
  });
});
