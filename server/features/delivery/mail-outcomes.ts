import type { App } from '#server/app.ts';
import { settleMessages } from '#server/features/messages/ready-messages.ts';
import type { AfterBounce, BouncedMail, NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import { kindsEndedBy, type MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import {
  changeDelivery,
  type DeliveryRow,
  isReached,
  isReleaseClosed,
  isReplaced,
  lifeOf,
} from './delivery.repository.ts';
import { expiryOf, isRenewable, remindersMax, settle } from './delivery.rules.ts';
import { finishHalts } from './halts.ts';
import { healthyTimeOf } from './healthy-time.ts';
import { tellOfUnreachedContact } from './mails/contact-mails.ts';
import {
  acceptMails,
  bounceLetter,
  recordDelivery,
  refuseLetter,
  revokeAcceptance,
  withdrawLateArrival,
} from './outcomes.ts';
import { lettersOfPerson, lockMail } from './person-letters.repository.ts';

/* Applies outcomes of mails to their letters, in the transaction that records the outcome. The owner's row is locked. */

/** Mails that bring letters or their link again. */
const toRecipients: ReadonlySet<MailKind> = new Set(kindsEndedBy('release stopped'));
const whileOpen: ReadonlySet<MailKind> = new Set(kindsEndedBy('release ended'));

/** Applies the outcome of a mail to all letters in it. */
export async function settleOutcome(app: App, tx: Executor, ended: NotificationOutcome): Promise<void> {
  await tellOfUnreachedContact(app, tx, ended);
  const { kind, outcome, subjectId: mailId, userId, at } = ended;
  if (!toRecipients.has(kind)) return;
  const isLetter = kind === 'delivery.letter';
  if (isLetter && outcome === 'accepted' && mailId && (await acceptMails(app, tx, [{ mailId, at }])).size > 0) return;
  if (userId) await finishHalts(app, tx, userId);
  if (!mailId) return;
  if (!isLetter && outcome === 'bounced') await closeMailbox(app, tx, mailId, at);
  else if (kind === 'delivery.renewal') await settleRenewal(app, tx, mailId, ended);
  else if (isLetter) for (const delivery of await lockMail(tx, mailId)) await settleLetter(app, tx, delivery, ended);
}

/** The mailbox of a mail with letters has refused it, and it is still tried. */
export async function settleRefusal(app: App, tx: Executor, mailId: string, at: Date): Promise<void> {
  for (const delivery of await lockMail(tx, mailId)) {
    if (delivery.status === 'pending') await refuseLetter(app, tx, delivery, at);
  }
}

/** Undoes the effects of an acceptance after the mail bounced, unless a letter in it was opened. */
export async function settleBounce(app: App, tx: Executor, mail: BouncedMail): Promise<AfterBounce> {
  const { kind, subjectId, isRefusal, at } = mail;
  if (!toRecipients.has(kind)) {
    // After the release has ended, contacts have no page.
    return whileOpen.has(kind) && subjectId && (await isReleaseClosed(tx, subjectId)) ? 'give_up' : 'try_again';
  }
  const letters = subjectId ? await lockMail(tx, subjectId) : [];
  const arrived = letters.filter(({ status }) => status === 'accepted');
  if (arrived.length === 0) return 'give_up';
  if (arrived.some(isReached)) return 'keep';
  // The mailbox accepted the letters before their reminder or renewed link. See closeMailbox.
  if (kind !== 'delivery.letter') return 'try_again';
  for (const delivery of arrived) {
    await revokeAcceptance(app, tx, delivery, at);
    if (isRefusal) await refuseLetter(app, tx, delivery, at);
  }
  return 'try_again';
}

/** Handles every outcome except an awaited acceptance. */
async function settleLetter(
  app: App,
  tx: Executor,
  delivery: DeliveryRow,
  { outcome, at }: NotificationOutcome,
): Promise<void> {
  const next = settle(delivery.status, outcome);
  if (next === 'bounced') return bounceLetter(app, tx, delivery, at);
  if (next === 'withdrawn') await withdrawLateArrival(app, tx, delivery, at);
}

/** A mailbox that accepted letters has refused their link on three days, so it is closed. Unread letters have not arrived. */
async function closeMailbox(app: App, tx: Executor, mailId: string, at: Date): Promise<void> {
  const [first] = await lockMail(tx, mailId);
  const letters = first ? await lettersOfPerson(tx, first) : [];
  // The person who has read one of them, or answered, has the link to all.
  if (letters.some(isReached)) return;
  for (const delivery of letters.filter(({ status }) => status === 'accepted')) {
    await revokeAcceptance(app, tx, delivery, at);
    await bounceLetter(app, tx, delivery, at);
  }
}

/** A renewed link has reached its reader, so the days of expired letters begin again. */
async function settleRenewal(
  app: App,
  tx: Executor,
  mailId: string,
  { outcome, at }: NotificationOutcome,
): Promise<void> {
  const [first] = outcome === 'accepted' ? await lockMail(tx, mailId) : [];
  if (!first) return;
  const letters = await lettersOfPerson(tx, first);
  await acceptRefused(
    app,
    tx,
    letters.filter(({ status }) => status === 'bounced'),
    at,
  );
  const { atMostMs, countedMs } = await healthyTimeOf(app)(tx, at);
  const now = { atMs: at.getTime(), healthyMs: countedMs };
  for (const delivery of letters.filter((letter) => isRenewable(lifeOf(letter), now))) {
    // A reader who requested the link needs no reminder of it.
    const days = { expiresAt: new Date(expiryOf(at.getTime())), linkBeganHealthyMs: atMostMs };
    await changeDelivery(tx, delivery.id, { status: 'accepted', ...days, remindersSent: remindersMax });
    if (delivery.status === 'unopened') await settleMessages(tx, [delivery.messageId]);
    await recordDelivery(app, tx, delivery, { action: 'delivery.renewed', at });
  }
}

/** An address that had refused letters has accepted a mail with the link to them. */
async function acceptRefused(app: App, tx: Executor, refused: readonly DeliveryRow[], at: Date): Promise<void> {
  const mailIds = new Set<string>();
  for (const delivery of refused) {
    if (await isReplaced(tx, delivery.id)) continue;
    if (await isReleaseClosed(tx, delivery.requestId)) await withdrawLateArrival(app, tx, delivery, at);
    else {
      await changeDelivery(tx, delivery.id, { status: 'pending', endedAt: null });
      mailIds.add(delivery.mailId);
    }
  }
  await acceptMails(
    app,
    tx,
    [...mailIds].map((mailId) => ({ mailId, at })),
  );
}
