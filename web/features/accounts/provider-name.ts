import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';

/** Provider that the specification names, whether it is configured here or not. */
const google = { slug: 'google', name: 'Google' };

/**
 * Name of a provider by its slug. Null until loaded, and for a provider that is not configured. The author of a link
 * chooses the slug, and must not put text of their own on the page.
 */
export function useProviderName(slug: string | null): string | null {
  const { data } = useRead(light.getAuthProviders);
  return [google, ...(data?.providers ?? [])].find((provider) => provider.slug === slug)?.name ?? null;
}
