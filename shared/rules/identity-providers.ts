/** Provider slug in addresses: lower-case words and digits, joined by hyphens. */
export const providerSlugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Slug of a name: `our-login` for `Our Login`. Empty if no letter or digit is left. */
export function providerSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** The nearest to a name that its word in addresses gives, where the name itself is not at hand: `Our Login` of `our-login`. */
export function providerNameFrom(slug: string): string {
  return slug.replace(/(^|-)([a-z0-9])/g, (_, before: string, first: string) => (before && ' ') + first.toUpperCase());
}

/** Reason of a failed sign-in with a provider, as it appears in the address of the error page. */
export type ExternalFailure = { slug: string; why: keyof typeof endings };

const endings = {
  failed: '_auth_failed',
  old: '_sign_in_old',
  /** The way to continue was emailed to the address itself. */
  mailed: '_email_sent',
  /** The provider says that it has not verified the address. */
  unverified: '_address_unverified',
  /** The provider gave no usable name of the person. */
  unnamed: '_person_unnamed',
  /** The identity opens another account, or the account has another identity of the provider. */
  taken: '_link_taken',
} as const;
const reasons = Object.keys(endings) as (keyof typeof endings)[];

/** Error code such as `google_auth_failed`. */
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
