import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  startIdentityProvider,
  type TestIdentityProvider,
  type TokenAnswer,
} from '#tests/support/servers/identity-provider.ts';
import { type IdentityChecks, IdentityError, openIdentityProviders } from './identity-provider.ts';
import { createOpenIdProvider } from './openid-provider.ts';

const redirectUri = 'http://everkept.localhost/api/auth/google/callback';
const ada = { sub: 'ada-1', email: 'Ada@People.example', email_verified: true, given_name: 'Ada', family_name: 'Shah' };

let test: TestIdentityProvider;

beforeAll(async () => {
  test = await startIdentityProvider({ redirectUris: [redirectUri], people: [ada] });
});
afterEach(() => {
  test.tamper = null;
});
afterAll(() => test.close());

const clientOf = ({ issuer, clientId, clientSecret } = test) =>
  createOpenIdProvider({ issuer, clientId, clientSecret });

/** Goes there and comes back; gives all that `complete` needs. */
async function travel(provider = clientOf(), sub: string | null = ada.sub, at = test) {
  const { url, checks } = await provider.begin(redirectUri);
  const back = await at.visit(url, sub);
  return { provider, answer: { redirectUri, query: new URL(back).search, checks } };
}

async function failureOf(work: Promise<unknown>): Promise<{ failure: string; code: string }> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof IdentityError)) throw new Error(`Expected a refusal, got ${String(error)}`);
  expect(error.cause).toBeUndefined();
  return { failure: error.failure, code: error.code };
}

describe('asking a provider for a person’s identity', () => {
  it('sends the browser there with a challenge, a state and a nonce, and keeps the verifier', async () => {
    const { url, checks } = await clientOf().begin(redirectUri);
    const { origin, searchParams } = new URL(url);
    expect(origin).toBe(test.issuer);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: test.clientId,
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    });
    expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(checks.verifier);
  });

  it('makes up new values for every sign-in', async () => {
    const provider = clientOf();
    const values = [await provider.begin(redirectUri), await provider.begin(redirectUri)].flatMap(({ checks }) =>
      Object.values(checks),
    );
    expect(new Set(values).size).toBe(6);
    for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
  });

  it('learns issuer, subject, address and names', async () => {
    const { provider, answer } = await travel();
    expect(await provider.complete(answer)).toEqual({
      issuer: test.issuer,
      subject: 'ada-1',
      email: 'Ada@People.example',
      isEmailVerified: true,
      isEmailDenied: false,
      givenName: 'Ada',
      familyName: 'Shah',
    });
  });

  it('takes an address as unverified unless the provider says true', async () => {
    for (const verified of [false, 'true', 1, undefined]) {
      const { provider, answer } = await travel();
      test.tamper = (given) => ({
        ...given,
        id_token: test.token({ ...test.claimsOf(given), email_verified: verified, given_name: ['Ada'] }),
      });
      expect(await provider.complete(answer)).toMatchObject({ isEmailVerified: false, givenName: null });
    }
  });

  it.each([
    [false, true],
    ['false', true],
    [true, false],
    ['true', false],
    [undefined, false],
  ])('reads an email_verified of %o as a denial: %o', async (verified, isEmailDenied) => {
    const { provider, answer } = await travel();
    test.tamper = (given) => ({
      ...given,
      id_token: test.token({ ...test.claimsOf(given), email_verified: verified }),
    });
    expect(await provider.complete(answer)).toMatchObject({ isEmailDenied });
  });

  it('asks for the address where the token does not hold it', async () => {
    const reticent = await startIdentityProvider({ redirectUris: [redirectUri], people: [ada], isReticent: true });
    const { provider, answer } = await travel(clientOf(reticent), ada.sub, reticent);
    expect(await provider.complete(answer)).toMatchObject({ email: 'Ada@People.example', isEmailVerified: true });
    expect(reticent.asked).toContain('/me');
    await reticent.close();
  });
});

describe('an answer that proves nothing is refused:', () => {
  const reshaped = (change: (claims: Record<string, unknown>) => Record<string, unknown>) => (given: TokenAnswer) => ({
    ...given,
    id_token: test.token(change(test.claimsOf(given))),
  });
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const tampered: [string, (given: TokenAnswer) => TokenAnswer][] = [
    ['another nonce', reshaped((claims) => ({ ...claims, nonce: 'of-another-sign-in' }))],
    ['no nonce', reshaped(({ nonce: _, ...claims }) => claims)],
    ['another audience', reshaped((claims) => ({ ...claims, aud: 'another-client' }))],
    ['another issuer', reshaped((claims) => ({ ...claims, iss: 'http://localhost:1' }))],
    ['an expired token', reshaped((claims) => ({ ...claims, exp: nowSeconds() - 3600, iat: nowSeconds() - 7200 }))],
    ['a token without an end', reshaped(({ exp: _, ...claims }) => claims)],
    ['no subject', reshaped(({ sub: _, ...claims }) => claims)],
    ['the algorithm none', (given) => ({ ...given, id_token: test.token(test.claimsOf(given), 'none') })],
    ["a stranger's signature", (given) => ({ ...given, id_token: test.token(test.claimsOf(given), 'stranger') })],
    [
      'changed claims under the right signature',
      (given) => {
        const [head, , signature] = (given.id_token ?? '').split('.');
        const claims = Buffer.from(JSON.stringify({ ...test.claimsOf(given), sub: 'somebody-else' }));
        return { ...given, id_token: `${head}.${claims.toString('base64url')}.${signature}` };
      },
    ],
    ['no identity token', ({ id_token: _, ...given }) => given],
  ];

  it.each(tampered)('%s', async (_, tamper) => {
    const { provider, answer } = await travel();
    test.tamper = tamper;
    expect((await failureOf(provider.complete(answer))).failure).toBe('refused');
  });

  const wrongChecks: [string, (checks: IdentityChecks) => IdentityChecks][] = [
    ['a state that is not the one sent', (checks) => ({ ...checks, state: 'A'.repeat(43) })],
    ['a verifier that is not the one sent', (checks) => ({ ...checks, verifier: 'A'.repeat(43) })],
  ];

  it.each(wrongChecks)('%s', async (_, change) => {
    const { provider, answer } = await travel();
    const { failure } = await failureOf(provider.complete({ ...answer, checks: change(answer.checks) }));
    expect(failure).toBe('refused');
  });

  const wrongQueries: [string, (query: URLSearchParams) => void][] = [
    ['no state', (query) => query.delete('state')],
    ['no code', (query) => query.delete('code')],
    ['an invented code', (query) => query.set('code', 'A'.repeat(43))],
    ['two codes', (query) => query.append('code', 'another')],
    ['two states', (query) => query.append('state', 'another')],
    ['the name of another issuer', (query) => query.set('iss', 'https://elsewhere.example')],
    ['nothing at all', (query) => ['code', 'state', 'iss'].map((name) => query.delete(name))],
  ];

  it.each(wrongQueries)('%s', async (_, change) => {
    const { provider, answer } = await travel();
    const query = new URLSearchParams(answer.query);
    change(query);
    expect((await failureOf(provider.complete({ ...answer, query: `?${query}` }))).failure).toBe('refused');
  });

  it('a code that was used', async () => {
    const { provider, answer } = await travel();
    await provider.complete(answer);
    expect(await failureOf(provider.complete(answer))).toEqual({ failure: 'refused', code: 'invalid_grant' });
  });

  it('a person who said no', async () => {
    const { provider, answer } = await travel(clientOf(), null);
    expect(await failureOf(provider.complete(answer))).toEqual({ failure: 'refused', code: 'access_denied' });
  });
});

describe('a provider in trouble', () => {
  it('is not asked before it is needed, and asked again after a failure', async () => {
    const late = await startIdentityProvider({ redirectUris: [redirectUri], people: [ada] });
    const [opened] = await openIdentityProviders([{ slug: 'google', name: 'Google', ...late }]);
    expect(late.asked).toEqual([]);
    await late.close();
    if (!opened) throw new Error('These settings ask for a provider.');
    const { provider } = opened;
    expect((await failureOf(provider.begin(redirectUri))).failure).toBe('unavailable');
    expect((await failureOf(provider.begin(redirectUri))).failure).toBe('unavailable');

    const port = Number(new URL(late.issuer).port);
    const again = await startIdentityProvider({ redirectUris: [redirectUri], people: [ada], port });
    const { answer } = await travel(provider, ada.sub, again);
    expect(await provider.complete(answer)).toMatchObject({ subject: ada.sub });
    await again.close();
  });

  it('is found once for everybody who waits, and remembered', async () => {
    const provider = clientOf();
    const before = test.asked.length;
    await Promise.all([provider.begin(redirectUri), provider.begin(redirectUri)]);
    await provider.begin(redirectUri);
    expect(test.asked.slice(before)).toEqual(['/.well-known/openid-configuration']);
  });

  it('times out without blocking others', async () => {
    const silent = createServer(() => undefined).listen(0, 'localhost');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const provider = createOpenIdProvider({
      issuer: `http://localhost:${port}`,
      clientId: 'a',
      clientSecret: 'b',
      timeoutMs: 200,
    });
    expect(await failureOf(provider.begin(redirectUri))).toEqual({ failure: 'unavailable', code: 'OAUTH_TIMEOUT' });
    silent.close();
  });

  it('under another name is another provider', async () => {
    const { issuer, clientId, clientSecret } = test;
    const provider = createOpenIdProvider({ issuer: `${issuer}/?`, clientId, clientSecret });
    expect(await failureOf(provider.begin(redirectUri))).toEqual({
      failure: 'unavailable',
      code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
    });
  });

  it('that does not know us is for the operator to see', async () => {
    const provider = createOpenIdProvider({ issuer: test.issuer, clientId: test.clientId, clientSecret: 'wrong' });
    const { answer } = await travel(provider);
    expect(await failureOf(provider.complete(answer))).toEqual({ failure: 'unavailable', code: 'invalid_client' });
  });

  it('is asked over plain http on this machine alone', async () => {
    const provider = createOpenIdProvider({ issuer: 'http://192.0.2.1', clientId: 'a', clientSecret: 'b' });
    const { failure, code } = await failureOf(provider.begin(redirectUri));
    expect([failure, code]).toEqual(['unavailable', 'OAUTH_HTTP_REQUEST_FORBIDDEN']);
  });
});

describe('without settings', () => {
  it('there is no provider', async () => {
    expect(await openIdentityProviders([])).toEqual([]);
  });
});
