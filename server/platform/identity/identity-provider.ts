/** What is made up for one sign-in, kept by the browser's side until the provider sends it back, and used once. */
export type IdentityChecks = {
  /** Binds the answer to the browser that asked (RFC 6749 §10.12). */
  state: string;
  /** Binds the identity token to the same question (OpenID Connect Core 1.0 §3.1.2.1). */
  nonce: string;
  /** Proves at the exchange of the code that the asker is the same (PKCE, RFC 7636). */
  verifier: string;
};

/** Whom a provider has vouched for. Issuer and subject together name a person permanently; an address does not. */
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
   * Where to send the browser, and what has to be known when it comes back. With `maxAgeSeconds` the provider is asked to
   * let nobody through who proved longer ago there who they are (OpenID Connect Core 1.0 §3.1.2.1), and to let them say
   * once more which account is theirs. @throws IdentityError `unavailable`.
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
  /**
   * By which `prompt` it is asked to let its person prove once more who they are: to sign in again where it can, or to
   * choose the account where that is all it knows.
   */
  proofPrompt?: 'login' | 'select_account';
  /** How long one answer of the provider may take. */
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

/** A sign-in that came to nothing. Holds no part of what was exchanged, since that may be a token or an address. */
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
 * The providers these settings ask for. Nobody is asked anything yet: a provider that cannot be reached neither stops nor
 * delays a start.
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
