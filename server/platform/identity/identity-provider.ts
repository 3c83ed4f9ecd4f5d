/**
 * Random values of one sign-in. The browser's side keeps them until the provider redirects back, and they are used
 * once.
 */
export type IdentityChecks = {
  /** Binds the answer to the browser that asked (RFC 6749 §10.12). */
  state: string;
  /** Binds the identity token to the same question (OpenID Connect Core 1.0 §3.1.2.1). */
  nonce: string;
  /** Proves at the exchange of the code that the asker is the same (PKCE, RFC 7636). */
  verifier: string;
};

/** Person at a provider. Issuer and subject together name a person permanently; an address does not. */
export type Identity = {
  issuer: string;
  subject: string;
  email: string | null;
  /** True if the provider says that it has verified the address. */
  isEmailVerified: boolean;
  /** True if the provider says outright that it has not; a provider that says nothing denies nothing. */
  isEmailDenied: boolean;
  givenName: string | null;
  familyName: string | null;
};

/** A provider that people sign in with, by OpenID Connect. */
export type IdentityProvider = {
  /**
   * Address for the browser, and the values needed on its return. With `maxAgeSeconds` the provider must refuse
   * people who proved their identity longer ago (OpenID Connect Core 1.0 §3.1.2.1). It also lets them choose the
   * account again.
   *
   * @throws IdentityError `unavailable`.
   */
  begin(redirectUri: string, options?: { maxAgeSeconds?: number }): Promise<{ url: string; checks: IdentityChecks }>;
  /**
   * Takes what the browser brought back, as the query of the address it came to, and asks the provider who it is.
   *
   * @throws IdentityError; `refused` with the code `old_sign_in` where, with `maxAgeSeconds`, the provider does not say
   * that the person proved who they are within that time.
   */
  complete(answer: {
    redirectUri: string;
    query: string;
    checks: IdentityChecks;
    maxAgeSeconds?: number;
  }): Promise<Identity>;
};

export type IdentityProviderSettings = {
  clientId: string;
  clientSecret: string;
  /** Its address as it stands in its own tokens: https, or http on this machine. */
  issuer: string;
  /** Value of `prompt` for a new proof: sign in again, or choose the account if the provider knows only that. */
  proofPrompt?: 'login' | 'select_account';
  /** Timeout of one answer of the provider. */
  timeoutMs?: number;
};

/** A provider by the name that people know it by, and the word that stands for it in addresses. */
export type NamedProvider = { slug: string; name: string; issuer: string; provider: IdentityProvider };

/**
 * `refused`: the answer did not hold, or the person said no. `unavailable`: the provider could not be asked, did not
 * answer sensibly, or does not know us.
 */
export type IdentityFailure = 'refused' | 'unavailable';

/** The code of a refusal for want of a sign-in at the provider that is new enough. */
export const oldSignIn = 'old_sign_in';

/** A failed sign-in. Holds none of the exchanged data, which may be a token or an address. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly failure: IdentityFailure;
  /** A word for the operator, such as `invalid_grant` or `ECONNREFUSED`. */
  readonly code: string;

  constructor(failure: IdentityFailure, code: string) {
    super(failure === 'refused' ? 'The sign-in was not proved.' : 'The identity provider could not be asked.');
    this.failure = failure;
    this.code = code;
  }
}

/**
 * Providers of these settings. No provider is contacted yet, so an unreachable one neither stops nor delays a start.
 */
export async function openIdentityProviders(
  all: readonly (IdentityProviderSettings & { slug: string; name: string })[],
): Promise<NamedProvider[]> {
  if (all.length === 0) return [];

  const { createOpenIdProvider } = await import('./openid-provider.ts');
  return all.map((settings) => {
    const { slug, name, issuer } = settings;
    return { slug, name, issuer, provider: createOpenIdProvider(settings) };
  });
}
