import type { OwnerRow } from './accounts.repository.ts';

/** The number that may be texted about this account: none before its code was typed. */
export function provenPhone({ phone, phoneProvenAt }: Pick<OwnerRow, 'phone' | 'phoneProvenAt'>): string | null {
  return phoneProvenAt === null ? null : phone;
}
