import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, recipientOf } from './delivery.dependencies.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { lifeOf } from './delivery.recipient.service.ts';
import { changeDelivery, lockDelivery } from './delivery.repository.ts';
import { expiryAt, firstReminderDay, lastReminderDay, letterKeptDays, reminderDue } from './delivery.rules.ts';
import { findUnopened, type Unopened } from './unopened.repository.ts';

export type Reminders = {
  /** Sends unopened links again on day 7 and day 23. Returns how many; called until it returns 0. */
  sendDue(at: Date): Promise<number>;
};

const dayMs = 86_400_000;
const remindersPerBatch = 100;

/** Brings the links of letters that nobody has opened a second and a third time. */
export function createReminders(
  { db, accounts, healthyTime, log }: Pick<DeliveryDependencies, 'db' | 'accounts' | 'healthyTime' | 'log'>,
  { mail, outcomes }: { mail: DeliveryMail; outcomes: DeliveryOutcomes },
): Reminders {
  async function remind(tx: Executor, { id, userId }: Unopened, at: Date): Promise<boolean> {
    const owner = await accounts.lockOwner(tx, userId);
    const delivery = await lockDelivery(tx, id);
    if (!owner || !delivery) return false;
    const now = { atMs: at.getTime(), healthyMs: (await healthyTime(tx, at)).countedMs };
    const { remindersSent, accessedAt } = delivery;
    const number = reminderDue({ ...lifeOf(delivery), isOpened: accessedAt !== null, remindersSent }, now);
    if (number === null) return false;
    const expiresAt = new Date(expiryAt(lifeOf(delivery), now));

    const vault = await accounts.openVault(tx, userId);
    const address = unlessBroken(() => recipientOf(vault, delivery));
    if (address === null) return false;
    const { addressFrom } = delivery;
    await mail.enqueueReminder(tx, { deliveryId: id, addressFrom, address, owner, at }, { number, expiresAt });
    await changeDelivery(tx, id, { remindersSent: number });
    await outcomes.record(tx, delivery, 'delivery.reminded', at, { number });
    return true;
  }

  /** One that cannot be sent is tried again next time, when the operator may have mended it; the others go meanwhile. */
  async function remindAll(unopened: readonly Unopened[], at: Date): Promise<number> {
    let sent = 0;
    for (const letter of unopened) {
      try {
        if (await db.transaction((tx) => remind(tx, letter, at))) sent += 1;
      } catch (error) {
        const failure = error instanceof Error ? error.name : 'unknown';
        log.error({ delivery: letter.id, owner: letter.userId, failure }, 'An unopened letter was not sent again.');
      }
    }
    return sent;
  }

  return {
    async sendDue(at) {
      const { countedMs } = await healthyTime(db, at);
      const daysAgoMs = (days: number) => countedMs - days * dayMs;
      let after: Unopened | null = null;
      for (;;) {
        const unopened: Unopened[] = await findUnopened(db, {
          beganAfterMs: daysAgoMs(letterKeptDays),
          firstBeganUntilMs: daysAgoMs(firstReminderDay),
          lastBeganUntilMs: daysAgoMs(lastReminderDay),
          after,
          limit: remindersPerBatch,
        });
        const sent = await remindAll(unopened, at);
        after = unopened.at(-1) ?? null;
        if (sent > 0 || unopened.length < remindersPerBatch) return sent;
      }
    },
  };
}
