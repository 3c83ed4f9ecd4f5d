import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, kindsToRecipients, mailKinds } from './delivery.dependencies.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import { entryOf } from './delivery.outcome.service.ts';
import { unopenedOf } from './delivery.repository.ts';
import { halt } from './delivery.rules.ts';
import {
  cancelOnTheirWay,
  countOnTheirWay,
  countStopped,
  deleteHalt,
  type HaltRow,
  haltDeliveries,
  insertHalt,
  listHalts,
  lockDeliveriesOf,
  mailsOfOthers,
} from './halts.repository.ts';

export type Halts = {
  /**
   * The owner came back, or the account goes: what was not sent is cancelled, unopened links die at once and their messages are ready
   * again, opened letters stay. The caller's transaction holds the owner's lock. `sent` counts what had gone out, `withdrawn` and `opened` its parts,
   * and `mayArrive` what is just being handed over and can't be called back. All of it holds from then on; of very many letters
   * that have not left, the worker's next round writes that they were cancelled.
   */
  haltRelease(
    tx: Executor,
    release: { owner: OwnerRow; requestId: string; at: Date; isBack: boolean },
  ): Promise<{ cancelled: number; withdrawn: number; opened: number; sent: number; mayArrive: number }>;
  /** What was said of a release that was stopped. */
  stoppedOf(executor: Executor, requestId: string): Promise<{ sent: number; opened: number; mayArrive: number }>;
  /** Writes what is left of stopped releases, of every owner. Gives how many. @throws AggregateError after all others. */
  finishDue(): Promise<number>;
};

const writtenBeforeAnswerMaxDefault = 500;

/** Takes back what has not been read. */
export function createHalts(
  {
    db,
    accounts,
    messages,
    notifications,
    audit,
    clock,
    writtenBeforeAnswerMax = writtenBeforeAnswerMaxDefault,
  }: DeliveryDependencies,
  mail: Pick<DeliveryMail, 'enqueueReturned'>,
) {
  const leavingOf = async (executor: Executor, requestId: string) =>
    new Set(await notifications.leavingFor(executor, unopenedOf(executor, requestId), mailKinds.letter));

  /** Nothing of it is handed over from now on but what was just leaving. Gives the mails of that. */
  async function stopMail(tx: Executor, { owner, requestId }: { owner: OwnerRow; requestId: string }, isLong: boolean) {
    const subjects = unopenedOf(tx, requestId);
    const [letter, ...again] = kindsToRecipients;
    await notifications.cancelFor(tx, subjects, isLong ? again : kindsToRecipients);
    // The others are held, since `release_halts` names their owner: see `isFrozen`.
    if (isLong) await notifications.cancelTaken(tx, { userId: owner.id, kind: letter, subjects });
    return leavingOf(tx, requestId);
  }

  /** Under the owner's lock. */
  async function finish(tx: Executor, { requestId, userId, haltedAt: at }: HaltRow): Promise<void> {
    // A message may have been deleted since, and its mail with it has no delivery any more.
    await notifications.cancelAllBut(tx, {
      userId,
      kind: mailKinds.letter,
      butOf: mailsOfOthers(tx, { userId, requestId }),
    });
    const cancelled = await cancelOnTheirWay(tx, { requestId, at });
    await messages.settleFates(
      tx,
      cancelled.map(({ messageId }) => messageId),
    );
    await audit.recordAll(
      tx,
      cancelled.map((delivery) => entryOf(delivery, 'delivery.cancelled', at)),
    );
    await deleteHalt(tx, requestId);
    // What other releases of this owner have to send was held meanwhile.
    await notifications.letGo(tx, { userId, at: await clock.now(tx) });
  }

  /** Writes what is left of an owner's. The caller's transaction holds the owner's lock. */
  async function finishHalts(tx: Executor, userId: string): Promise<void> {
    for (const left of await listHalts(tx, userId)) await finish(tx, left);
  }

  return {
    leavingOf,
    finishHalts,

    async haltRelease(tx: Executor, release: { owner: OwnerRow; requestId: string; at: Date; isBack: boolean }) {
      const { owner, requestId, at, isBack } = release;
      // What is undone is put on its way again, and an account that goes takes all with it: both wait for every row.
      const onTheirWay = isBack ? await countOnTheirWay(tx, requestId) : 0;
      const isLong = onTheirWay > writtenBeforeAnswerMax;
      // Before anything is read: what is taken back here no worker takes any more.
      const leaving = await stopMail(tx, release, isLong);

      const all = await lockDeliveriesOf(tx, requestId, isLong ? [...leaving] : undefined);
      const halted = all.flatMap((delivery) => {
        const status = halt({ status: delivery.status, isOpened: delivery.accessedAt !== null });
        return status === null ? [] : [{ ...delivery, status }];
      });
      const withdrawn = halted.filter(({ status }) => status === 'withdrawn');
      const mayArrive = all.filter(({ mailId, status }) => status === 'pending' && leaving.has(mailId)).length;
      const left = all.filter(({ status }) => status === 'accepted' || status === 'unopened');
      await haltDeliveries(tx, { halted, at });
      if (isBack) await mail.enqueueReturned(tx, { owner, at }, left);
      await messages.settleFates(
        tx,
        halted.map(({ messageId }) => messageId),
      );
      await audit.recordAll(
        tx,
        halted.map((delivery) => entryOf(delivery, `delivery.${delivery.status}`, at)),
      );
      const later = isLong ? onTheirWay - mayArrive : 0;
      if (later > 0) {
        await insertHalt(tx, { requestId, userId: owner.id, haltedAt: at });
        const entry = { userId: owner.id, action: 'delivery.stopped', resource: 'release_request' };
        await audit.record(tx, { ...entry, resourceId: requestId, details: { deliveries: later }, at });
      }
      return {
        cancelled: halted.length - withdrawn.length - mayArrive + later,
        mayArrive,
        withdrawn: withdrawn.length,
        opened: all.filter(({ accessedAt }) => accessedAt !== null).length,
        sent: left.length,
      };
    },

    stoppedOf: async (executor: Executor, requestId: string) =>
      countStopped(executor, requestId, [...(await leavingOf(executor, requestId))]),

    async finishDue(): Promise<number> {
      let finished = 0;
      const failed: unknown[] = [];
      for (const { userId } of await listHalts(db)) {
        try {
          await db.transaction(async (tx) => {
            await accounts.lockOwner(tx, userId);
            await finishHalts(tx, userId);
          });
          finished += 1;
        } catch (error) {
          // Nothing of theirs leaves meanwhile, and the next round tries again.
          failed.push(error);
        }
      }
      if (failed.length > 0) throw new AggregateError(failed, `${failed.length} stopped releases were not written.`);
      return finished;
    },
  };
}
