import { type App, perApp } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit, recordAudits } from '#server/features/audit/record.ts';
import { settleMessages } from '#server/features/messages/ready-messages.ts';
import type { Executor } from '#server/platform/db/database.ts';
import {
  acceptDeliveries,
  changeDelivery,
  type DeliveryRow,
  hasPending,
  isOwnerBack,
  isReleaseClosed,
} from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';
import { healthyTimeOf } from './healthy-time.ts';
import { enqueueUnreachable } from './mails/contact-mails.ts';
import { enqueueArrivedLate, enqueueRefusedSince, enqueueReturned } from './mails/return-mails.ts';

/* Steps of a letter after its mail has ended. The owner's row is locked. */

/** Called in the transaction of the outcome after which no delivery of the release waits. */
export type EndedListener = (tx: Executor, ended: { requestId: string; at: Date }) => Promise<void>;

export const endedListenersOf = perApp<EndedListener[]>(() => []);

/**
 * Applies the acceptance of these mails to readers of one owner. Each letter that was waiting for it has reached its
 * reader, once, and its 30 days begin. Returns the ids of the mails with such letters.
 */
export async function acceptMails(
  app: App,
  tx: Executor,
  mails: readonly { mailId: string; at: Date }[],
): Promise<Set<string>> {
  if (mails.length === 0) return new Set();
  const atOf = new Map(mails.map(({ mailId, at }) => [mailId, at]));
  const lastAt = new Date(Math.max(...mails.map(({ at }) => at.getTime())));
  const { atMostMs } = await healthyTimeOf(app)(tx, lastAt);
  const accepted = await acceptDeliveries(
    tx,
    mails.map(({ mailId, at }) => ({ mailId, at, expiresAt: new Date(expiryOf(at.getTime())) })),
    atMostMs,
  );
  const delivered = accepted.map((delivery) => ({ delivery, at: atOf.get(delivery.mailId) as Date }));
  if (delivered.length === 0) return new Set();

  await settleMessages(
    tx,
    delivered.map(({ delivery }) => delivery.messageId),
  );
  await recordAudits(
    app,
    tx,
    delivered.map(({ delivery, at }) => entryOf(delivery, 'delivery.accepted', at)),
  );
  const ended = new Map(
    delivered.flatMap(({ delivery, at }) => (delivery.isReleaseOver ? [[delivery.requestId, at]] : [])),
  );
  for (const [requestId, at] of ended) await tellEnded(app, tx, requestId, at);
  return new Set(accepted.map(({ mailId }) => mailId));
}

/** A mailbox has refused a letter that is still tried. Contacts are asked for another address, once. */
export async function refuseLetter(app: App, tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
  if (delivery.refusedAt || (await isReleaseClosed(tx, delivery.requestId))) return;
  const owner = await findOwner(tx, delivery.userId);
  if (!owner) return;
  await changeDelivery(tx, delivery.id, { refusedAt: at });
  const contactsTold = await enqueueUnreachable(app, tx, { delivery, owner, at, isStillTried: true });
  await recordDelivery(app, tx, delivery, { action: 'delivery.refused', at, details: { contactsTold } });
}

/** Ends a letter that its mailbox refused permanently, or whose thirty days of attempts have ended. */
export async function bounceLetter(app: App, tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
  await changeDelivery(tx, delivery.id, { status: 'bounced', endedAt: at });
  await settleMessages(tx, [delivery.messageId]);
  const owner = await findOwner(tx, delivery.userId);
  // After the release has ended, contacts have no page.
  const isClosed = await isReleaseClosed(tx, delivery.requestId);
  if (owner && isClosed) await enqueueRefusedSince(app, tx, { delivery, owner, at });
  // Contacts were asked at the first refusal.
  const isToTell = owner && !isClosed && !delivery.refusedAt;
  const contactsTold = isToTell ? await enqueueUnreachable(app, tx, { delivery, owner, at, isStillTried: false }) : 0;
  await recordDelivery(app, tx, delivery, { action: 'delivery.bounced', at, details: { contactsTold } });
  if (!(await hasPending(tx, delivery.requestId))) await tellEnded(app, tx, delivery.requestId, at);
}

/** Undoes an acceptance: the letter waits for its mail again, and so does its message. */
export async function revokeAcceptance(app: App, tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
  const notArrived = { deliveredAt: null, endedAt: null, linkBeganHealthyMs: null, remindersSent: 0 };
  const expiresAt = new Date(expiryOf(at.getTime()));
  await changeDelivery(tx, delivery.id, { status: 'pending', expiresAt, ...notArrived });
  await settleMessages(tx, [delivery.messageId]);
  await recordDelivery(app, tx, delivery, { action: 'delivery.came_back', at });
}

/** Revokes the link of a letter that arrived after the halt, and notifies everyone concerned. */
export async function withdrawLateArrival(app: App, tx: Executor, delivery: DeliveryRow, at: Date): Promise<void> {
  await changeDelivery(tx, delivery.id, { status: 'withdrawn', deliveredAt: at });
  await recordDelivery(app, tx, delivery, { action: 'delivery.withdrawn', at, details: { tooLateToStop: true } });
  const owner = await findOwner(tx, delivery.userId);
  // If an account is being deleted, no mail says that its owner is back.
  if (!owner || owner.deletionRequestedAt) return;
  const about = { owner, requestId: delivery.requestId, at };
  const why = (await isOwnerBack(tx, delivery.requestId)) ? 'owner_back' : 'undone';
  await enqueueReturned(app, tx, about, [delivery], why);
  await enqueueArrivedLate(app, tx, about, why);
}

type LetterId = { id: string; userId: string; messageId: string };
type Recorded = { action: string; at: Date; details?: Record<string, unknown> };

/** Actions that end by the word of a reader. The log of the installation has them, and not the one that an owner reads. */
const hiddenFromOwner: ReadonlySet<string> = new Set([
  'delivery.reminded',
  'delivery.renewed',
  'delivery.never_opened',
]);

export async function recordDelivery(
  app: App,
  tx: Executor,
  delivery: LetterId,
  { action, at, details }: Recorded,
): Promise<void> {
  const { userId, ...entry } = entryOf(delivery, action, at);
  const whose = hiddenFromOwner.has(action) ? null : userId;
  await recordAudit(app, tx, { ...entry, userId: whose, details: { ...entry.details, ...details } });
}

/** Entry of the audit log about a delivery. */
export function entryOf({ id, userId, messageId }: LetterId, action: string, at: Date) {
  return { userId, action, resource: 'message_delivery', resourceId: id, details: { messageId }, at };
}

async function tellEnded(app: App, tx: Executor, requestId: string, at: Date): Promise<void> {
  for (const listener of endedListenersOf(app)) await listener(tx, { requestId, at });
}
