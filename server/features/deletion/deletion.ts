import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { describeUser, isDesignatedAccount } from '#server/features/accounts/accounts.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { noticeOnRestore } from '#server/features/billing/subscriptions.ts';
import { cancelWaitingLetters, listWaitingLetters } from '#server/features/delivery/waiting-letters.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { markClosing, unmarkClosing } from '#server/features/registration/closing.ts';
import { closeReleases, requireAnswer, requireNoRelease } from '#server/features/release/release-activity.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import { waitingSentence } from '#server/features/release-mail/waiting.words.ts';
import { type Proved, requireFreshSignIn, requireSecondStep } from '#server/features/sessions/fresh-sign-in.ts';
import { confirmPassword } from '#server/features/sessions/reauthentication.ts';
import { signInCookiesOf } from '#server/features/sessions/sign-in-cookies.ts';
import type { HttpCall } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/deletion.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { greetingName } from '#shared/rules/names.ts';
import { accountAfterDeletionDays, deletionDayOf } from '#shared/rules/retention.ts';
import { accountRestoredEmail, deletionRequestedEmail } from './deletion.emails.ts';
import { type DeletionCause, isDeletionDue } from './deletion.rules.ts';

// The request to delete an account, and its restore. The deletion itself is in erasure.ts.

type DeletionRequest = {
  userId: string;
  cause: DeletionCause;
  /** Origin of the request. Left out if the service acts on its own. */
  origin?: RequestOrigin | undefined;
};

/**
 * Choice for letters that wait for a day of their own. If they are left, each leaves on its day, and the account stays
 * until then.
 */
type LettersWish = 'take-back' | 'leave';

/** @throws AppError as `requestByOwner` does. */
export async function deleteAccount(app: App, call: HttpCall<typeof contract.deleteAccount>): Promise<void> {
  const { body, reply } = call;
  await requestByOwner(app, call, { password: body?.password, letters: body?.letters });
  signInCookiesOf(app).session.clear(reply);
}

/**
 * Restores an account. Harmless if no deletion was requested.
 * @throws AppError `CONFLICT` if it is too late, or if the reader of the mailbox denied the account and has not proved
 * the mailbox since.
 */
export function restoreAccount(
  app: App,
  { principal: { userId }, origin }: { principal: { userId: string }; origin: RequestOrigin },
): Promise<RouteAnswer<typeof contract.restoreAccount>> {
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw notFound();
    if (!owner.deletionRequestedAt) return describeUser(app, owner);
    const at = await app.clock.now(tx);
    if (await isTooLate(app, tx, owner, at)) throw tooLate();
    if (owner.isDisowned && owner.mailboxProvenAt === null) throw wantsMailbox();

    const planNotice = await noticeOnRestore(tx, userId, owner.deletionRequestedAt);
    await unmarkClosing(tx, userId);
    await cancelNotificationsFor(app, tx, userId, 'deletion undone');
    await enqueueNotification(app, tx, {
      channel: 'email',
      kind: 'privacy.account-restored',
      userId,
      subjectId: userId,
      dedupeKey: `privacy.account-restored:${userId}:${at.toISOString()}`,
      at,
      to: { address: owner.email },
      mail: accountRestoredEmail({ firstName: greetingName(owner), planNotice, baseUrl: app.baseUrl }),
    });
    const entry = { userId, action: 'account.restored', resource: 'account', resourceId: userId };
    await recordAudit(app, tx, { ...entry, origin, at });
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
    const restored = await findOwner(tx, userId);
    if (!restored) throw notFound();
    return { ...describeUser(app, restored), ...(planNotice ? { planNotice } : {}) };
  });
}

/**
 * Requests the deletion for the owner. It signs them out everywhere, ends an open release, and mails them how to
 * restore.
 * @throws AppError `REAUTHENTICATION_REQUIRED` without a password or a fresh sign-in; `VALIDATION` for a wrong
 * password; `CONFLICT` for the designated administrator, or if letters for a later day exist and the wish does not
 * mention them.
 */
export async function requestByOwner(
  app: App,
  { principal, origin }: { principal: Proved & { sessionId: string }; origin: RequestOrigin },
  { password, letters }: { password?: string | undefined; letters?: LettersWish | undefined },
): Promise<void> {
  const { db } = app;
  const { userId, sessionId } = principal;
  // Checked before the password, because a password check replaces the session's cookie.
  const owner = await findOwner(db, userId);
  if (owner && isDesignatedAccount(app, owner)) throw isDesignated();
  // After letters have left, the person who signs in may not be the owner, and a deletion closes every unopened letter.
  await requireAnswer(db, userId);
  if (!letters) await requireNoneWaiting(app, db, userId);
  await requireSecondStep(app, principal);
  if (password) await confirmPassword(app, { userId, sessionId, origin }, { password });
  else await requireFreshSignIn(app, principal);
  await db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    if (!letters) await requireNoneWaiting(app, tx, userId);
    await requestDeletion(app, tx, { userId, cause: 'owner', origin });
    if (letters === 'take-back') await cancelWaitingLetters(app, tx, { userId, at: await app.clock.now(tx) });
  });
}

/**
 * Requests a deletion: 30 days to restore, then everything is destroyed. A second request changes nothing. No row was locked
 * before the owner's in the caller's transaction. False for an unknown owner.
 *
 * @throws AppError `CONFLICT` if an administrator would end an open release by it.
 */
export async function requestDeletion(
  app: App,
  tx: Executor,
  { userId, cause, origin }: DeletionRequest,
): Promise<boolean> {
  const owner = await lockOwnerRow(tx, userId);
  if (!owner) return false;
  if (owner.deletionRequestedAt) return true;
  // An owner who has died can't restore the account.
  if (cause === 'administrator') {
    await requireNoRelease(tx, userId);
    const waiting = await listWaitingLetters(tx, userId);
    if (waiting.length > 0)
      throw lettersOfOthers(
        waitingSentence(
          waiting.map(({ dueAt }) => dueAt.getTime()),
          (await app.clock.now(tx)).getTime(),
        ),
      );
  }

  const at = await app.clock.now(tx);
  await closeReleases(app, tx, { userId, at, origin });
  const { mark } = await takeReading(app, tx, at);
  await markClosing(tx, userId, { at, healthyMs: mark.healthyMs });
  await tell(app, tx, owner, { cause, at });
  const entry = { userId, action: 'account.deletion_requested', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, details: { by: cause }, origin, at });
  return true;
}

async function tell(app: App, tx: Executor, owner: OwnerRow, { cause, at }: { cause: DeletionCause; at: Date }) {
  const words = { firstName: greetingName(owner), cause, deletionAt: deletionDayOf(at), baseUrl: app.baseUrl };
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'privacy.deletion-requested',
    userId: owner.id,
    subjectId: owner.id,
    dedupeKey: `privacy.deletion-requested:${owner.id}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: deletionRequestedEmail(words),
  });
}

async function requireNoneWaiting(app: App, executor: Executor, userId: string): Promise<void> {
  const waiting = await listWaitingLetters(executor, userId);
  if (waiting.length > 0)
    throw lettersWait(
      waitingSentence(
        waiting.map(({ dueAt }) => dueAt.getTime()),
        (await app.clock.now(executor)).getTime(),
      ),
    );
}

/** True if the days to restore have ended. The deletion then only waits for its turn. */
async function isTooLate(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<boolean> {
  const { deletionRequestedAt, deletionRequestedHealthyMs } = owner;
  if (!deletionRequestedAt) return false;
  const { healthyMs } = await takeReading(app, tx, at);
  return isDeletionDue(
    { atMs: deletionRequestedAt.getTime(), healthyMs: deletionRequestedHealthyMs ?? 0 },
    { atMs: at.getTime(), healthyMs },
  );
}

function isDesignated(): AppError {
  return new AppError(
    'CONFLICT',
    'This account is the designated administrator. Name another address in ADMIN_EMAIL first; then it can be deleted.',
  );
}

function wantsMailbox(): AppError {
  return new AppError(
    'CONFLICT',
    'A reader of this mailbox told us that the account is not theirs. First show that the mailbox is yours, with the link that we send there.',
  );
}

function lettersWait(sentence: string): AppError {
  return new AppError(
    'CONFLICT',
    `${sentence} First choose if these letters are withdrawn, or still sent on their day.`,
  );
}

function lettersOfOthers(sentence: string): AppError {
  return new AppError('CONFLICT', `${sentence} Only the owner can end that.`);
}

function tooLate(): AppError {
  return new AppError('CONFLICT', `The ${accountAfterDeletionDays} days are over. This account cannot be restored.`);
}
