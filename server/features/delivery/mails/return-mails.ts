import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import type { DeliveryRow } from '#server/features/delivery/delivery.repository.ts';
import { openAddress } from '#server/features/delivery/delivery.sealing.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import { tellContacts } from './contact-mails.ts';
import {
  arrivedLateEmail,
  arrivedLateToContactEmail,
  refusedSinceEmail,
  returnedEmail,
  tooEarlyEmail,
  type WhyStopped,
} from './delivery.return.emails.ts';
import { type AboutRelease, dayOf, senderOf } from './sender.ts';

/* Mails about letters after their owner has come back. */

/**
 * Tells everyone whom these letters have reached that the owner is back, whether or not they opened them. Sends one mail
 * per mailbox and return. If the release was only undone, the mail says that the letters came too early.
 */
export async function enqueueReturned(
  app: App,
  tx: Executor,
  { owner, at }: { owner: OwnerRow; at: Date },
  reached: readonly { id: string; recipientEmail: string }[],
  why: WhyStopped = 'owner_back',
): Promise<void> {
  if (reached.length === 0) return;
  const { baseUrl, serviceKeys } = app;
  const vault = await openVault(app, tx, owner.id);
  // A damaged address can't be written to.
  const found = reached.flatMap((delivery) => {
    const address = unlessBroken(() => openAddress(vault, delivery));
    return address === null ? [] : [[personOf(address), { address, deliveryId: delivery.id }] as const];
  });
  const words = why === 'owner_back' ? returnedEmail : tooEarlyEmail;
  for (const { address, deliveryId } of new Map(found).values()) {
    const key = `delivery-returned:${deliveryId}`;
    await enqueueNotification(app, tx, {
      channel: 'email',
      kind: 'delivery.returned',
      userId: owner.id,
      subjectId: deliveryId,
      dedupeKey: key,
      messageIdSeed: serviceKeys.derive('delivery-message-id', key),
      at,
      to: { address },
      mail: words({ sender: senderOf(owner), baseUrl }),
    });
  }
}

/** Reports a refusal to an owner who is back and left letters to be sent, since they can correct the address. */
export async function enqueueRefusedSince(
  app: App,
  tx: Executor,
  { delivery, owner, at }: { delivery: DeliveryRow; owner: OwnerRow; at: Date },
): Promise<void> {
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'delivery.owner-unreachable',
    userId: owner.id,
    subjectId: delivery.requestId,
    dedupeKey: `delivery-owner-unreachable:${delivery.requestId}:${dayOf(at)}`,
    at,
    to: { address: owner.email },
    mail: refusedSinceEmail({ firstName: senderOf(owner).firstName, baseUrl: app.baseUrl }),
  });
}

/**
 * Notifies the owner and every confirmed contact that a letter arrived after the halt. Sends it once per person and
 * release, and again if the owner comes back later.
 */
export async function enqueueArrivedLate(app: App, tx: Executor, about: AboutRelease, why: WhyStopped): Promise<void> {
  const { requestId, owner, at } = about;
  const { baseUrl } = app;
  const sender = senderOf(owner);
  const prefix = `delivery-arrived-late:${why}:${requestId}`;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'delivery.owner-arrived-late',
    userId: owner.id,
    subjectId: requestId,
    dedupeKey: `${prefix}:${owner.id}`,
    at,
    to: { address: owner.email },
    mail: arrivedLateEmail({ firstName: sender.firstName, why, baseUrl }),
  });
  await tellContacts(app, tx, about, (contact) => ({
    kind: 'delivery.arrived-late',
    dedupeKey: `${prefix}:${contact.id}`,
    mail: arrivedLateToContactEmail({ sender, contactName: contact.name, why, baseUrl }),
  }));
}
