import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import { nudgeKind } from '#server/features/release-mail/release.notify.ts';
import { hasLettersOut, isReleaseOpen, noteActivity } from '#server/features/release-state/checkin-links.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { Process } from './release.process.ts';

/**
 * A sign of life ends whatever is under way, in the transaction that answers it to the owner: once they have read
 * that all is well, nothing is sent any more.
 */
export function subscribeToActivity({ accounts, notifications }: ReleaseDependencies, process: Process): void {
  /**
   * Somebody else may know the password of an owner who has died. So a sign-in after letters have left is no sign of life:
   * it asks who it is, and until that is answered nothing leaves, is taken back or changed in the owner's name.
   */
  accounts.countOnlyIf(async (tx, { userId, at, type }) => {
    if (type !== 'login' && type !== 'change') return true;
    if (!(await hasLettersOut(tx, userId))) return true;
    if (type === 'change') throw unanswered();
    const situation = await process.read(tx, userId, at);
    if (!situation?.world.release) return true;
    await process.act(tx, situation, at, { command: { kind: 'signed_in' } });
    return false;
  });

  accounts.onActivity(async (tx, { userId, at, isStop, heardAt }) => {
    const { endedLinks, isOpen } = await noteActivity(tx, userId, at);
    // A nudge that is still waiting to go out would ask for what has just happened.
    if (endedLinks > 0) await notifications.cancelFor(tx, userId, [nudgeKind]);
    if (!isOpen) return;

    const situation = await process.read(tx, userId, at);
    const command = { kind: 'life' as const, ...(isStop ? { isStop } : {}) };
    if (situation) await process.act(tx, situation, at, { command, heardAt });
  });
}

/** What is to be closed, and from where somebody asked for it. */
export type Closing = { userId: string; at: Date; origin?: RequestOrigin };

/**
 * The account is to be deleted: whatever is under way ends, every link dies, and the contacts who were asked are told.
 * It is not a sign of life: somebody else may have asked for it.
 */
export function createClosing({ notifications }: ReleaseDependencies, process: Process) {
  return async function close(tx: Executor, { userId, at, origin }: Closing): Promise<void> {
    const { isOpen } = await noteActivity(tx, userId, at);
    await notifications.cancelFor(tx, userId, [nudgeKind]);
    if (!isOpen) return;
    const situation = await process.read(tx, userId, at);
    if (situation) await process.act(tx, situation, at, { command: { kind: 'close' }, origin });
  };
}

function unanswered(): AppError {
  return new AppError(
    'CONFLICT',
    'Letters from this vault have been delivered. Before anything is changed, open the dashboard and tell us who you are.',
  );
}

/** @throws AppError `CONFLICT` where letters have left and nobody has said since whether the owner is back. */
export async function requireAnswer(executor: Executor, userId: string): Promise<void> {
  if (await hasLettersOut(executor, userId)) throw unanswered();
}

/**
 * For what an administrator does: they can freeze a release, and nothing else of theirs ends one or makes it stand still.
 * The caller holds the owner's lock, so that none begins meanwhile.
 *
 * @throws AppError `CONFLICT` while a release of this owner is open, from the first reminder to the owner's return.
 */
export async function requireNoRelease(tx: Executor, userId: string): Promise<void> {
  if (!(await isReleaseOpen(tx, userId))) return;
  throw new AppError(
    'CONFLICT',
    'A release of this account is under way, and nobody but its owner can end it. Once they are back this can be done. An operator can freeze the release meanwhile.',
  );
}
