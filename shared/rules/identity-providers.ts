/** What stands for a provider in addresses: words of lower case letters and digits, with hyphens between them. */
export const providerSlugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Of a name such as `Our Login`: `our-login`. Empty if nothing is left of it. */
export function providerSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** The nearest to a name that its word in addresses gives, where the name itself is not at hand: `Our Login` of `our-login`. */
export function providerNameFrom(slug: string): string {
  return slug.replace(/(^|-)([a-z0-9])/g, (_, before: string, first: string) => (before && ' ') + first.toUpperCase());
}

/** Why a sign-in with a provider came to nothing, as it stands in the address of the page that says so. */
export type ExternalFailure = { slug: string; why: keyof typeof endings };

const endings = {
  failed: '_auth_failed',
  old: '_sign_in_old',
  /** The address itself is told by mail how to go on. */
  mailed: '_email_sent',
  /** The provider says that it has not verified the address. */
  unverified: '_address_unverified',
  /** The provider gave no usable name of the person. */
  unnamed: '_person_unnamed',
  /** The identity opens another account, or the account has another identity of the provider. */
  taken: '_link_taken',
} as const;
const reasons = Object.keys(endings) as (keyof typeof endings)[];

/** Such as `google_auth_failed`. */
export function externalError({ slug, why }: ExternalFailure): string {
  return slug.replaceAll('-', '_') + endings[why];
}

/** Reads what `externalError` wrote; null for anything else. */
export function readExternalError(error: string | null): ExternalFailure | null {
  for (const why of reasons) {
    if (!error?.endsWith(endings[why])) continue;
    const slug = error.slice(0, -endings[why].length).replaceAll('_', '-');
    return providerSlugPattern.test(slug) ? { slug, why } : null;
  }
  return null;
}
