import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import {
  type AnsweredMail,
  countWrittenSince,
  findAnsweredMail,
  noteReply,
} from '#server/features/notifications/replies/mail-replies.ts';
import { newCheckInLink } from '#server/features/release-state/checkin-link.ts';
import { insertCheckInLinks } from '#server/features/release-state/checkin-links.repository.ts';
import { isAskOpen } from '#server/features/release-state/release.repository.ts';
import { kindsWhere, type MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { contactReplyEmail, ownerReplyEmail } from './mail-replies.emails.ts';

/** A person's answer, and the mail that it answers. */
type MailReply = { key: string; series: number | null; at: Date };

/** Our answers. They are not recorded themselves, so an answer to one gets none. */
const ourAnswers: readonly MailKind[] = ['release.owner_reply', 'release.contact_reply'];

/** Mails whose answers are recorded: reminders and questions to owners, and questions to contacts. */
export const answeredKinds: readonly string[] = kindsWhere(({ recordsReplies }) => recordsReplies === true);

/** Number of our answers about one owner in a day. */
export const repliesPerDayMax = 5;

/**
 * Records an emailed reply to a reminder or question, and notifies that mail's recipient once that it does not count.
 * Anyone can forge such an email, so it is no activity and no answer of a contact. Returns false for a reply to any
 * other mail.
 */
export function receiveMailReply(app: App, { key, series, at }: MailReply): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const mail = await findAnsweredMail(app, tx, { key, series });
    if (!mail || !answeredKinds.includes(mail.kind)) return false;
    const owner = await lockOwnerRow(tx, mail.userId);
    if (!owner) return false;
    // An email can be read twice, and one mail can have several replies.
    if (!(await noteReply(tx, mail.id, at))) return true;
    const by = mail.kind === 'release.contact_asked' ? 'contact' : 'owner';
    const entry = { userId: owner.id, action: 'release.answered_by_email', resource: 'user', resourceId: owner.id };
    await recordAudit(app, tx, { ...entry, details: { by }, at });
    const since = new Date(at.getTime() - dayMs);
    const written = await countWrittenSince(tx, { owner: owner.id, kinds: ourAnswers, since });
    if (written >= repliesPerDayMax || owner.deletionRequestedAt) return true;
    if (by === 'owner') await answerOwner(app, tx, { owner, mail, at });
    else await answerContact(app, tx, { owner, mail, at });
    return true;
  });
}

type Answered = { owner: OwnerRow; mail: AnsweredMail; at: Date };

async function answerOwner(app: App, tx: Executor, { owner, mail, at }: Answered): Promise<void> {
  // An owner who has shown life since then needs no button, and the mail may have gone to an earlier address of theirs.
  if (owner.lastCheckinAt > mail.writtenAt || mail.to?.address !== owner.email) return;
  const link = newCheckInLink(app, { userId: owner.id, at });
  await insertCheckInLinks(tx, [link.row]);
  const words = { firstName: owner.firstName ?? '', baseUrl: app.baseUrl, checkInUrl: link.url };
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.owner_reply',
    userId: owner.id,
    subjectId: owner.id,
    dedupeKey: `release-reply:${mail.id}`,
    at,
    to: mail.to,
    mail: ownerReplyEmail({ ...words, answeredAt: mail.writtenAt }),
  });
}

async function answerContact(app: App, tx: Executor, { owner, mail, at }: Answered): Promise<void> {
  const { to, contactId, notice } = mail;
  if (!to || !contactId || notice === null) return;
  if (!(await isAskOpen(tx, { userId: owner.id, contactId, notice }))) return;
  const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const contact = { contactName: to.name ?? to.address, ownerName, ownerFirstName: owner.firstName || ownerName };
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'release.contact_reply',
    userId: owner.id,
    contactId,
    subjectId: contactId,
    dedupeKey: `release-reply:${mail.id}`,
    at,
    to,
    mail: contactReplyEmail({ ...contact, baseUrl: app.baseUrl, answeredAt: mail.writtenAt }),
  });
}
