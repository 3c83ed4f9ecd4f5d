import type { App } from '#server/app.ts';
import type { ActivityGate, ActivityListener, Counts } from '#server/features/accounts/activity.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { cancelCompanions, cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import {
  findOpen,
  hasLettersOut,
  isReleaseOpen,
  noteActivity,
} from '#server/features/release-state/checkin-links.repository.ts';
import { lockWorld } from '#server/features/release-state/release.store.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import { runCommand } from './release.ts';

/**
 * Says what this counts for. Another person may know a dead owner's password, so a sign-in after letters have left is no
 * sign of life. The person is asked who they are. Until the answer nothing is sent, withdrawn or changed in the
 * owner's name.
 * @throws AppError `CONFLICT` for a change before that answer.
 */
export async function countsAsActivity(
  app: App,
  tx: Executor,
  { userId, at, type }: Parameters<ActivityGate>[1],
): Promise<Counts> {
  if (type !== 'login' && type !== 'change') return 'counts';
  const { areLettersOut, isQuiet } = await findOpen(tx, userId);
  if (!areLettersOut) return isQuiet ? 'quiet' : 'counts';
  if (type === 'change') throw unanswered();
  const loaded = await lockWorld(app, tx, { userId, at });
  if (!loaded?.world.release) return 'counts';
  await runCommand(app, tx, loaded, { at, command: { kind: 'signed_in' } });
  return 'none';
}

/**
 * Ends the release after activity, in the transaction that answers the owner: once they have read that all is well,
 * nothing more is sent.
 */
export async function endReleaseOnActivity(
  app: App,
  tx: Executor,
  { userId, at, isStop, heardAt, isQuiet }: Parameters<ActivityListener>[1],
): Promise<void> {
  if (isQuiet) return;
  const { endedLinks, isOpen } = await noteActivity(tx, userId, at);
  // A nudge that waits to leave would ask about the activity that just happened.
  if (endedLinks > 0) {
    await cancelNotificationsFor(app, tx, userId, 'activity');
    await cancelCompanions(app, tx, userId);
  }
  if (!isOpen) return;

  const loaded = await lockWorld(app, tx, { userId, at });
  const command = { kind: 'life' as const, ...(isStop ? { isStop } : {}) };
  if (loaded) await runCommand(app, tx, loaded, { at, command, heardAt });
}

/**
 * Ends every silence, request and release, because the account is being deleted: every link is revoked, and the
 * contacts who were asked are notified. It is no activity, since another person may have asked for it. The caller holds
 * the owner's lock.
 */
export async function closeReleases(
  app: App,
  tx: Executor,
  { userId, at, origin }: { userId: string; at: Date; origin?: RequestOrigin | undefined },
): Promise<void> {
  const { isOpen } = await noteActivity(tx, userId, at);
  await cancelNotificationsFor(app, tx, userId, 'activity');
  if (!isOpen) return;
  const loaded = await lockWorld(app, tx, { userId, at });
  if (loaded) await runCommand(app, tx, loaded, { at, command: { kind: 'close' }, origin });
}

function unanswered(): AppError {
  return new AppError(
    'CONFLICT',
    'Letters from this vault have been delivered. Before anything is changed, open the dashboard and tell us who you are.',
  );
}

/** @throws AppError `CONFLICT` if letters have left and no person has answered since whether the owner is back. */
export async function requireAnswer(executor: Executor, userId: string): Promise<void> {
  if (await hasLettersOut(executor, userId)) throw unanswered();
}

/**
 * Guards acts of an administrator, who can freeze a release and can't end or pause one by any other act. The caller
 * holds the owner's lock, so that none begins meanwhile.
 * @throws AppError `CONFLICT` while a release of this owner is open, from the first reminder to the owner's return.
 */
export async function requireNoRelease(tx: Executor, userId: string): Promise<void> {
  if (!(await isReleaseOpen(tx, userId))) return;
  throw new AppError(
    'CONFLICT',
    'A release of this account is in progress, and only its owner can end it. Try again once the owner is back. An operator can freeze the release until then.',
  );
}
