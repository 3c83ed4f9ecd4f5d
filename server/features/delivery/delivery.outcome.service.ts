import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, mailKinds } from './delivery.dependencies.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import {
  acceptDeliveries,
  changeDelivery,
  type DeliveryRow,
  hasPending,
  isOwnerBack,
  isReleaseClosed,
  isReplaced,
  lockDeliveries,
} from './delivery.repository.ts';
import { expiryOf, remindersMax, settle } from './delivery.rules.ts';

export type EndedListener = (tx: Executor, ended: { requestId: string; at: Date }) => Promise<void>;

type AcceptedLetter = { id: string; at: Date };

export type DeliveryOutcomes = ReturnType<typeof createDeliveryOutcomes>;

/** Turns what became of a mail into what became of its delivery, in the transaction that records the former. */
export function createDeliveryOutcomes(
  {
    accounts,
    messages,
    audit,
    healthyTime,
  }: Pick<DeliveryDependencies, 'accounts' | 'messages' | 'audit' | 'healthyTime'>,
  mail: DeliveryMail,
) {
  const listeners: EndedListener[] = [];

  /**
   * These letters of one owner have reached their recipients: each that was waiting for it is delivered, once, and its 30
   * days begin. Gives the ids of those.
   */
  async function accept(tx: Executor, letters: readonly AcceptedLetter[]): Promise<Set<string>> {
    if (letters.length === 0) return new Set();
    const atOf = new Map(letters.map(({ id, at }) => [id, at]));
    const lastAt = new Date(Math.max(...letters.map(({ at }) => at.getTime())));
    const { atMostMs } = await healthyTime(tx, lastAt);
    const accepted = await acceptDeliveries(
      tx,
      letters.map(({ id, at }) => ({ id, at, expiresAt: new Date(expiryOf(at.getTime())) })),
      atMostMs,
    );
    const delivered = accepted.map((delivery) => ({ delivery, at: atOf.get(delivery.id) as Date }));
    if (delivered.length === 0) return new Set();

    await messages.markDelivered(
      tx,
      delivered.map(({ delivery, at }) => ({ id: delivery.messageId, at })),
    );
    await audit.recordAll(
      tx,
      delivered.map(({ delivery, at }) => entryOf(delivery, 'delivery.accepted', at)),
    );
    const over = new Map(
      delivered.flatMap(({ delivery, at }) => (delivery.isReleaseOver ? [[delivery.requestId, at]] : [])),
    );
    for (const [requestId, at] of over) await tellEnded(tx, requestId, at);
    return new Set(accepted.map(({ id }) => id));
  }

  async function bounce(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    await changeDelivery(tx, delivery.id, { status: 'bounced', endedAt: at });
    const owner = await accounts.ownerOf(tx, delivery.userId);
    // Of a release that is closed contacts have no page any more.
    const isOwnerBack = await isReleaseClosed(tx, delivery.requestId);
    if (owner && isOwnerBack) await mail.enqueueRefusedSince(tx, { delivery, owner, at });
    const contactsTold = owner && !isOwnerBack ? await mail.enqueueUnreachable(tx, { delivery, owner, at }) : 0;
    await record(tx, delivery, 'delivery.bounced', at, { contactsTold });
    await tellIfEnded(tx, delivery.requestId, at);
  }

  async function tellIfEnded(tx: Executor, requestId: string, at: Date): Promise<void> {
    if (!(await hasPending(tx, requestId))) await tellEnded(tx, requestId, at);
  }

  async function tellEnded(tx: Executor, requestId: string, at: Date): Promise<void> {
    for (const listener of listeners) await listener(tx, { requestId, at });
  }

  /** Everything but an acceptance that was waited for, of which there may be many at once. */
  async function settleLetter(tx: Executor, delivery: DeliveryRow, outcome: NotificationOutcome): Promise<void> {
    const next = settle(delivery.status, outcome.outcome);
    if (next === 'bounced') return bounce(tx, delivery, outcome.at);
    if (next === 'withdrawn') await arrivedLate(tx, delivery, outcome.at);
  }

  /** It has reached its mailbox after all was stopped: its link is dead, and everybody concerned is told. */
  async function arrivedLate(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    await changeDelivery(tx, delivery.id, { status: 'withdrawn', deliveredAt: at });
    await record(tx, delivery, 'delivery.withdrawn', at, { tooLateToStop: true });
    const owner = await accounts.ownerOf(tx, delivery.userId);
    // Of an account that is being deleted nobody says that its owner is back.
    if (!owner || owner.deletionRequestedAt) return;
    const about = { owner, requestId: delivery.requestId, at };
    const why = (await isOwnerBack(tx, delivery.requestId)) ? 'owner_back' : 'undone';
    await mail.enqueueReturned(tx, about, [delivery], why);
    await mail.enqueueArrivedLate(tx, about, why);
  }

  /** An address that had refused a letter has taken it. */
  async function acceptOnceMore(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    if (await isReplaced(tx, delivery.id)) return;
    if (await isReleaseClosed(tx, delivery.requestId)) return arrivedLate(tx, delivery, at);
    await changeDelivery(tx, delivery.id, { status: 'pending', endedAt: null });
    await accept(tx, [{ id: delivery.id, at }]);
  }

  async function settleRenewal(tx: Executor, delivery: DeliveryRow, outcome: NotificationOutcome): Promise<void> {
    if (outcome.outcome !== 'accepted') return;
    if (delivery.status === 'bounced') return acceptOnceMore(tx, delivery, outcome.at);
    const isOver = delivery.status === 'unopened';
    if (isOver ? await isReplaced(tx, delivery.id) : delivery.status !== 'accepted') return;
    const expiresAt = new Date(expiryOf(outcome.at.getTime()));
    const { atMostMs: linkBeganHealthyMs } = await healthyTime(tx, outcome.at);
    // Somebody who asked for the link needs no reminder of it.
    await changeDelivery(tx, delivery.id, {
      status: 'accepted',
      expiresAt,
      linkBeganHealthyMs,
      remindersSent: remindersMax,
    });
    if (isOver) await messages.markDelivered(tx, [{ id: delivery.messageId, at: outcome.at }]);
    await record(tx, delivery, 'delivery.renewed', outcome.at);
  }

  async function record(
    tx: Executor,
    delivery: DeliveryRow,
    action: string,
    at: Date,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    const entry = entryOf(delivery, action, at);
    await audit.record(tx, { ...entry, details: { ...entry.details, ...details } });
  }

  return {
    onEnded(listener: EndedListener): void {
      listeners.push(listener);
    },

    accept,
    bounce,
    record,

    /** What became of mails of one owner, whose row is locked. */
    async settle(tx: Executor, outcomes: readonly NotificationOutcome[]): Promise<void> {
      const told = outcomes.filter(({ kind }) => kind === mailKinds.letter || kind === mailKinds.renewal);
      const reached = told.flatMap(({ kind, outcome, subjectId: id, at }) =>
        kind === mailKinds.letter && outcome === 'accepted' && id ? [{ id, at }] : [],
      );
      const accepted = reached.length > 0 ? await accept(tx, reached) : new Set<string>();

      const others = told.filter(({ kind, subjectId }) => kind !== mailKinds.letter || !accepted.has(subjectId ?? ''));
      const ids = others.flatMap(({ subjectId }) => subjectId ?? []);
      if (ids.length === 0) return;
      const locked = new Map((await lockDeliveries(tx, ids)).map((delivery) => [delivery.id, delivery]));
      for (const outcome of others) {
        const delivery = locked.get(outcome.subjectId ?? '');
        if (!delivery) continue;
        if (outcome.kind === mailKinds.renewal) await settleRenewal(tx, delivery, outcome);
        else await settleLetter(tx, delivery, outcome);
      }
    },
  };
}

/** What the log says of the end of a delivery. */
export function entryOf(
  { id, userId, messageId }: Pick<DeliveryRow, 'id' | 'userId' | 'messageId'>,
  action: string,
  at: Date,
) {
  return { userId, action, resource: 'message_delivery', resourceId: id, details: { messageId }, at };
}
