import * as openid from 'openid-client';
import { isLoopback } from '#server/platform/loopback.ts';
import {
  type Identity,
  type IdentityChecks,
  IdentityError,
  type IdentityFailure,
  type IdentityProvider,
  type IdentityProviderSettings,
  oldSignIn,
} from './identity-provider.ts';

/** A person who pressed the button prefers to wait over starting again, and a busy machine may need seconds. */
const timeoutMsDefault = 10_000;
/** Time after which the provider's metadata is fetched again. */
const metadataMaxAgeMs = 24 * 3_600_000;
/** Accepted difference between the provider's clock and ours. */
const clockToleranceSeconds = 30;
const scope = 'openid email profile';

/**
 * OpenID Connect Core 1.0 with the authorisation code flow, PKCE (S256), state and nonce. The signature of the
 * identity token is checked although it came straight from the provider.
 */
export function createOpenIdProvider(settings: IdentityProviderSettings): IdentityProvider {
  const configuration = rememberedConfiguration(settings);

  return {
    begin: (redirectUri, { maxAgeSeconds } = {}) =>
      withoutDetails(async () => {
        const checks: IdentityChecks = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          verifier: openid.randomPKCECodeVerifier(),
        };
        const url = openid.buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
          ...(maxAgeSeconds === undefined ? {} : freshness(settings, maxAgeSeconds)),
        });
        return { url: url.href, checks };
      }),

    complete: ({ redirectUri, query, checks, maxAgeSeconds }) =>
      withoutDetails(async () => {
        const answered = new URL(redirectUri);
        answered.search = query;
        const provider = await configuration();
        const tokens = await openid.authorizationCodeGrant(provider, answered, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
        });
        if (maxAgeSeconds !== undefined) requireAge(tokens, maxAgeSeconds);
        return identityOf(provider, tokens);
      }),
  };
}

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

/**
 * Asks for a recent sign-in, and for its time in the token. Google ignores `prompt=login`, so it is asked to let the
 * person choose the account. It returns the time only if the claim is named (§5.5). For other providers `max_age` is
 * enough by the standard (§2).
 */
function freshness({ proofPrompt = 'login' }: IdentityProviderSettings, maxAgeSeconds: number): Record<string, string> {
  const asked = { prompt: proofPrompt, max_age: String(maxAgeSeconds) };
  if (proofPrompt === 'login') return asked;
  return { ...asked, claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) };
}

/**
 * Client authentication as the provider accepts it (OpenID Connect Discovery 1.0 §3,
 * `token_endpoint_auth_methods_supported`). Default: in the header.
 */
function authentication(clientSecret: string): openid.ClientAuth {
  const [inBody, inHeader] = [openid.ClientSecretPost(clientSecret), openid.ClientSecretBasic(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_post') ? inBody : inHeader;
    authenticate(server, ...rest);
  };
}

/** A provider may disregard what it was asked, so the token must say when (§2, `auth_time`, in seconds). */
function requireAge(tokens: Tokens, maxAgeSeconds: number): void {
  const at = tokens.claims()?.auth_time;
  const ageSeconds = typeof at === 'number' ? Date.now() / 1000 - at : Number.NaN;
  const isFresh = ageSeconds > -clockToleranceSeconds && ageSeconds < maxAgeSeconds + clockToleranceSeconds;
  if (!isFresh) throw new IdentityError('refused', oldSignIn);
}

async function identityOf(provider: openid.Configuration, tokens: Tokens): Promise<Identity> {
  const claims = tokens.claims();
  if (!claims) throw new IdentityError('refused', 'no_id_token');
  // Google puts the address into the token; the standard allows a provider to tell it only when asked (§5.4).
  const hasMore = claims.email === undefined && provider.serverMetadata().userinfo_endpoint !== undefined;
  const person = hasMore ? await openid.fetchUserInfo(provider, tokens.access_token, claims.sub) : claims;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: textOf(person.email),
    isEmailVerified: person.email_verified === true,
    // Some providers write their booleans as text.
    isEmailDenied: person.email_verified === false || person.email_verified === 'false',
    givenName: textOf(person.given_name),
    familyName: textOf(person.family_name),
  };
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null;
}

/** Discovers the provider when it is first needed, once for all who wait, and again after a failure. */
function rememberedConfiguration(settings: IdentityProviderSettings): () => Promise<openid.Configuration> {
  const { clientId, clientSecret, timeoutMs = timeoutMsDefault } = settings;
  const issuer = new URL(settings.issuer);
  const isOnThisMachine = issuer.protocol === 'http:' && isLoopback(issuer.hostname);
  let known: { found: Promise<openid.Configuration>; atMs: number } | undefined;

  const discover = async () => {
    try {
      return await openid.discovery(
        issuer,
        clientId,
        { client_secret: clientSecret, [openid.clockTolerance]: clockToleranceSeconds },
        authentication(clientSecret),
        {
          timeout: timeoutMs / 1000,
          execute: [openid.enableNonRepudiationChecks, ...(isOnThisMachine ? [openid.allowInsecureRequests] : [])],
        },
      );
    } catch (error) {
      // No answer was submitted yet, so any fault here is for the operator.
      throw new IdentityError('unavailable', codeOf(error));
    }
  };

  return () => {
    const nowMs = performance.now();
    if (known && nowMs - known.atMs < metadataMaxAgeMs) return known.found;

    const asked = { atMs: nowMs, found: discover() };
    known = asked;
    asked.found.catch(() => {
      // Waiting callers get this failure; the next caller fetches again.
      if (known === asked) known = undefined;
    });
    return asked.found;
  };
}

/** The library's errors carry exchanged data, so only a code of each is passed on. */
async function withoutDetails<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IdentityError) throw error;
    throw new IdentityError(failureOf(error), codeOf(error));
  }
}

/** Library codes for an answer that does not match the sign-in we began. */
const refusals: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

function failureOf(error: unknown): IdentityFailure {
  if (error instanceof openid.AuthorizationResponseError) return 'refused';
  // Any other error of the token endpoint, such as `invalid_client`, is for the operator to mend.
  if (error instanceof openid.ResponseBodyError) return error.error === 'invalid_grant' ? 'refused' : 'unavailable';
  return error instanceof openid.ClientError && refusals.has(error.code ?? '') ? 'refused' : 'unavailable';
}

function codeOf(error: unknown): string {
  const { error: said, code, cause } = (error ?? {}) as { error?: unknown; code?: unknown; cause?: { code?: unknown } };
  const word = [said, code, cause?.code].find((one) => typeof one === 'string' && /^\w{1,60}$/.test(one));
  return typeof word === 'string' ? word : 'unknown';
}
