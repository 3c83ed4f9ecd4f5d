import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import { detailsOf, type ReadyChange } from '#server/features/ready-changes/ready-changes.rules.ts';
import { noteReadyChange } from '#server/features/ready-changes/ready-changes.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { cancelWaitingLetters, type LockedMessage, lockMessage } from './messages.repository.ts';
import { requireChangeable } from './messages.rules.ts';

/** Who asks, from where, and for which message. */
export type OwnersCall = { principal: Principal; origin: RequestOrigin };
export type OwnersMessageCall = OwnersCall & { id: string };

/** What a change gives: its result, how the log tells it, the message, and files that nothing needs any more. */
export type Act<Result> = {
  result: Result;
  action: string;
  id: string;
  freedPaths?: readonly (string | null)[];
  /** For the daily email to the owner; null if no ready message changed. */
  ready: ReadyChange | null;
};

export type ChangeDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'release'>;
};

export type Changes = ReturnType<typeof createChanges>;

/**
 * Changes of an owner's messages. Each is a sign of life, recorded in its own transaction: that ends an open release
 * and cancels what waits to be sent, so a change never meets a letter that is still on its way.
 */
export function createChanges({ db, clock, accounts, audit, files }: ChangeDependencies) {
  /** Runs a change under the owner's lock, and writes down who made it. Files it set free go once that is certain. */
  async function change<Result>(
    { principal, origin }: OwnersCall,
    act: (tx: Executor, at: Date, plan: Principal['plan']) => Promise<Act<Result>>,
  ): Promise<Result> {
    const { userId } = principal;
    const { result, freedPaths = [] } = await db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();

      const at = await clock.now(tx);
      // First, so that a release is ended while the message and its delivery are still there to be taken back.
      await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
      const done = await act(tx, at, owner.plan);
      const details = done.ready ? detailsOf(done.ready) : undefined;
      if (done.ready) await noteReadyChange(tx, userId, at);
      const entry = { userId, action: done.action, resource: 'message', resourceId: done.id, details };
      await audit.record(tx, { ...entry, origin, at });
      return done;
    });
    for (const path of freedPaths) await files.release(path);
    return result;
  }

  /**
   * Locks a message that is to be changed. What was left to wait is what it was when its owner left it so; changed, it
   * belongs to the next release. @throws AppError `NOT_FOUND`, or `CONFLICT` for what somebody has.
   */
  async function lockToChange(tx: Executor, call: OwnersMessageCall, at: Date): Promise<LockedMessage> {
    const { id, origin } = call;
    const { userId } = call.principal;
    const known = await lockMessage(tx, userId, id);
    if (!known) throw notFound();
    requireChangeable({ ...known, hasReader: known.deliveredAt !== null });
    if (await cancelWaitingLetters(tx, id, at)) {
      const entry = { userId, action: 'delivery.cancelled', resource: 'message', resourceId: id };
      await audit.record(tx, { ...entry, origin, at });
    }
    return known;
  }

  return { change, lockToChange };
}
