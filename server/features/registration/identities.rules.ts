import { requiredName } from '#shared/contract/fields.ts';
import { statedAddress } from '#shared/rules/addresses/written-address.ts';

/** What a provider says of somebody. */
export type Claims = {
  email: string | null;
  isEmailVerified: boolean;
  givenName: string | null;
  familyName: string | null;
};

/** The account that has the address already, if there is one. */
type Holder = { isProven: boolean; wasNeverProven: boolean; isOfSameProvider: boolean };

/** `asked`: the address was mailed whether the provider may open its account. */
export type Refusal = 'unverified-there' | 'unproven-here' | 'somebody-else' | 'asked';

/**
 * What becomes of somebody whom we have not met under this identity. `vouched` is the address that the provider has
 * verified, `holder` the account that has it. The mailbox of an
 * account is asked for a link only if the provider has verified the address, and the owner has shown that they read its mail. A
 * person who registered it here without proof knows its password, and would share the account from then on. One that nobody
 * ever proved is handed over empty, as a link for a new password does. An account that is another person's at the same
 * provider stays theirs, since an address that was given up is given to somebody else.
 */
export function decideNewIdentity(
  vouched: string | null,
  holder: Holder | null,
): { does: 'open'; email: string } | { does: 'ask' } | { does: 'hand-over' } | { does: 'refuse'; why: Refusal } {
  if (vouched === null) return { does: 'refuse', why: 'unverified-there' };
  if (holder === null) return { does: 'open', email: vouched };
  if (holder.wasNeverProven) return { does: 'hand-over' };
  if (!holder.isProven) return { does: 'refuse', why: 'unproven-here' };
  return holder.isOfSameProvider ? { does: 'refuse', why: 'somebody-else' } : { does: 'ask' };
}

/** The address a provider vouches for, as we keep it; null where it vouches for none that mail could reach. */
export function vouchedEmail({ email, isEmailVerified }: Claims): string | null {
  return isEmailVerified && email !== null ? statedAddress(email) : null;
}

/** The names of a new account; what could not be typed at registration is left out. */
export function namesOf({ givenName, familyName }: Claims): { firstName: string | null; lastName: string | null } {
  return { firstName: nameOf(givenName), lastName: nameOf(familyName) };
}

function nameOf(claim: string | null): string | null {
  const read = requiredName().safeParse(claim);
  return read.success ? read.data : null;
}
