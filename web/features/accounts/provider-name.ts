import { getAuthProviders } from '#shared/contract/identity.ts';
import { providerNameFrom } from '#shared/rules/identity-providers.ts';
import { useRead } from '#web/lib/api/reads.ts';

/** The name of a provider that is known by its word in addresses; until it is read, or where it is gone, the nearest to it. */
export function useProviderName(slug: string): string {
  const { data } = useRead(getAuthProviders);
  return data?.providers.find((provider) => provider.slug === slug)?.name ?? providerNameFrom(slug);
}
