import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, type DeliveryMail, mailKinds } from './delivery.mail.service.ts';
import { changeDelivery, countByStatus, type DeliveryRow, findDelivery, lockDelivery } from './delivery.repository.ts';
import { expiryOf, remindersMax, settle } from './delivery.rules.ts';

export type EndedListener = (tx: Executor, ended: { cycleId: string; at: Date }) => Promise<void>;

export type DeliveryOutcomes = ReturnType<typeof createDeliveryOutcomes>;

/** Turns what became of a mail into what became of its delivery, in the transaction that records the former. */
export function createDeliveryOutcomes(
  { accounts, messages, audit }: Pick<DeliveryDependencies, 'accounts' | 'messages' | 'audit'>,
  mail: DeliveryMail,
) {
  const listeners: EndedListener[] = [];

  /** The letter has reached its recipient: it is delivered, once, and its 30 days begin. */
  async function accept(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    const expiresAt = new Date(expiryOf(at.getTime()));
    await changeDelivery(tx, delivery.id, { status: 'accepted', deliveredAt: at, expiresAt, endedAt: at });
    await messages.markDelivered(tx, delivery.messageId, at);
    await record(tx, delivery, 'delivery.accepted', at);
    await tellIfEnded(tx, delivery.cycleId, at);
  }

  async function bounce(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    await changeDelivery(tx, delivery.id, { status: 'bounced', endedAt: at });
    const owner = await accounts.ownerOf(tx, delivery.userId);
    const contactsTold = owner ? await mail.enqueueUnreachable(tx, { delivery, owner, at }) : 0;
    await record(tx, delivery, 'delivery.bounced', at, { contactsTold });
    await tellIfEnded(tx, delivery.cycleId, at);
  }

  async function tellIfEnded(tx: Executor, cycleId: string, at: Date): Promise<void> {
    const { pending = 0 } = await countByStatus(tx, cycleId);
    if (pending > 0) return;
    for (const listener of listeners) await listener(tx, { cycleId, at });
  }

  async function settleLetter(tx: Executor, delivery: DeliveryRow, outcome: NotificationOutcome): Promise<void> {
    const next = settle(delivery.status, outcome.outcome);
    if (next === 'accepted') return accept(tx, delivery, outcome.at);
    if (next === 'bounced') return bounce(tx, delivery, outcome.at);
    if (next === 'withdrawn') {
      await changeDelivery(tx, delivery.id, { status: 'withdrawn', deliveredAt: outcome.at });
      await record(tx, delivery, 'delivery.withdrawn', outcome.at, { tooLateToStop: true });
    }
  }

  async function settleRenewal(tx: Executor, delivery: DeliveryRow, outcome: NotificationOutcome): Promise<void> {
    if (outcome.outcome !== 'accepted' || delivery.status !== 'accepted') return;
    const expiresAt = new Date(expiryOf(outcome.at.getTime()));
    // Somebody who asked for the link needs no reminder of it.
    await changeDelivery(tx, delivery.id, { expiresAt, remindersSent: remindersMax });
    await record(tx, delivery, 'delivery.renewed', outcome.at);
  }

  async function record(
    tx: Executor,
    { id, userId, messageId }: DeliveryRow,
    action: string,
    at: Date,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    await audit.record(tx, {
      userId,
      action,
      resource: 'message_delivery',
      resourceId: id,
      details: { messageId, ...details },
      at,
    });
  }

  return {
    onEnded(listener: EndedListener): void {
      listeners.push(listener);
    },

    accept,
    record,

    async settle(tx: Executor, outcome: NotificationOutcome): Promise<void> {
      if (outcome.subjectId === null) return;
      if (outcome.kind !== mailKinds.letter && outcome.kind !== mailKinds.renewal) return;

      const known = await findDelivery(tx, outcome.subjectId);
      if (!known) return;
      await accounts.lockOwner(tx, known.userId);
      const delivery = await lockDelivery(tx, known.id);
      if (!delivery) return;

      if (outcome.kind === mailKinds.letter) await settleLetter(tx, delivery, outcome);
      else await settleRenewal(tx, delivery, outcome);
    },
  };
}
