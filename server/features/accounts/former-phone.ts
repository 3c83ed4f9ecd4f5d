import { dayMs } from '#shared/rules/inactivity.ts';
import type { OwnerRow } from './accounts.repository.ts';

/** Days for which notices go to a former number after its change or removal. */
export const formerPhoneDays = 30;

type Former = Pick<OwnerRow, 'formerPhone' | 'formerPhoneUntil'>;

/** The former number that still gets texts about a release; null after its days. */
export function formerPhone({ formerPhone: phone, formerPhoneUntil: until }: Former, at: Date): string | null {
  return until !== null && until > at ? phone : null;
}

/**
 * The former number once the owner has another one, or none. The oldest of these days stays: a person who has stolen an
 * account can't push it out by further changes.
 */
export function formerPhoneAfter(
  owner: Pick<OwnerRow, 'phone' | 'phoneProvenAt'> & Former,
  at: Date,
): { formerPhone: string | null; formerPhoneUntil: Date | null } {
  const kept = formerPhone(owner, at);
  if (kept !== null) return { formerPhone: kept, formerPhoneUntil: owner.formerPhoneUntil };
  if (owner.phone === null || owner.phoneProvenAt === null) return { formerPhone: null, formerPhoneUntil: null };
  return { formerPhone: owner.phone, formerPhoneUntil: new Date(at.getTime() + formerPhoneDays * dayMs) };
}
