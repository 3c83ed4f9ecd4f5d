import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import type { LetterToSend } from '#server/features/messages/letters.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { finishDueHalts, finishHalts } from './halts.ts';
import { deliveryEmail, keptFrom, type Mail } from './mails/delivery.emails.ts';
import { type OwnersName, senderOf } from './mails/sender.ts';
import { queueLetters } from './queueing.ts';
import { endUnopened, sendReminders } from './reminders.ts';

export type NewDeliveries = {
  userId: string;
  requestId: string;
  /** Number of this owner's release. Links and Message-IDs derive from it. */
  releaseNumber: number;
  at: Date;
  /** In the writer's order. `dueAt`: the day of its own for which it waits. */
  letters: readonly (LetterToSend & { dueAt?: Date | null })[];
};

/**
 * Queues each letter of a release, with one mail per person, in the caller's transaction, which holds the owner's lock.
 * Skips letters that are queued or delivered already. Returns the number of new ones.
 */
export async function queueReleasedLetters(
  app: App,
  tx: Executor,
  { userId, requestId, releaseNumber, at, letters }: NewDeliveries,
): Promise<number> {
  const owner = await findOwner(tx, userId);
  if (!owner) throw new Error('A delivery needs an owner.');
  // Letters stopped before would still count as being sent.
  await finishHalts(app, tx, userId);
  const vault = await openVault(app, tx, userId);
  const created = await queueLetters(
    app,
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
  const entry = { userId, action: 'delivery.created', resource: 'release_request', resourceId: requestId, at };
  await recordAudit(app, tx, { ...entry, details: { deliveries: created.size } });
  return created.size;
}

/** Does all work of a round with letters that have left. Returns the number of letters. Called until it returns 0. */
export async function sendDueLetters(app: App, at: Date): Promise<number> {
  return (await sendReminders(app, at)) + (await endUnopened(app, at)) + (await finishDueHalts(app));
}

/** Returns a preview of the mail that brings letters of this owner, with another link. */
export function previewLetterMail(
  { baseUrl }: App,
  owner: OwnersName,
  given: { link: string; readerName: string | null; letters: number; sealed: number },
): Mail {
  return deliveryEmail({ sender: senderOf(owner), ...given, baseUrl, addressFrom: 'owner', keptUntil: keptFrom(0) });
}
