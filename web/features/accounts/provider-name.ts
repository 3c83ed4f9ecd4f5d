import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';

/** What the specification tells by its name, whether it is set up here or not. */
const google = { slug: 'google', name: 'Google' };

/**
 * The name of a provider that is known by its word in addresses. Null until it is read, and of one that is not set up here:
 * whoever writes a link to a page chooses that word, and puts none of their own on it.
 */
export function useProviderName(slug: string | null): string | null {
  const { data } = useRead(light.getAuthProviders);
  return [google, ...(data?.providers ?? [])].find((provider) => provider.slug === slug)?.name ?? null;
}
