import { sql } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit, recordAudits } from '#server/features/audit/record.ts';
import { settleMessages } from '#server/features/messages/ready-messages.ts';
import {
  cancelClaimed,
  cancelMessages,
  cancelNotificationsFor,
  leavingFor,
} from '#server/features/notifications/cancel.ts';
import { unfreezeMail } from '#server/features/notifications/frozen-mail.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { unopenedOf } from './delivery.repository.ts';
import { halt } from './delivery.rules.ts';
import {
  cancelUnsent,
  countStopped,
  countUnsent,
  deleteHalt,
  type HaltRow,
  haltDeliveries,
  insertHalt,
  listHalts,
  lockDeliveriesOf,
  mailsOfOthers,
} from './halts.repository.ts';
import { enqueueReturned } from './mails/return-mails.ts';
import { entryOf } from './outcomes.ts';

/** Number of letters that a halt withdraws one by one before its caller gets the answer. */
const writtenBeforeAnswerMaxDefault = 500;

type Halt = {
  owner: OwnerRow;
  requestId: string;
  at: Date;
  /** False if the release was only undone. */
  isBack: boolean;
  /** Lower in tests. */
  writtenBeforeAnswerMax?: number | undefined;
};

/** `sent` counts letters that had left, and `withdrawn` and `opened` are its parts. `mayArrive`: leaving, so unstoppable. */
type Halted = { cancelled: number; withdrawn: number; opened: number; sent: number; mayArrive: number };

/**
 * Halts a release because the owner came back or the account is being deleted. Unsent letters are cancelled. Unopened
 * links are revoked immediately, and their messages are ready again. Opened letters stay. The caller's transaction
 * holds the owner's lock. All of it holds immediately. If very many letters have not left, the worker's next round
 * records their cancellation.
 */
export async function haltRelease(app: App, tx: Executor, release: Halt): Promise<Halted> {
  const { owner, requestId, at, isBack, writtenBeforeAnswerMax = writtenBeforeAnswerMaxDefault } = release;
  // An undone release is queued again, and a deleted account takes all rows with it: both wait for every row.
  const unsent = isBack ? await countUnsent(tx, requestId) : 0;
  const isLong = unsent > writtenBeforeAnswerMax;
  // Runs before anything is read: no worker claims a mail that this withdraws.
  const leaving = await stopMails(app, tx, release, isLong);

  const all = await lockDeliveriesOf(tx, requestId, isLong ? [...leaving] : undefined);
  const halted = all.flatMap((delivery) => {
    const status = halt({ status: delivery.status, isOpened: delivery.accessedAt !== null });
    return status === null ? [] : [{ ...delivery, status }];
  });
  const withdrawn = halted.filter(({ status }) => status === 'withdrawn');
  const mayArrive = all.filter(({ mailId, status }) => status === 'pending' && leaving.has(mailId)).length;
  const left = all.filter(({ status }) => status === 'accepted' || status === 'unopened');
  await haltDeliveries(tx, { halted, at });
  if (isBack) await enqueueReturned(app, tx, { owner, at }, left);
  await settleMessages(
    tx,
    halted.map(({ messageId }) => messageId),
  );
  await recordAudits(
    app,
    tx,
    halted.map((delivery) => entryOf(delivery, `delivery.${delivery.status}`, at)),
  );
  const later = isLong ? unsent - mayArrive : 0;
  if (later > 0) {
    await insertHalt(tx, { requestId, userId: owner.id, haltedAt: at });
    const entry = { userId: owner.id, action: 'delivery.stopped', resource: 'release_request' };
    await recordAudit(app, tx, { ...entry, resourceId: requestId, details: { deliveries: later }, at });
  }
  return {
    cancelled: halted.length - withdrawn.length - mayArrive + later,
    mayArrive,
    withdrawn: withdrawn.length,
    opened: all.filter(({ accessedAt }) => accessedAt !== null).length,
    sent: left.length,
  };
}

/** Counts of a stopped release. */
export async function stoppedOf(
  executor: Executor,
  requestId: string,
): Promise<{ sent: number; opened: number; mayArrive: number }> {
  return countStopped(executor, requestId, [...(await leavingMailsOf(executor, requestId))]);
}

/** Completes stopped releases of every owner. Returns their number. @throws AggregateError after all others. */
export async function finishDueHalts(app: App): Promise<number> {
  let finished = 0;
  const failed: unknown[] = [];
  for (const { userId } of await listHalts(app.db)) {
    try {
      await app.db.transaction(async (tx) => {
        await lockOwnerRow(tx, userId);
        await finishHalts(app, tx, userId);
      });
      finished += 1;
    } catch (error) {
      // No letter of this owner leaves meanwhile, and the next round tries again.
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} stopped releases were not written.`);
  return finished;
}

/** Completes an owner's stopped releases. The caller's transaction holds the owner's lock. */
export async function finishHalts(app: App, tx: Executor, userId: string): Promise<void> {
  for (const left of await listHalts(tx, userId)) await finish(app, tx, left);
}

/** Returns the mails of a release that may have left and have no known outcome yet. */
export async function leavingMailsOf(executor: Executor, requestId: string): Promise<Set<string>> {
  const mails = await leavingFor(executor, { subjects: unopenedOf(executor, requestId), kind: 'delivery.letter' });
  return new Set(mails);
}

/** Returns those of these mails that may have left and have no known outcome yet. */
export async function leavingAmong(executor: Executor, mailIds: readonly string[]): Promise<Set<string>> {
  if (mailIds.length === 0) return new Set();
  const subjects = sql`select unnest(${sql.param([...mailIds])}::uuid[])`;
  return new Set(await leavingFor(executor, { subjects, kind: 'delivery.letter' }));
}

/** Stops all further sending. Returns the mails that were just leaving. */
async function stopMails(
  app: App,
  tx: Executor,
  { owner, requestId }: { owner: OwnerRow; requestId: string },
  isLong: boolean,
): Promise<Set<string>> {
  const subjects = unopenedOf(tx, requestId);
  const kind = 'delivery.letter';
  await cancelNotificationsFor(app, tx, subjects, 'release stopped', isLong ? { except: kind } : {});
  // The others are frozen, because `release_halts` names their owner: see `isFrozen`.
  if (isLong) await cancelClaimed(app, tx, { userId: owner.id, kind, subjects });
  return leavingMailsOf(tx, requestId);
}

async function finish(app: App, tx: Executor, { requestId, userId, haltedAt: at }: HaltRow): Promise<void> {
  // If a message was deleted since, its mail has no delivery any more.
  await cancelMessages(app, tx, {
    userId,
    kind: 'delivery.letter',
    butOf: mailsOfOthers(tx, { userId, requestId }),
  });
  const cancelled = await cancelUnsent(tx, { requestId, at });
  await settleMessages(
    tx,
    cancelled.map(({ messageId }) => messageId),
  );
  await recordAudits(
    app,
    tx,
    cancelled.map((delivery) => entryOf(delivery, 'delivery.cancelled', at)),
  );
  await deleteHalt(tx, requestId);
  // Unfreezes mails of the owner's other releases, which were frozen meanwhile.
  await unfreezeMail(tx, { userId, at: await app.clock.now(tx) });
}
