import { timingSafeEqual } from 'node:crypto';
import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { proveMailbox as storeMailboxProof } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { Call } from '#server/http/bind.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/mailbox.ts';
import { findByVerificationToken, storeVerificationToken } from './mailed-links.repository.ts';
import { mailboxProofEmail } from './registration.emails.ts';
import { verificationLinkMs, verificationMailBudget } from './registration.limits.ts';

// A verified address says that its link was opened. Mail scanners open links too, and so do readers who do not think about it.
// Here one person shows both: that they can sign in, and that they read the mail.

/**
 * Sends a link to the address of the person who is signed in, unless their mailbox is proven. @throws AppError
 * `EMAIL_VERIFICATION_REQUIRED` or `RATE_LIMITED`.
 */
export async function askForMailboxProof(app: App, { principal }: Call<typeof contract.askForMailboxProof>) {
  await sendProofLink(app, principal.userId);
  return { message: 'The link is on its way. Open it in a browser in which you are signed in to this account.' };
}

/**
 * Proves the mailbox: the person who is signed in holds the link that was mailed to their address. A second press is harmless.
 *
 * @throws AppError `NOT_FOUND` for a link that is unknown, too old, or of another account.
 */
export async function proveMailbox(app: App, { principal, body, origin }: Call<typeof contract.proveMailbox>) {
  const { userId } = principal;
  const tokenHash = app.serviceKeys.hashToken(body.token);
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    const holder = await findByVerificationToken(tx, tokenHash);
    const at = await app.clock.now(tx);
    const isLive = holder?.id === userId && holder.expiresAt !== null && holder.expiresAt > at;
    // A disowned account needs a proof of the mailbox before it can be restored, verified or not.
    if (!owner || !(owner.emailVerified || owner.isDisowned) || !isLive) throw deadLink();
    await recordMailboxProof(app, tx, { userId, by: 'mailbox-link', origin, at });
  });
  return { ok: true as const };
}

type Proof = {
  userId: string;
  by: 'verification-link' | 'mailbox-link' | 'reset' | 'identity-provider';
  origin: RequestOrigin;
  at: Date;
};

/** Records that the account's user reads its mailbox. True if it is the first proof. Call it with the account's row locked. */
export async function recordMailboxProof(app: App, tx: Executor, { userId, by, origin, at }: Proof): Promise<boolean> {
  if (!(await storeMailboxProof(app, tx, userId, at))) return false;
  const entry = { userId, action: 'account.mailbox_proven', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, details: { by }, origin, at });
  return true;
}

/**
 * Returns the registration mark of a browser: a value that only we can derive from the account's id, and that opens
 * nothing. For a taken address it is random, so that the caller can't tell.
 */
export function registrationMark({ serviceKeys }: App, userId: string | null): string {
  return userId === null ? newToken() : serviceKeys.derive('registered-here', userId);
}

/** True if the person at this browser knows the account's password: they chose it, or signed in with it. */
export function knowsPassword(
  app: App,
  { mark, signedInAs }: { mark: string | null; signedInAs: string | null },
  userId: string,
): boolean {
  return signedInAs === userId || (mark !== null && isSame(mark, registrationMark(app, userId)));
}

async function sendProofLink(app: App, userId: string): Promise<void> {
  const known = await findOwner(app.db, userId);
  if (!known) throw notFound();
  if (!known.emailVerified && !known.isDisowned) throw unverified();
  if (known.mailboxProvenAt) return;
  await app.limits.spend(`verification mail ${known.email}`, verificationMailBudget);
  const token = newToken();
  const tokenHash = app.serviceKeys.hashToken(token);
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner || owner.mailboxProvenAt) return;
    const at = await app.clock.now(tx);
    await storeVerificationToken(tx, { userId, tokenHash, expiresAt: new Date(at.getTime() + verificationLinkMs) });
    await enqueueNotification(app, tx, {
      channel: 'email',
      kind: 'accounts.mailbox-proof',
      userId,
      subjectId: null,
      dedupeKey: `accounts.mailbox-proof:${tokenHash}`,
      at,
      to: { address: owner.email },
      mail: mailboxProofEmail({ to: owner, url: `${app.baseUrl}/confirm-mailbox/${token}`, baseUrl: app.baseUrl }),
    });
  });
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function unverified() {
  return new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first.');
}

function deadLink() {
  return notFound('This link is for another account, or is more than a day old. Ask for a new one.');
}
