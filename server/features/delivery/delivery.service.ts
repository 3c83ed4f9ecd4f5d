import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { LetterId, LetterToSend } from '#server/features/messages/messages.service.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { createBounceHandler } from './delivery.bounces.service.ts';
import {
  type DeliveryDependencies,
  kindsToRecipients,
  mailKinds,
  readerOf,
  senderOf,
} from './delivery.dependencies.ts';
import { deliveryEmail, keptFrom, type Mail } from './delivery.emails.ts';
import { createHalts, type Halts } from './delivery.halts.service.ts';
import { createLinks } from './delivery.links.ts';
import { createDeliveryMail } from './delivery.mail.service.ts';
import { createMailing } from './delivery.mailing.service.ts';
import { createNewAddressDelivery, type NewAddressDelivery } from './delivery.new-address.service.ts';
import { createDeliveryOutcomes, type EndedListener } from './delivery.outcome.service.ts';
import { createRecipientService, type DeliveredLetter } from './delivery.recipient.service.ts';
import { createReminders, createUnopenedLetters, type Reminders } from './delivery.reminders.service.ts';
import { countByStatus, listDeliveriesOf } from './delivery.repository.ts';
import { readersOf } from './delivery.rules.ts';
import { createWaitingLetters, type WaitingLetters } from './delivery.waiting.service.ts';
import { insertHeldBack, listHeldBack, listHoldingBack } from './held-back.repository.ts';

export type { Unreached } from './delivery.new-address.service.ts';
export type { DeliveryDependencies };

export type NewDeliveries = {
  userId: string;
  requestId: string;
  /** Which release of this owner it is; links and Message-IDs derive from it. */
  releaseNumber: number;
  at: Date;
  /** In the writer's order. `dueAt`: the day of its own for which it waits. */
  letters: readonly (LetterToSend & { dueAt?: Date | null })[];
};

export type HeldBack = { owner: OwnerRow; requestId: string; at: Date; letters: readonly LetterId[] };

export type OwnersDelivery = {
  messageId: string;
  /** By name, or else by address; empty where that is damaged. */
  recipient: string;
  status: string;
  deliveredAt: Date | null;
  accessedAt: Date | null;
  /** Only of one that waits for a day of its own. */
  waitsUntil?: Date;
};

export type Deliveries = NewAddressDelivery &
  WaitingLetters &
  Halts &
  Reminders & {
    /**
     * Puts each letter on its way, with one mail a person, in the caller's transaction, which holds the owner's lock. A letter
     * that is on its way or delivered already is left alone. Returns how many were new.
     */
    createFor(tx: Executor, deliveries: NewDeliveries): Promise<number>;
    /** Tells the trusted contacts of letters that are damaged and do not go with the others, and keeps which they are. */
    holdBack(tx: Executor, held: HeldBack): Promise<void>;
    /** The letters that were held back in a release and have not been put on their way in it since. */
    heldBackIn(executor: Executor, requestId: string): Promise<LetterId[]>;
    /** Releases under way that hold letters back, in the order of their ids. */
    holdingBack(
      executor: Executor,
      page: { after: string | null; limit: number },
    ): Promise<{ id: string; userId: string }[]>;
    /** Whether nothing of a release waits any more, and how its deliveries ended. */
    isReleaseEnded(tx: Executor, requestId: string): Promise<{ ended: boolean; accepted: number; bounced: number }>;
    /** What became of each letter of a release, for its owner; newest first. `may_arrive`: stopped while it was being handed over. */
    listForOwner(executor: Executor, requestId: string): Promise<OwnersDelivery[]>;
    /** The email that brings somebody letters of this owner, with another link in it: for looking at. */
    letterMail(
      owner: Pick<OwnerRow, 'firstName' | 'lastName' | 'email'>,
      given: { link: string; readerName: string | null; letters: number; sealed: number },
    ): Mail;
    /** See `readersOf` of the rules. */
    readersOf: typeof readersOf;
    /** `listener` runs in the transaction of the outcome after which no delivery of the release waits. */
    onEnded(listener: EndedListener): void;
    /** @throws AppError NOT_FOUND for an unknown, withdrawn or expired link alike. */
    read(token: string): Promise<DeliveredLetter>;
    /** @throws AppError NOT_FOUND as `read`, and where the letter has no attachment. */
    attachment(token: string): Promise<OutgoingFile>;
    /** The same of one of its pictures, or of its voice. @throws AppError as `attachment`. */
    enclosure(token: string, id: string): Promise<OutgoingFile>;
    /** @throws AppError NOT_FOUND as `read`. */
    recordOpening(token: string): Promise<void>;
    /** Key of the reader of a letter, the same for all letters to them, and its owner. @throws AppError as `read`. */
    partiesOf(token: string): Promise<{ reader: string; ownerId: string }>;
    renew(token: string): Promise<void>;
  };

/** Brings released messages to their recipients, once each, and knows what became of them. */
export function createDeliveries(dependencies: DeliveryDependencies): Deliveries {
  const { accounts, notifications, audit } = dependencies;
  const links = createLinks(dependencies);
  const mail = createDeliveryMail(dependencies, links);
  const mailing = createMailing(dependencies, { links, mail });
  const halts = createHalts(dependencies, mail);
  const { finishHalts } = halts;
  const outcomes = createDeliveryOutcomes(dependencies, mail, finishHalts);
  const recipient = createRecipientService(dependencies, { links, mail, outcomes });
  const reminders = createReminders(dependencies, { links, mail, outcomes });
  const unopened = createUnopenedLetters(dependencies, { mail, outcomes });
  notifications.onOutcomes('delivery.', outcomes.settle);
  notifications.onRefused(mailKinds.letter, async (tx, { subjectId, at }) => {
    if (subjectId) await outcomes.settleRefusal(tx, subjectId, at);
  });
  notifications.onBounce('delivery.', createBounceHandler(outcomes));
  notifications.holdWhileFrozen(kindsToRecipients);

  async function holdBack(tx: Executor, { owner, requestId, at, letters }: HeldBack): Promise<void> {
    const messageIds = [...new Set(letters.map(({ messageId }) => messageId))];
    const contactsTold = await mail.enqueueHeldBack(tx, { requestId, owner, at }, messageIds.length);
    await insertHeldBack(tx, { requestId, letters, at });
    const entry = { userId: owner.id, action: 'delivery.held_back', resource: 'message' };
    await audit.recordAll(
      tx,
      messageIds.map((resourceId) => ({ ...entry, resourceId, details: { requestId, contactsTold }, at })),
    );
  }

  return {
    async createFor(tx, { userId, requestId, releaseNumber, at, letters }) {
      const owner = await accounts.ownerOf(tx, userId);
      if (!owner) throw new Error('A delivery needs an owner.');
      // What was stopped before would still count as on its way.
      await finishHalts(tx, userId);
      const vault = await accounts.openVault(tx, userId);
      const created = await mailing.bring(
        tx,
        { owner, vault, requestId, releaseNumber, at },
        letters.map(({ messageId, recipientId, name, email, dueAt = null }) => ({
          messageId,
          recipientId,
          dueAt,
          reader: { address: email, name },
          addressFrom: 'owner',
        })),
      );
      await audit.record(tx, {
        userId,
        action: 'delivery.created',
        resource: 'release_request',
        resourceId: requestId,
        details: { deliveries: created.size },
        at,
      });
      return created.size;
    },

    holdBack,
    heldBackIn: listHeldBack,
    holdingBack: listHoldingBack,

    async isReleaseEnded(tx, requestId) {
      const {
        pending = 0,
        accepted = 0,
        withdrawn = 0,
        unopened = 0,
        bounced = 0,
      } = await countByStatus(tx, requestId);
      return { ended: pending === 0, accepted: accepted + withdrawn + unopened, bounced };
    },

    async listForOwner(executor, requestId) {
      const rows = await listDeliveriesOf(executor, requestId);
      const [first] = rows;
      if (!first) return [];
      const leaving = await halts.leavingOf(executor, requestId);
      const vault = await accounts.openVault(executor, first.userId);
      return rows
        .map((row) => ({ row, reader: unlessBroken(() => readerOf(vault, row)) }))
        .map(({ row, reader }) => ({
          messageId: row.messageId,
          recipient: reader?.name ?? reader?.address ?? '',
          status: row.status === 'cancelled' && leaving.has(row.mailId) ? 'may_arrive' : row.status,
          deliveredAt: row.deliveredAt,
          accessedAt: row.accessedAt,
          ...(row.status === 'waiting' && row.dueAt ? { waitsUntil: row.dueAt } : {}),
        }));
    },

    letterMail: (owner, given) =>
      deliveryEmail({
        sender: senderOf(owner),
        ...given,
        baseUrl: dependencies.baseUrl,
        addressFrom: 'owner',
        keptUntil: keptFrom(0),
      }),

    readersOf,
    onEnded: outcomes.onEnded,

    nextDueAt: reminders.nextDueAt,
    sendDue: async (at) => (await reminders.sendDue(at)) + (await unopened.endDue(at)) + (await halts.finishDue()),
    ...recipient,
    ...halts,
    ...createWaitingLetters(dependencies, { mailing, holdBack }),
    ...createNewAddressDelivery(dependencies, { links, mail, mailing, outcomes }),
  };
}
