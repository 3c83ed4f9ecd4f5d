import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { changeDelivery, type DeliveryRow, isReached, lifeOf } from '#server/features/delivery/delivery.repository.ts';
import { isReadable, keptEndAt, keptUntilOf, type Moment } from '#server/features/delivery/delivery.rules.ts';
import { healthyTimeOf, momentAt } from '#server/features/delivery/healthy-time.ts';
import { lockByToken } from '#server/features/delivery/lock-by-token.ts';
import { enqueueReaderDeclined } from '#server/features/delivery/mails/contact-mails.ts';
import { acceptMails } from '#server/features/delivery/outcomes.ts';
import { lettersOfPerson } from '#server/features/delivery/person-letters.repository.ts';
import { linkNotFound } from '#server/features/delivery/read-letter.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { keepPrivate } from '#server/http/bodies/downloads.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/letters/delivery.ts';
import type { ReaderSay } from '#shared/contract/letters/delivery.ts';
import { decline, takeBackDeclining } from './declining.ts';
import { findDecliningById, hasDeclinedLetter, readerOf } from './say.repository.ts';

/* The reader's own say: keep it for me, not now, no more letters. The writer learns none of it. */

export async function sayOfReader(
  app: App,
  { params, body, reply }: HttpCall<typeof contract.sayOfReader>,
): Promise<{ ok: true }> {
  keepPrivate(reply);
  await sayByLink(app, params.token, body.say);
  return { ok: true };
}

/**
 * Stores what a reader said on the page of a letter. The same word a second time changes nothing.
 * @throws AppError `NOT_FOUND` for an expired link.
 */
export async function sayByLink(app: App, token: string, say: ReaderSay): Promise<void> {
  await app.db.transaction(async (tx) => {
    const delivery = await lockByToken(app, tx, token);
    const at = await app.clock.now(tx);
    const now = await momentAt(app, tx, at);
    if (!delivery || !isReadable(lifeOf(delivery), now)) throw linkNotFound();
    // As with an opening: this reader has received the mail, even if the mail server's answer has not reached us yet.
    if (delivery.status === 'pending') await acceptMails(app, tx, [{ mailId: delivery.mailId, at }]);
    if (!(await isNews(app, tx, { delivery, say, at, now }))) return;
    await recordSay(app, tx, { resource: 'message_delivery', resourceId: delivery.id, say, at });
  });
}

/** Has a reader's letters come again by the word of a contact. Does nothing if none is declined. */
export async function sendAgainBy(
  app: App,
  { userId, readerId, contactId }: { userId: string; readerId: string; contactId: string },
): Promise<void> {
  await app.db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) return;
    const at = await app.clock.now(tx);
    const word = await findDecliningById(tx, { userId, id: readerId });
    if (!word) return;
    const reader = await readerOf(tx, { userId, personKeys: [word.personKey] });
    if (!(await takeBackDeclining(app, tx, reader, { contactId, at }))) return;
    await recordSay(app, tx, { resource: 'trusted_contact', resourceId: contactId, say: 'letters', at });
  });
}

/**
 * Adds a word of a reader, or of a contact about a reader, to the log of the installation. The writer reads their own
 * log after a return, so it has none of this.
 */
async function recordSay(
  app: App,
  tx: Executor,
  { resource, resourceId, say, at }: { resource: string; resourceId: string; say: ReaderSay; at: Date },
): Promise<void> {
  await recordAudit(app, tx, { userId: null, action: 'reader.said', resource, resourceId, details: { say }, at });
}

type Word = { delivery: DeliveryRow; say: ReaderSay; at: Date; now: Moment };

/** Applies a word. False if it changes nothing. */
async function isNews(app: App, tx: Executor, { delivery, say, at, now }: Word): Promise<boolean> {
  const { userId, requestId, sayKey, personKey } = delivery;
  const reader = await readerOf(tx, { userId, personKeys: [sayKey, personKey] });
  if (say === 'letters') return takeBackDeclining(app, tx, reader, { contactId: null, at });
  const letters = (await lettersOfPerson(tx, delivery)).filter(
    (each) => each.status === 'accepted' && isReadable(lifeOf(each), now),
  );
  if (say === 'keep') {
    const notKept = letters.filter((each) => (keptEndAt(lifeOf(each).kept, now) ?? 0) <= at.getTime());
    return keep(app, tx, notKept, at);
  }
  const isQuiet = await quieten(app, tx, letters, at);
  if (say === 'not-now') return isQuiet;
  const [declining] = await decline(app, tx, reader, at);
  if (!declining) return false;
  const owner = await findOwner(tx, userId);
  if (owner && (await hasDeclinedLetter(tx, reader))) {
    await enqueueReaderDeclined(app, tx, { requestId, owner, at }, declining);
  }
  return true;
}

/** Keeps letters for a healthy year. It begins at the highest possible healthy time, as the days of a link do. */
async function keep(app: App, tx: Executor, letters: readonly DeliveryRow[], at: Date): Promise<boolean> {
  const { atMostMs } = await healthyTimeOf(app)(tx, at);
  const kept = { keptUntil: new Date(keptUntilOf(at.getTime())), keptFromHealthyMs: atMostMs };
  for (const { id, answeredAt } of letters) await changeDelivery(tx, id, { ...kept, answeredAt: answeredAt ?? at });
  await withoutReminders(app, tx, letters);
  return letters.length > 0;
}

/**
 * Ends the reminders. A reminder of unopened letters can belong to the mail of an opened one. Each letter that comes
 * later has reminders of its own.
 */
async function quieten(app: App, tx: Executor, letters: readonly DeliveryRow[], at: Date): Promise<boolean> {
  const asking = letters.filter((each) => !isReached(each));
  for (const { id } of asking) await changeDelivery(tx, id, { answeredAt: at });
  await withoutReminders(app, tx, letters);
  return asking.length > 0;
}

async function withoutReminders(app: App, tx: Executor, letters: readonly DeliveryRow[]): Promise<void> {
  for (const mailId of new Set(letters.map((each) => each.mailId))) {
    await cancelNotificationsFor(app, tx, mailId, 'reader answered');
  }
}
