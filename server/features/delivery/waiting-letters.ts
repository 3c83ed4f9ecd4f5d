import { and, asc, eq, sql } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { recordAudit, recordAudits } from '#server/features/audit/record.ts';
import { findDamagedMessages } from '#server/features/messages/letters.ts';
import { settleMessages } from '#server/features/messages/ready-messages.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { keepDamaged } from './damaged-letters.ts';
import { personKeyOf, tokenHashOf } from './delivery.links.ts';
import { type DeliveryRow, isReleaseClosed } from './delivery.repository.ts';
import { openPerson, sealPerson } from './delivery.sealing.ts';
import { queueWaiting } from './queueing.ts';
import {
  cancelWaiting,
  lockWaitingFor,
  lockWaitingOfPerson,
  releaseNumberOf,
  removeWaiting,
  updateWaitingAddress,
} from './waiting-letters.repository.ts';

/* Letters with a day of their own. Until that day each is a delivery with the status `waiting`, and has no mail. */

/**
 * Queues the waiting letters of these recipients, even if their release has ended. Sets damaged letters aside for their
 * repair. The caller's transaction holds the owner's lock.
 */
export async function sendOnDay(
  app: App,
  tx: Executor,
  { owner, recipientIds, at }: { owner: OwnerRow; recipientIds: readonly string[]; at: Date },
): Promise<void> {
  const vault = await openVault(app, tx, owner.id);
  const due = await lockWaitingFor(tx, owner.id, recipientIds);
  const messageIds = [...new Set(due.map(({ messageId }) => messageId))];
  const damagedIds = await findDamagedMessages(app, tx, owner.id, messageIds);
  for (const [requestId, letters] of Map.groupBy(due, (letter) => letter.requestId)) {
    const whole: DeliveryRow[] = [];
    const damaged: DeliveryRow[] = [];
    for (const letter of letters) {
      const isWhole = !damagedIds.has(letter.messageId) && unlessBroken(() => openPerson(vault, letter)) !== null;
      (isWhole ? whole : damaged).push(letter);
    }
    const releaseNumber = await releaseNumberOf(tx, requestId);
    await queueWaiting(app, tx, { owner, vault, requestId, releaseNumber, at }, whole);
    const details = { deliveries: whole.length };
    const entry = { userId: owner.id, action: 'delivery.day_came', resource: 'release_request' };
    await recordAudit(app, tx, { ...entry, resourceId: requestId, details, at });
    if (damaged.length === 0) continue;
    await removeWaiting(
      tx,
      damaged.map(({ id }) => id),
    );
    // After the release has ended, contacts have no page for a repair, so the message is only ready again.
    if (!(await isReleaseClosed(tx, requestId))) await keepDamaged(app, tx, { owner, requestId, at, letters: damaged });
  }
}

/** Cancels all waiting letters of an owner, so that their messages are ready again. The caller's transaction holds the owner's lock. */
export async function cancelWaitingLetters(
  app: App,
  tx: Executor,
  { userId, at }: { userId: string; at: Date },
): Promise<void> {
  const messageIds = await cancelWaiting(tx, userId, at);
  await settleMessages(tx, messageIds);
  const entry = { userId, action: 'delivery.cancelled', resource: 'message', at };
  await recordAudits(
    app,
    tx,
    messageIds.map((resourceId) => ({ ...entry, resourceId })),
  );
}

/** Returns an owner's waiting letters, one per message and recipient. The next to leave is first. */
export function listWaitingLetters(
  executor: Executor,
  userId: string,
): Promise<{ requestId: string; messageId: string; dueAt: Date }[]> {
  const { requestId, messageId, dueAt, status, id } = messageDeliveries;
  return executor
    .select({ requestId, messageId, dueAt: sql<Date>`${dueAt}`.mapWith(dueAt) })
    .from(messageDeliveries)
    .where(and(eq(messageDeliveries.userId, userId), eq(status, 'waiting')))
    .orderBy(asc(dueAt), asc(id));
}

/**
 * Gives the waiting letters of a person the new address that contacts named. `refused` is another letter to that person.
 * A wish for no more letters stays with them.
 */
export async function changeWaitingAddress(
  app: App,
  tx: Executor,
  { refused, address }: { refused: DeliveryRow; address: string },
): Promise<void> {
  const waiting = await lockWaitingOfPerson(tx, refused);
  if (waiting.length === 0) return;
  const { userId } = refused;
  const vault = await openVault(app, tx, userId);
  for (const letter of waiting) {
    const reader = { address, name: openPerson(vault, letter).name };
    const personKey = personKeyOf(app, { userId, reader });
    await updateWaitingAddress(tx, letter.id, {
      ...sealPerson(vault, letter.id, reader),
      personKey,
      deliveryToken: tokenHashOf(app, { ...letter, address }),
      addressFrom: 'contact',
    });
  }
}
