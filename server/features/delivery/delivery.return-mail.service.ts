import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import {
  type AboutRelease,
  type ConfirmedContact,
  type DeliveryDependencies,
  dayOf,
  mailKinds,
  recipientOf,
  senderOf,
} from './delivery.dependencies.ts';
import type { Mail } from './delivery.emails.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import {
  arrivedLateEmail,
  arrivedLateToContactEmail,
  refusedSinceEmail,
  returnedEmail,
  tooEarlyEmail,
  type WhyStopped,
} from './delivery.return.emails.ts';

type Reached = Pick<DeliveryRow, 'id' | 'recipientEmail'>;
type Ways = {
  tellContacts(
    tx: Executor,
    about: AboutRelease,
    write: (contact: ConfirmedContact) => Promise<{ kind: string; dedupeKey: string; mail: Mail }>,
  ): Promise<number>;
};

/** What is told of letters when their owner has come back. */
export function createReturnMail(
  {
    baseUrl,
    keys,
    accounts,
    notifications,
  }: Pick<DeliveryDependencies, 'baseUrl' | 'keys' | 'accounts' | 'notifications'>,
  { tellContacts }: Ways,
) {
  return {
    /**
     * Tells everyone whom these letters have reached that the owner is back, opened or not. It is one mail for each mailbox and
     * return, so there are never more of them than of letters. Of a release that was only undone it says that they were too early.
     */
    async enqueueReturned(
      tx: Executor,
      { owner, at }: Omit<AboutRelease, 'requestId'>,
      reached: readonly Reached[],
      why: WhyStopped = 'owner_back',
    ) {
      if (reached.length === 0) return;
      const vault = await accounts.openVault(tx, owner.id);
      // Where an address is damaged there is nobody to write to.
      const found = reached.flatMap((delivery) => {
        const address = unlessBroken(() => recipientOf(vault, delivery));
        return address === null ? [] : [[personOf(address), { address, deliveryId: delivery.id }] as const];
      });
      for (const { address, deliveryId } of new Map(found).values()) {
        const words = why === 'owner_back' ? returnedEmail : tooEarlyEmail;
        const mail = words({ sender: senderOf(owner), baseUrl });
        const key = `delivery-returned:${deliveryId}`;
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: mailKinds.returned,
          userId: owner.id,
          subjectId: deliveryId,
          dedupeKey: key,
          messageIdSeed: keys.derive('delivery-message-id', key),
          policy: 'patient',
          at,
          to: { address },
          mail,
        });
      }
    },

    /** The owner is well, and left on its way what was: that a letter was refused is told to them, who can correct it. */
    async enqueueRefusedSince(
      tx: Executor,
      { delivery, owner, at }: { delivery: DeliveryRow; owner: OwnerRow; at: Date },
    ) {
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: mailKinds.ownerUnreachable,
        userId: owner.id,
        subjectId: delivery.requestId,
        dedupeKey: `delivery-owner-unreachable:${delivery.requestId}:${dayOf(at)}`,
        at,
        to: { address: owner.email },
        mail: refusedSinceEmail({ firstName: senderOf(owner).firstName, baseUrl }),
      });
    },

    /**
     * Tells the owner, and every confirmed contact, that a letter still reached somebody after all was stopped: once a
     * person and release, and once more should the owner come back later.
     */
    async enqueueArrivedLate(tx: Executor, about: AboutRelease, why: WhyStopped): Promise<void> {
      const { requestId, owner, at } = about;
      const sender = senderOf(owner);
      const prefix = `delivery-arrived-late:${why}:${requestId}`;
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: mailKinds.arrivedLate,
        userId: owner.id,
        subjectId: requestId,
        dedupeKey: `${prefix}:${owner.id}`,
        at,
        to: { address: owner.email },
        mail: arrivedLateEmail({ firstName: sender.firstName, why, baseUrl }),
      });
      await tellContacts(tx, about, async (contact) => ({
        kind: mailKinds.arrivedLate,
        dedupeKey: `${prefix}:${contact.id}`,
        mail: arrivedLateToContactEmail({ sender, contactName: contact.name, why, baseUrl }),
      }));
    },
  };
}
