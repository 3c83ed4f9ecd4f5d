import { addressIn } from '#shared/rules/addresses/written-address.ts';

/**
 * Interval between recorded check-ins by changes. Changes come in quick succession, and one sign of life an hour is
 * enough.
 */
export const changeCheckinEveryMs = 3_600_000;

/**
 * True for the designated administrator: the address is the configured one in lower case, and the owner has proved the
 * mailbox. A verified address is not enough, because a stranger may have registered it and a scanner opened its link.
 * The account's own role field is only a label.
 */
export function isDesignated(
  { email, emailVerified, isMailboxProven }: { email: string; emailVerified: boolean; isMailboxProven: boolean },
  adminEmail: string | null | undefined,
): boolean {
  const designated = addressIn(adminEmail ?? '');
  return designated !== '' && emailVerified && isMailboxProven && email === designated;
}
