/** With an identity provider, by its word in addresses: the log keeps single words alone. */
export type ProviderMethod = `provider:${string}`;

/** What comes first in a sign-in, and can wait for a second step. */
export type FirstStepMethod = 'password' | ProviderMethod;

/** How somebody proved who they are, as it stands in the log. */
export type SignInMethod = FirstStepMethod | 'passkey' | 'registration';

export function methodOf({ slug }: { slug: string }): ProviderMethod {
  return `provider:${slug}`;
}
