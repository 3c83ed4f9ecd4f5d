/** What tells whether an account may be a person's own, although somebody in its mailbox says that it is not theirs. */
export type Claimed = {
  emailVerified: boolean;
  /** When the mailbox first answered; null where it never did. */
  firstVerifiedAt: { getTime(): number } | null;
  /** Since when whoever signs in is known to read the mailbox; null where that is not known. */
  mailboxProvenAt: { getTime(): number } | null;
  lastLoginAt: { getTime(): number } | null;
  lastCheckinAt: { getTime(): number };
  /** Whether somebody pays for it, is about to, or was given its plan. */
  isPaidFor: boolean;
  /** Whether the days are over in which the mail that asked its address could be answered. */
  isOld: boolean;
};

export type Removal = 'at-once' | 'with-undo';

/**
 * How an account goes of which its mailbox says "this was not me". The link may have been forwarded, so what could be
 * somebody's real vault closes and can be taken back for 30 days, by a proof of the mailbox. At once goes only what nobody
 * has used since the address was verified, and nobody pays for: a stranger's, or one with nothing to lose that was not
 * made within the minutes before.
 */
export function removalOf(account: Claimed): Removal {
  const { emailVerified, firstVerifiedAt, mailboxProvenAt, lastLoginAt, lastCheckinAt, isPaidFor, isOld } = account;
  if (isPaidFor || mailboxProvenAt !== null) return 'with-undo';
  // Verified by an operator's word: since when it is used as such is not known.
  if (firstVerifiedAt === null) return emailVerified ? 'with-undo' : 'at-once';
  // One that was set up, verified and left alone for longer may be of somebody who has died since.
  if (isOld) return 'with-undo';
  const usedMs = Math.max(lastLoginAt?.getTime() ?? 0, lastCheckinAt.getTime());
  return usedMs > firstVerifiedAt.getTime() ? 'with-undo' : 'at-once';
}
