/** Signs that an account may be a person's own, although a reader of its mailbox denied it. */
export type Claimed = {
  emailVerified: boolean;
  /** First verification of the address; null if it was never verified. */
  firstVerifiedAt: { getTime(): number } | null;
  /** Time since which the account's user is known to read the mailbox; null if unknown. */
  mailboxProvenAt: { getTime(): number } | null;
  lastLoginAt: { getTime(): number } | null;
  lastCheckinAt: { getTime(): number };
  /** True if the account is paid for, has an open checkout, or was given its plan. */
  isPaidFor: boolean;
  /** True if the time to answer the verification mail has ended. */
  isOld: boolean;
};

export type Removal = 'at-once' | 'with-undo';

/**
 * Decides how an account is removed after "this was not me". The link may have been forwarded, so a vault that could be
 * real closes, and a proof of the mailbox undoes that for 30 days. An account is deleted immediately if it is unpaid,
 * recent and unused since its verification. Such an account is a stranger's, or has nothing to lose.
 */
export function removalOf(account: Claimed): Removal {
  const { emailVerified, firstVerifiedAt, mailboxProvenAt, lastLoginAt, lastCheckinAt, isPaidFor, isOld } = account;
  if (isPaidFor || mailboxProvenAt !== null) return 'with-undo';
  // Verified by an operator's word: since when it is used as such is not known.
  if (firstVerifiedAt === null) return emailVerified ? 'with-undo' : 'at-once';
  // An older account that was set up, verified and left alone may belong to a person who has died since.
  if (isOld) return 'with-undo';
  const usedMs = Math.max(lastLoginAt?.getTime() ?? 0, lastCheckinAt.getTime());
  return usedMs > firstVerifiedAt.getTime() ? 'with-undo' : 'at-once';
}
