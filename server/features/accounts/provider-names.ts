import type { NamedProvider } from '#server/platform/identity/identity-provider.ts';
import { statedAddress } from '#shared/rules/addresses/written-address.ts';
import { providerSlug } from '#shared/rules/identity-providers.ts';
import type { IdentityRow } from './identities.repository.ts';

type Providers = readonly Pick<NamedProvider, 'slug' | 'name' | 'issuer'>[];

/** Name of the provider of an issuer; the host of the issuer if it is not set up here any more. */
export function providerNameOf(providers: Providers, issuer: string): string {
  return providers.find((provider) => provider.issuer === issuer)?.name ?? hostOf(issuer);
}

/** Word for the provider in addresses and in the log. */
export function providerWordOf(providers: Providers, issuer: string): string {
  return providers.find((provider) => provider.issuer === issuer)?.slug ?? providerSlug(hostOf(issuer));
}

/** Link with a provider as the owner of the account sees it. */
export function describeIdentity(providers: Providers, row: IdentityRow) {
  return {
    id: row.id,
    provider: providerNameOf(providers, row.issuer),
    isUsable: providers.some(({ issuer }) => issuer === row.issuer),
    email: row.email,
    linkedAt: row.createdAt,
    lastUsedAt: row.lastUsedAt,
  };
}

/** Address that a provider gave, as we keep it; null if mail could not reach it. */
export function addressAtProvider({ email }: { email: string | null }): string | null {
  return email === null ? null : statedAddress(email);
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).hostname : issuer;
}
