import { addressIn } from '#shared/rules/addresses/written-address.ts';

/** Changes follow each other closely while somebody works; one sign of life an hour says as much. */
export const changeCheckinEveryMs = 3_600_000;

/**
 * Whether an account is the designated administrator's: its address is the configured one, letter by letter once both
 * are in lower case, and its owner has proved that they read its mailbox: an address that is merely verified may have been
 * registered by anybody, and its link opened by a scanner. What the account says of its own role is a label.
 */
export function isDesignated(
  { email, emailVerified, isMailboxProven }: { email: string; emailVerified: boolean; isMailboxProven: boolean },
  adminEmail: string | null | undefined,
): boolean {
  const designated = addressIn(adminEmail ?? '');
  return designated !== '' && emailVerified && isMailboxProven && email === designated;
}
