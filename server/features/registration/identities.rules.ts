import { requiredName } from '#shared/contract/fields.ts';
import { statedAddress } from '#shared/rules/addresses/written-address.ts';

/** Data of a person, as the provider sent them. */
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
 * Decides about a person who signs in with an identity that is new here. `vouched` is the address that the provider has
 * verified, `holder` the account that has it. The account's mailbox gets a link only if both the provider and the owner
 * have proved the address. A person who registered it here without proof knows the password, and would share the
 * account from then on. An account without any proof is handed over empty, as a link for a new password does. An
 * account that is linked with another person at the same provider stays theirs: a provider may give a freed address to
 * a new person.
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

/** Address that the provider has verified, as we store it; null if there is none that mail can reach. */
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

/** Longest subject of a provider (OpenID Connect Core 1.0 §2). */
export const subjectLengthMax = 255;

/** True if a subject names one person: many people share a blank one, and a longer one may be cut. */
export function isUsableSubject(subject: string): boolean {
  return subject.trim() !== '' && subject.length <= subjectLengthMax;
}
