import type { FastifyReply } from 'fastify';
import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { openDeliveredEnclosure } from '#server/features/messages/enclosures.ts';
import { findDamagedMessages, openDeliveredAttachment } from '#server/features/messages/letters.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { isWaiting } from '#server/features/notifications/mail-queue.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { keepPrivate } from '#server/http/bodies/downloads.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { AppError } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/letters/delivery.ts';
import { tokenOf } from './delivery.links.ts';
import { changeDelivery, isReplaced, lifeOf } from './delivery.repository.ts';
import { isReadable, isRenewable } from './delivery.rules.ts';
import { openPerson } from './delivery.sealing.ts';
import { momentAt } from './healthy-time.ts';
import { lockByToken } from './lock-by-token.ts';
import { enqueueRenewal } from './mails/letter-mails.ts';
import { acceptMails, recordDelivery } from './outcomes.ts';
import { lettersOfPerson } from './person-letters.repository.ts';
import { findOpened, type LetterOfPerson, linkNotFound, readLetterOfPerson } from './read-letter.ts';

/* Page of a recipient's link. Each holder of the link may read, so no copy may be cached or indexed. */

type LinkParams = { params: { token: string } };

/** Redirects to a GET after every method (RFC 9110 §15.4.4). */
const seeOther = 303;

export function getDeliveredMessage(
  app: App,
  { params, reply }: HttpCall<typeof contract.getDeliveredMessage>,
): Promise<LetterOfPerson> {
  keepPrivate(reply);
  return readLetterOfPerson(app, params.token);
}

export async function downloadDeliveredAttachment(app: App, { params }: LinkParams): Promise<OutgoingFile> {
  const { messageId } = await findOpened(app, params.token);
  return openDeliveredAttachment(app, app.db, messageId);
}

/** Returns one of its pictures or its voice recording. */
export async function getDeliveredEnclosure(
  app: App,
  { params }: { params: { token: string; enclosureId: string } },
): Promise<OutgoingFile> {
  return openDeliveredEnclosure(app, app.db, await findOpened(app, params.token), params.enclosureId);
}

export async function recordOpening(
  app: App,
  { params, reply }: HttpCall<typeof contract.recordOpening>,
): Promise<{ ok: true }> {
  keepPrivate(reply);
  await openEnvelope(app, params.token);
  return { ok: true };
}

/** Opens the envelope by a form without scripts. */
export async function openLetter(
  app: App,
  { params, reply }: HttpCall<typeof contract.openLetter>,
): Promise<FastifyReply> {
  keepPrivate(reply);
  try {
    await openEnvelope(app, params.token);
  } catch (error) {
    // The page of an expired link says so, and offers a new one.
    if (!(error instanceof AppError && error.type === 'NOT_FOUND')) throw error;
  }
  return reply.redirect(`/message/${encodeURIComponent(params.token)}?open`, seeOther);
}

export async function renewDelivery(
  app: App,
  { params, reply }: HttpCall<typeof contract.renewDelivery>,
): Promise<{ message: string }> {
  keepPrivate(reply);
  await renewLink(app, params.token);
  // Same answer for every link, also if its release is frozen: the caller may not learn that.
  return {
    message: 'If the message is still kept, a new link goes to the address it was written for. It can take a while.',
  };
}

/** Records the first opening by a person. Later ones change nothing. @throws AppError `NOT_FOUND`. */
export async function openEnvelope(app: App, token: string): Promise<void> {
  await app.db.transaction(async (tx) => {
    const delivery = await lockByToken(app, tx, token);
    const now = await app.clock.now(tx);
    if (!delivery || !isReadable(lifeOf(delivery), await momentAt(app, tx, now))) throw linkNotFound();
    if (delivery.accessedAt) return;
    // A press opens no damaged letter, and its reminders continue.
    if ((await findDamagedMessages(app, tx, delivery.userId, [delivery.messageId])).size > 0) return;

    await changeDelivery(tx, delivery.id, { accessedAt: now });
    await recordDelivery(app, tx, delivery, { action: 'delivery.opened', at: now });
    await cancelNotificationsFor(app, tx, delivery.mailId, 'letter opened');
    const letters = await lettersOfPerson(tx, delivery);
    if (letters.every(({ accessedAt }) => accessedAt)) {
      const mailIds = new Set(letters.map(({ mailId }) => mailId));
      for (const mailId of mailIds) await cancelNotificationsFor(app, tx, mailId, 'all letters opened');
    }
    // A reader has received the mail, even if the mail server's answer has not reached us yet.
    if (delivery.status === 'pending') await acceptMails(app, tx, [{ mailId: delivery.mailId, at: now }]);
  });
}

/**
 * Sends the link of an expired letter again, with all other expired letters of this person, only to the address it was
 * written for. Does not reveal if there is one, or if it is frozen. In a freeze one mail waits, however often it is
 * requested.
 */
export async function renewLink(app: App, token: string): Promise<void> {
  await app.db.transaction(async (tx) => {
    const delivery = await lockByToken(app, tx, token);
    const at = await app.clock.now(tx);
    const now = await momentAt(app, tx, at);
    if (!delivery || !isRenewable(lifeOf(delivery), now)) return;
    if (await isReplaced(tx, delivery.id)) return;
    if (await isWaiting(tx, delivery.mailId, 'delivery.renewal')) return;

    const owner = await findOwner(tx, delivery.userId);
    if (!owner) return;
    const reader = openPerson(await openVault(app, tx, delivery.userId), delivery);
    const expired = (await lettersOfPerson(tx, delivery)).filter((each) => isRenewable(lifeOf(each), now));
    const { mailId, personKey, releaseNumber, addressFrom } = delivery;
    const first = { ...(expired[0] ?? delivery), address: reader.address };
    const to = { mailId, personKey, releaseNumber, reader, addressFrom, letters: expired.length, owner, at };
    await enqueueRenewal(app, tx, { ...to, token: tokenOf(app, first) });
  });
}
