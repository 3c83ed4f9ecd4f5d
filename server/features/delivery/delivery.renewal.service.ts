import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { DeliveryDependencies } from './delivery.dependencies.ts';
import { changeDelivery, type DeliveryRow, isReleaseClosed, isReplaced, lifeOf } from './delivery.repository.ts';
import { expiryOf, isRenewable, remindersMax } from './delivery.rules.ts';
import { lettersOfPerson, lockMail } from './person-letters.repository.ts';

type Ways = {
  accept(tx: Executor, mails: readonly { mailId: string; at: Date }[]): Promise<unknown>;
  arrivedLate(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void>;
  record(tx: Executor, delivery: DeliveryRow, action: string, at: Date): Promise<void>;
};

/** What follows once the link to somebody's letters has reached them again. */
export function createRenewalSettling(
  { messages, healthyTime }: Pick<DeliveryDependencies, 'messages' | 'healthyTime'>,
  { accept, arrivedLate, record }: Ways,
) {
  /** An address that had refused letters has taken a mail with the link to them. */
  async function acceptOnceMore(tx: Executor, refused: readonly DeliveryRow[], at: Date): Promise<void> {
    const again = new Set<string>();
    for (const delivery of refused) {
      if (await isReplaced(tx, delivery.id)) continue;
      if (await isReleaseClosed(tx, delivery.requestId)) await arrivedLate(tx, delivery, at);
      else {
        await changeDelivery(tx, delivery.id, { status: 'pending', endedAt: null });
        again.add(delivery.mailId);
      }
    }
    await accept(
      tx,
      [...again].map((mailId) => ({ mailId, at })),
    );
  }

  /** Whatever had come to its end begins anew. */
  return async function settleRenewal(tx: Executor, mailId: string, outcome: NotificationOutcome): Promise<void> {
    const [first] = outcome.outcome === 'accepted' ? await lockMail(tx, mailId) : [];
    if (!first) return;
    const { at } = outcome;
    const letters = await lettersOfPerson(tx, first);
    await acceptOnceMore(
      tx,
      letters.filter(({ status }) => status === 'bounced'),
      at,
    );
    const { atMostMs, countedMs } = await healthyTime(tx, at);
    const now = { atMs: at.getTime(), healthyMs: countedMs };
    for (const delivery of letters.filter((letter) => isRenewable(lifeOf(letter), now))) {
      // Somebody who asked for the link needs no reminder of it.
      const days = { expiresAt: new Date(expiryOf(at.getTime())), linkBeganHealthyMs: atMostMs };
      await changeDelivery(tx, delivery.id, { status: 'accepted', ...days, remindersSent: remindersMax });
      if (delivery.status === 'unopened') await messages.settleFates(tx, [delivery.messageId]);
      await record(tx, delivery, 'delivery.renewed', at);
    }
  };
}
