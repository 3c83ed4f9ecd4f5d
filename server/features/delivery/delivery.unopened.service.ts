import type { Executor } from '#server/platform/db/database.ts';
import type { DeliveryDependencies } from './delivery.dependencies.ts';
import { lifeOf } from './delivery.life.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { changeDelivery, lockDeliveries, lockDeliveriesOf } from './delivery.repository.ts';
import { isOverUnopened, letterKeptDays } from './delivery.rules.ts';
import { findOverUnopened } from './unopened.repository.ts';

const dayMs = 86_400_000;
const releasesPerBatch = 50;

type Dependencies = Pick<DeliveryDependencies, 'db' | 'accounts' | 'messages' | 'healthyTime' | 'log'>;

/** Tells contacts of letters that nobody has opened in their days: perhaps that mailbox is not read any more. */
export function createUnopenedLetters(
  { db, accounts, messages, healthyTime, log }: Dependencies,
  { mail, outcomes }: { mail: DeliveryMail; outcomes: DeliveryOutcomes },
) {
  /** All of one release at once, so that contacts get one mail. */
  async function endIn(tx: Executor, { userId, requestId }: { userId: string; requestId: string }, at: Date) {
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) return 0;
    const now = { atMs: at.getTime(), healthyMs: (await healthyTime(tx, at)).countedMs };
    const ids = (await lockDeliveriesOf(tx, requestId)).map(({ id }) => id);
    const over = (await lockDeliveries(tx, ids)).filter((delivery) =>
      isOverUnopened({ ...lifeOf(delivery), isOpened: delivery.accessedAt !== null }, now),
    );
    if (over.length === 0) return 0;
    for (const delivery of over) {
      await changeDelivery(tx, delivery.id, { status: 'unopened', endedAt: at });
      await outcomes.record(tx, delivery, 'delivery.never_opened', at);
    }
    await messages.settleFates(
      tx,
      over.map(({ messageId }) => messageId),
    );
    await mail.enqueueNeverOpened(tx, { requestId, owner, at }, over.length);
    return over.length;
  }

  return {
    /** Gives how many letters it was. One release that fails keeps no other back, and is tried again in the next round. */
    async endDue(at: Date): Promise<number> {
      const { countedMs } = await healthyTime(db, at);
      const beganUntilMs = countedMs - letterKeptDays * dayMs;
      const found = await findOverUnopened(db, { beganUntilMs, at, limit: releasesPerBatch });
      let ended = 0;
      for (const release of found) {
        try {
          ended += await db.transaction((tx) => endIn(tx, release, at));
        } catch (error) {
          const failure = error instanceof Error ? error.name : 'unknown';
          log.error({ owner: release.userId, failure }, 'Nobody was told of letters that were not opened.');
        }
      }
      return ended;
    },
  };
}
