import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { type DeliveryDependencies, mailKinds, recipientOf, senderOf } from './delivery.dependencies.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { changeDelivery, type DeliveryRow, findByTokenHash, isReplaced, lockDelivery } from './delivery.repository.ts';
import { expiryAt, expiryOf, isReadable, isRenewable, type Moment } from './delivery.rules.ts';

/** What the recipient reads. */
export type DeliveredLetter = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  createdAt: Date;
  deliveredAt: Date;
  expiresAt: Date;
  senderName: string;
  attachment: { name: string; sizeBytes: number; mimeType: string } | null;
};

type Dependencies = Pick<
  DeliveryDependencies,
  'db' | 'clock' | 'keys' | 'accounts' | 'messages' | 'notifications' | 'healthyTime'
>;

/** What somebody with a link can do. Unknown, withdrawn and expired links are answered alike. */
export function createRecipientService(
  { db, clock, keys, accounts, messages, notifications, healthyTime }: Dependencies,
  { mail, outcomes }: { mail: DeliveryMail; outcomes: DeliveryOutcomes },
) {
  async function momentOf(executor: Executor, at: Date): Promise<Moment> {
    return { atMs: at.getTime(), healthyMs: (await healthyTime(executor, at)).countedMs };
  }

  return {
    /** The letter behind a link. Changes nothing, since mail scanners follow links too. */
    async read(token: string): Promise<DeliveredLetter> {
      const delivery = await findByTokenHash(db, keys.hashToken(token));
      const at = await clock.now();
      const now = await momentOf(db, at);
      if (!delivery || !isReadable(lifeOf(delivery), now)) throw gone();

      const owner = await accounts.ownerOf(db, delivery.userId);
      if (!owner) throw gone();
      const letter = await messages.readForDelivery(db, delivery.messageId);
      const deliveredAt = delivery.deliveredAt ?? at;
      const expiresAt = new Date(delivery.deliveredAt ? expiryAt(lifeOf(delivery), now) : expiryOf(now.atMs));
      return { ...letter, deliveredAt, expiresAt, senderName: senderOf(owner).name };
    },

    /** The file that came with the letter, for as long as that can be read. Changes nothing. */
    async attachment(token: string): Promise<OutgoingFile> {
      const delivery = await findByTokenHash(db, keys.hashToken(token));
      const now = await momentOf(db, await clock.now());
      if (!delivery || !isReadable(lifeOf(delivery), now)) throw gone();
      return messages.attachmentForDelivery(db, delivery.messageId);
    },

    /** Notes the first opening by a person; later ones change nothing. */
    async recordOpening(token: string): Promise<void> {
      await db.transaction(async (tx) => {
        const delivery = await lockByToken(tx, accounts, keys.hashToken(token));
        const now = await clock.now(tx);
        if (!delivery || !isReadable(lifeOf(delivery), await momentOf(tx, now))) throw gone();
        if (delivery.accessedAt) return;

        await changeDelivery(tx, delivery.id, { accessedAt: now });
        await outcomes.record(tx, delivery, 'delivery.opened', now);
        await notifications.cancelFor(tx, delivery.id, [mailKinds.letter, mailKinds.reminder]);
        // Whoever reads it has received it, even if the mail server's word has not reached us yet.
        if (delivery.status === 'pending') await outcomes.accept(tx, [{ id: delivery.id, at: now }]);
      });
    },

    /**
     * Sends the link of an expired letter once more, to the address it was written for and no other. Says nothing
     * about whether there was one, nor whether it is frozen: then its mail waits, one however often somebody asks.
     */
    async renew(token: string): Promise<void> {
      await db.transaction(async (tx) => {
        const delivery = await lockByToken(tx, accounts, keys.hashToken(token));
        const at = await clock.now(tx);
        if (!delivery || !isRenewable(lifeOf(delivery), await momentOf(tx, at))) return;
        if (await isReplaced(tx, delivery.id)) return;
        if (await notifications.isWaiting(tx, delivery.id, mailKinds.renewal)) return;

        const owner = await accounts.ownerOf(tx, delivery.userId);
        if (!owner) return;
        const address = recipientOf(await accounts.openVault(tx, delivery.userId), delivery);
        const { id: deliveryId, addressFrom } = delivery;
        await mail.enqueueRenewal(tx, { deliveryId, addressFrom, address, owner, at });
      });
    },
  };
}

/** Finds a delivery by its link and locks it, the owner first as everywhere. */
async function lockByToken(
  tx: Executor,
  accounts: Dependencies['accounts'],
  tokenHash: string,
): Promise<DeliveryRow | null> {
  const known = await findByTokenHash(tx, tokenHash);
  if (!known) return null;
  await accounts.lockOwner(tx, known.userId);
  return lockDelivery(tx, known.id);
}

/** How long the link of a delivery lives, as the rules ask for it. */
export function lifeOf({ status, expiresAt, linkBeganHealthyMs }: DeliveryRow) {
  return { status, expiresAtMs: expiresAt.getTime(), beganHealthyMs: linkBeganHealthyMs };
}

function gone() {
  return notFound('This message may have expired or been removed.');
}
