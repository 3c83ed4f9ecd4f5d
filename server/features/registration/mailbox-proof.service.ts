import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { SessionActor } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Database } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { recordMailboxProof } from './mailbox-proof.ts';
import { findByVerificationToken, storeVerificationToken } from './mailed-links.repository.ts';
import { mailboxProofEmail } from './registration.emails.ts';
import { verificationLinkMs, verificationMailBudget } from './registration.limits.ts';

export type MailboxProofs = {
  /**
   * Sends a link to the address of somebody signed in; nothing where their mailbox is proven. @throws AppError
   * `EMAIL_VERIFICATION_REQUIRED` or `RATE_LIMITED`.
   */
  askForMailboxProof(userId: string): Promise<void>;
  /**
   * That somebody signed in holds the link that was mailed to their own address. Pressing twice is fine.
   *
   * @throws AppError `NOT_FOUND` for a link that is unknown, too old, or another account's.
   */
  proveMailboxByLink(actor: SessionActor, token: string): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  audit: Audit;
  notifications: Notifications;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  baseUrl: string;
};

/**
 * A verified address says that its link was opened; scanners do that, and so does somebody who thinks nothing of it. Here
 * one person shows both: that they can sign in, and that they read the mail.
 */
export function createMailboxProofs(deps: Dependencies): MailboxProofs {
  const { db, clock, hashToken, audit, notifications, spendBudget, activity, baseUrl } = deps;

  return {
    async askForMailboxProof(userId) {
      const known = await findOwner(db, userId);
      if (!known) throw notFound();
      if (!known.emailVerified && !known.isDisowned) throw unverified();
      if (known.mailboxProvenAt) return;
      await spendBudget(`verification mail ${known.email}`, verificationMailBudget);
      const token = newToken();
      const tokenHash = hashToken(token);
      await db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        if (!owner || owner.mailboxProvenAt) return;
        const at = await clock.now(tx);
        await storeVerificationToken(tx, { userId, tokenHash, expiresAt: new Date(at.getTime() + verificationLinkMs) });
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: 'accounts.mailbox-proof',
          userId,
          subjectId: null,
          dedupeKey: `accounts.mailbox-proof:${tokenHash}`,
          at,
          to: { address: owner.email },
          mail: mailboxProofEmail({ to: owner, url: `${baseUrl}/confirm-mailbox/${token}`, baseUrl }),
        });
      });
    },

    async proveMailboxByLink({ userId, origin }, token) {
      const tokenHash = hashToken(token);
      await db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        const holder = await findByVerificationToken(tx, tokenHash);
        const at = await clock.now(tx);
        const isLive = holder?.id === userId && holder.expiresAt !== null && holder.expiresAt > at;
        // The deletion of a disowned account can be taken back only after a proof of the mailbox, verified or not.
        if (!owner || !(owner.emailVerified || owner.isDisowned) || !isLive) throw deadLink();
        await recordMailboxProof({ activity, audit }, tx, { userId, by: 'mailbox-link', origin, at });
      });
    },
  };
}

function unverified() {
  return new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first.');
}

function deadLink() {
  return notFound('This link is for another account, or its day is up. Ask for a new one.');
}
