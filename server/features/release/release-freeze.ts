import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { unfreezeMail } from '#server/features/notifications/frozen-mail.ts';
import { scheduleProposals } from '#server/features/release-health/address-proposals.repository.ts';
import { restartWindows } from '#server/features/release-health/address-proposals.ts';
import {
  endMailboxReview,
  type Foreseen,
  listCounted,
  listMailboxesUnderReview,
  type ReviewedMailbox,
} from '#server/features/release-health/brake.repository.ts';
import { endEarlyReview, listEarlyReviews } from '#server/features/release-health/early-reviews.repository.ts';
import { readFreezes, wakeOpenReleases } from '#server/features/release-health/health.repository.ts';
import {
  dayOf,
  type Restored,
  readRestored,
  takeReading,
  unfreezeReleases,
} from '#server/features/release-health/health.ts';
import { ownerFreezeEmail } from '#server/features/release-health/operator.emails.ts';
import { setNextStepAt, updateOwnerSettings } from '#server/features/release-state/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { allowForeseen, forecastBreaker } from './breaker-forecast.ts';

/** Present stops by the operator or the breaker. */
export type Freezes = {
  /** Beginning of a freeze of all mail to contacts and recipients. Null without one. */
  frozenAt: Date | null;
  reason: string | null;
  /** Number of owners frozen by name. */
  frozenOwners: number;
  /** Time since which the breaker has stopped steps by silence alone. Null if it has not. */
  silenceStoppedAt: Date | null;
  /** Accounts that it counted on that day, by address. */
  countedAccounts: string[];
  heldMailboxes: ReviewedMailbox[];
  /** Accounts, by address, whose early release waits for the operator. */
  earlyReviews: string[];
  /** Owners whom the breaker would count on a later day. */
  foreseen: Pick<Foreseen, 'day' | 'accounts'>[];
  /** Progress of the notices to owners if a restore caused the stop, and the work that waits. */
  restored: Restored | null;
};

/** `unchanged`: it was so already. `unknown`: no account has this address. `hindered`: it is too early after a restore. */
export type FreezeResult = 'done' | 'unchanged' | 'unknown' | 'hindered';

/** Returns the present stops. */
export async function listFreezes(app: App): Promise<Freezes> {
  const { db } = app;
  const { frozenAt, frozenReason, frozenOwners, silenceStoppedAt } = await readFreezes(db);
  const countedAccounts = silenceStoppedAt ? await listCounted(db, dayOf(silenceStoppedAt)) : [];
  const heldMailboxes = await listMailboxesUnderReview(db);
  const foreseen = (await forecastBreaker(app)).map(({ day, accounts }) => ({ day, accounts }));
  const earlyReviews = await listEarlyReviews(db);
  const brakes = { silenceStoppedAt, countedAccounts, heldMailboxes, earlyReviews, foreseen };
  return { frozenAt, reason: frozenReason, frozenOwners, ...brakes, restored: await readRestored(db) };
}

/**
 * Stops each step of one owner's release towards contacts and recipients, and their waiting mails. Reminders to the
 * owner continue. Sent mails are not withdrawn.
 */
export function freezeOwner(app: App, email: string): Promise<FreezeResult> {
  return setOwner(app, email, true);
}

/**
 * Ends the freeze of one owner, or the review of one mailbox: frozen mails leave, or the mailbox's confirmations for
 * others count. Every window is whole, since answers are still waited for.
 */
export async function resumeOwner(app: App, email: string): Promise<FreezeResult> {
  const address = addressIn(email);
  const isMailboxAllowed = await allowMailbox(app, address);
  const isExpected = await allowForeseen(app, address);
  const isReviewed = await endReview(app, address);
  const result = await setOwner(app, email, false);
  return isMailboxAllowed || isExpected || isReviewed ? 'done' : result;
}

/** Ends every stop of all owners. Without one, allows the steps of owners whom the breaker is foreseen to stop. */
export async function resumeReleases(app: App): Promise<FreezeResult> {
  const result = await unfreezeReleases(app);
  // Nothing is frozen, so the operator answers the forecast.
  return result === 'unchanged' && (await allowForeseen(app)) ? 'done' : result;
}

async function setOwner(app: App, email: string, isFrozen: boolean): Promise<FreezeResult> {
  const { db, clock } = app;
  const found = await findOwnerByEmail(db, addressIn(email));
  if (!found) return 'unknown';
  return db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, found.id);
    if (!owner) return 'unknown';
    if ((owner.releaseFrozenAt !== null) === isFrozen) return 'unchanged';
    const at = await clock.now(tx);
    const { mark } = await takeReading(app, tx, at);
    const resumed = { releaseResumedAt: at, releaseResumedHealthyMs: Math.round(mark.healthyMs) };
    await updateOwnerSettings(tx, owner.id, { releaseFrozenAt: isFrozen ? at : null, ...(isFrozen ? {} : resumed) });
    if (!isFrozen) {
      await restartWindows(app, tx, { userId: owner.id, at });
      await unfreezeMail(tx, { userId: owner.id, at });
    }
    const action = isFrozen ? 'release.frozen' : 'release.resumed';
    const entry = { userId: owner.id, action, resource: 'user', resourceId: owner.id };
    await recordAudit(app, tx, { ...entry, details: { by: 'operator' }, at });
    await notifyOwner(app, tx, { owner, isFrozen, at });
    return 'done';
  });
}

/** Notifies the owner of a freeze and of its end, because no release may be disarmed silently. */
async function notifyOwner(
  app: App,
  tx: Executor,
  { owner, isFrozen, at }: { owner: OwnerRow; isFrozen: boolean; at: Date },
): Promise<void> {
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.owner-freeze',
    userId: owner.id,
    subjectId: owner.id,
    dedupeKey: `owner-freeze:${owner.id}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: ownerFreezeEmail({ firstName: owner.firstName || 'there', isFrozen, baseUrl: app.baseUrl }),
  });
}

/** Ends the review of a mailbox. False if it was not under review. */
async function allowMailbox(app: App, mailbox: string): Promise<boolean> {
  const { db, clock } = app;
  const at = await db.transaction(async (tx) => {
    if (!(await endMailboxReview(tx, mailbox))) return null;
    const at = await clock.now(tx);
    const resource = 'installation';
    await recordAudit(app, tx, { userId: null, action: 'release.mailbox_let_go', resource, at });
    return at;
  });
  if (at) await wakeOpenReleases(db, at);
  return at !== null;
}

/** Ends the review of an early release. False if none of this account is waiting. */
async function endReview(app: App, email: string): Promise<boolean> {
  const { db, clock } = app;
  const found = await findOwnerByEmail(db, email);
  if (!found) return false;
  return db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, found.id)) || !(await endEarlyReview(tx, found.id))) return false;
    const at = await clock.now(tx);
    const entry = { userId: found.id, action: 'release.early_review_ended', resource: 'user', resourceId: found.id };
    await recordAudit(app, tx, { ...entry, details: { by: 'operator' }, at });
    await setNextStepAt(tx, found.id, at);
    await scheduleProposals(tx, { userId: found.id, at });
    return true;
  });
}
