/** With an identity provider, by its word in addresses: the log keeps single words alone. */
export type ProviderMethod = `provider:${string}`;

/** Methods of the first step, which can require a second one. */
export type FirstStepMethod = 'password' | ProviderMethod;

/** Sign-in method as the log records it. */
export type SignInMethod = FirstStepMethod | 'passkey' | 'registration';

export function methodOf({ slug }: { slug: string }): ProviderMethod {
  return `provider:${slug}`;
}
