import type { NotificationOutcome } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, kindsToRecipients, mailKinds } from './delivery.dependencies.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import { createRenewalSettling } from './delivery.renewal.service.ts';
import {
  acceptDeliveries,
  changeDelivery,
  type DeliveryRow,
  hasPending,
  isOwnerBack,
  isReleaseClosed,
} from './delivery.repository.ts';
import { expiryOf, settle } from './delivery.rules.ts';
import { lettersOfPerson, lockMail } from './person-letters.repository.ts';

const toRecipients: ReadonlySet<string> = new Set(kindsToRecipients);
export type EndedListener = (tx: Executor, ended: { requestId: string; at: Date }) => Promise<void>;

type AcceptedMail = { mailId: string; at: Date };

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
  /** Writes what is left of releases of an owner that were stopped. */
  finishHalts: (tx: Executor, userId: string) => Promise<void>,
) {
  const listeners: EndedListener[] = [];

  /**
   * These mails to readers of one owner have arrived: each letter in them that was waiting for it has reached its reader, once,
   * and its 30 days begin. Gives the ids of the mails of which that was so.
   */
  async function accept(tx: Executor, mails: readonly AcceptedMail[]): Promise<Set<string>> {
    if (mails.length === 0) return new Set();
    const atOf = new Map(mails.map(({ mailId, at }) => [mailId, at]));
    const lastAt = new Date(Math.max(...mails.map(({ at }) => at.getTime())));
    const { atMostMs } = await healthyTime(tx, lastAt);
    const accepted = await acceptDeliveries(
      tx,
      mails.map(({ mailId, at }) => ({ mailId, at, expiresAt: new Date(expiryOf(at.getTime())) })),
      atMostMs,
    );
    const delivered = accepted.map((delivery) => ({ delivery, at: atOf.get(delivery.mailId) as Date }));
    if (delivered.length === 0) return new Set();

    await messages.settleFates(
      tx,
      delivered.map(({ delivery }) => delivery.messageId),
    );
    await audit.recordAll(
      tx,
      delivered.map(({ delivery, at }) => entryOf(delivery, 'delivery.accepted', at)),
    );
    const over = new Map(
      delivered.flatMap(({ delivery, at }) => (delivery.isReleaseOver ? [[delivery.requestId, at]] : [])),
    );
    for (const [requestId, at] of over) await tellEnded(tx, requestId, at);
    return new Set(accepted.map(({ mailId }) => mailId));
  }

  /** A mailbox has refused a letter that is still tried: contacts are asked for another address, once. */
  async function refuse(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    if (delivery.refusedAt || (await isReleaseClosed(tx, delivery.requestId))) return;
    const owner = await accounts.ownerOf(tx, delivery.userId);
    if (!owner) return;
    await changeDelivery(tx, delivery.id, { refusedAt: at });
    const contactsTold = await mail.enqueueUnreachable(tx, { delivery, owner, at, isStillTried: true });
    await record(tx, delivery, 'delivery.refused', at, { contactsTold });
  }

  async function bounce(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    await changeDelivery(tx, delivery.id, { status: 'bounced', endedAt: at });
    await messages.settleFates(tx, [delivery.messageId]);
    const owner = await accounts.ownerOf(tx, delivery.userId);
    // Of a release that is closed contacts have no page any more.
    const isOwnerBack = await isReleaseClosed(tx, delivery.requestId);
    if (owner && isOwnerBack) await mail.enqueueRefusedSince(tx, { delivery, owner, at });
    // Contacts were asked at the first refusal.
    const isToTell = owner && !isOwnerBack && !delivery.refusedAt;
    const contactsTold = isToTell ? await mail.enqueueUnreachable(tx, { delivery, owner, at, isStillTried: false }) : 0;
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

  const settleRenewal = createRenewalSettling({ messages, healthyTime }, { accept, arrivedLate, record });
  const { takeBack, closeMailbox } = createTakingBack(messages, { bounce, record });

  return {
    onEnded(listener: EndedListener): void {
      listeners.push(listener);
    },

    accept,
    bounce,
    refuse,
    record,
    takeBack,

    /** The mailbox of a mail with letters has refused it, and it is still tried. The owner's row is locked. */
    async settleRefusal(tx: Executor, mailId: string, at: Date): Promise<void> {
      for (const delivery of await lockMail(tx, mailId)) {
        if (delivery.status === 'pending') await refuse(tx, delivery, at);
      }
    },

    /** What became of mails of one owner, whose row is locked. Each settles all the letters that it brought. */
    async settle(tx: Executor, outcomes: readonly NotificationOutcome[]): Promise<void> {
      await mail.tellOfUnheard(tx, outcomes);
      const told = outcomes.filter(({ kind }) => toRecipients.has(kind));
      const arrived = told.flatMap(({ kind, outcome, subjectId: mailId, at }) =>
        kind === mailKinds.letter && outcome === 'accepted' && mailId ? [{ mailId, at }] : [],
      );
      const accepted = await accept(tx, arrived);
      const others = told.filter(({ kind, subjectId }) => kind !== mailKinds.letter || !accepted.has(subjectId ?? ''));
      for (const userId of new Set(others.flatMap((outcome) => outcome.userId ?? []))) await finishHalts(tx, userId);
      for (const outcome of others) {
        const { kind, subjectId: mailId } = outcome;
        if (!mailId) continue;
        if (kind !== mailKinds.letter && outcome.outcome === 'bounced') await closeMailbox(tx, mailId, outcome.at);
        else if (kind === mailKinds.renewal) await settleRenewal(tx, mailId, outcome);
        else if (kind === mailKinds.letter)
          for (const delivery of await lockMail(tx, mailId)) await settleLetter(tx, delivery, outcome);
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

type Recorder = {
  bounce(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void>;
  record(tx: Executor, delivery: DeliveryRow, action: string, at: Date): Promise<void>;
};

function createTakingBack(
  messages: Pick<DeliveryDependencies['messages'], 'settleFates'>,
  { bounce, record }: Recorder,
) {
  /** The letter has not arrived: it waits for its mail again, and so does its message. */
  async function takeBack(tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
    const notArrived = { deliveredAt: null, endedAt: null, linkBeganHealthyMs: null, remindersSent: 0 };
    const expiresAt = new Date(expiryOf(at.getTime()));
    await changeDelivery(tx, delivery.id, { status: 'pending', expiresAt, ...notArrived });
    await messages.settleFates(tx, [delivery.messageId]);
    await record(tx, delivery, 'delivery.came_back', at);
  }

  /** A mailbox that accepted letters has refused their link on three days: it is closed, and unread letters have not arrived. */
  async function closeMailbox(tx: Executor, mailId: string, at: Date): Promise<void> {
    const [brought] = await lockMail(tx, mailId);
    const letters = brought ? await lettersOfPerson(tx, brought) : [];
    // The person who has read one of them has the link to all.
    if (letters.some(({ accessedAt }) => accessedAt)) return;
    for (const delivery of letters.filter(({ status }) => status === 'accepted')) {
      await takeBack(tx, delivery, at);
      await bounce(tx, delivery, at);
    }
  }

  return { takeBack, closeMailbox };
}
