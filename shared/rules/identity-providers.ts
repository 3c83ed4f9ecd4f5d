/** What stands for a provider in addresses: words of lower case letters and digits, with hyphens between them. */
export const providerSlugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Of a name such as `Our Login`: `our-login`. Empty where nothing is left of it. */
export function providerSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** The nearest to a name that its word in addresses gives, where the name itself is not at hand: `Our Login` of `our-login`. */
export function providerNameFrom(slug: string): string {
  return slug.replace(/(^|-)([a-z0-9])/g, (_, before: string, first: string) => (before && ' ') + first.toUpperCase());
}

/** Why a sign-in with a provider came to nothing, as it stands in the address of the page that says so. */
export type ExternalFailure = { slug: string; why: 'failed' | 'old' };

const endings = { failed: '_auth_failed', old: '_sign_in_old' } as const;

/** Such as `google_auth_failed`. */
export function externalError({ slug, why }: ExternalFailure): string {
  return slug.replaceAll('-', '_') + endings[why];
}

/** Reads what `externalError` wrote; null for anything else. */
export function readExternalError(error: string | null): ExternalFailure | null {
  for (const why of ['failed', 'old'] as const) {
    if (!error?.endsWith(endings[why])) continue;
    const slug = error.slice(0, -endings[why].length).replaceAll('_', '-');
    return providerSlugPattern.test(slug) ? { slug, why } : null;
  }
  return null;
}
