import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { AnsweredMail } from '#server/features/notifications/replies/mail-replies.service.ts';
import { restoredKind } from '#server/features/release-health/restore.repository.ts';
import { newCheckInLink } from '#server/features/release-state/checkin-link.ts';
import { insertCheckInLinks } from '#server/features/release-state/checkin-links.repository.ts';
import { isAskOpen } from '#server/features/release-state/release.repository.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { askedKind } from './contact-mail.ts';
import { contactReplyEmail, ownerReplyEmail } from './mail-replies.emails.ts';
import { ownerMailKinds, pressedKind } from './owner-mail.ts';
import { nudgeKind } from './release.notify.ts';

export type MailRepliesDependencies = {
  db: Database;
  accounts: Pick<Accounts, 'lockOwner'>;
  notifications: Pick<Notifications, 'answeredMail' | 'noteReply' | 'writtenSince' | 'enqueue'>;
  audit: Pick<Audit, 'record'>;
  hashToken: HashToken;
  baseUrl: string;
};

/** A person's answer, and the mail that it answers. */
export type MailReply = { key: string; attempt: number | null; at: Date };

const ownerReplyKind = 'release.owner_reply';
const contactReplyKind = 'release.contact_reply';

const { welcome_back: _, ...askedTopics } = ownerMailKinds;
/** Mails to owners that have the button Check in. Our own answers are not among them, so they are never answered. */
const ownersKinds: readonly string[] = [...Object.values(askedTopics), pressedKind, nudgeKind, restoredKind];

/** Mails whose answers are recorded: reminders and questions to owners, and questions to contacts. */
export const answeredKinds: readonly string[] = [...ownersKinds, askedKind];

/** Number of our answers about one owner in a day. */
export const repliesPerDayMax = 5;

/**
 * Records that an email in answer to a reminder or a question came, and tells the recipient of that mail once that it does not count.
 * Anybody can write such an email, so it is no sign of life and no answer of a contact. False for an answer to any other mail.
 */
export async function receiveMailReply(
  deps: MailRepliesDependencies,
  { key, attempt, at }: MailReply,
): Promise<boolean> {
  const { db, accounts, notifications, audit } = deps;
  return db.transaction(async (tx) => {
    const mail = await notifications.answeredMail(tx, { key, attempt });
    if (!mail || !answeredKinds.includes(mail.kind)) return false;
    const owner = await accounts.lockOwner(tx, mail.userId);
    if (!owner) return false;
    // The same email may be read again, and one mail may be answered several times.
    if (!(await notifications.noteReply(tx, mail.id, at))) return true;
    const by = mail.kind === askedKind ? 'contact' : 'owner';
    const entry = { userId: owner.id, action: 'release.answered_by_email', resource: 'user', resourceId: owner.id };
    await audit.record(tx, { ...entry, details: { by }, at });
    const since = new Date(at.getTime() - dayMs);
    const kinds = [ownerReplyKind, contactReplyKind];
    const written = await notifications.writtenSince(tx, { owner: owner.id, kinds, since });
    if (written >= repliesPerDayMax || owner.deletionRequestedAt) return true;
    if (by === 'owner') await answerOwner(deps, tx, { owner, mail, at });
    else await answerContact(deps, tx, { owner, mail, at });
    return true;
  });
}

type Answered = { owner: OwnerRow; mail: AnsweredMail; at: Date };

async function answerOwner(deps: MailRepliesDependencies, tx: Executor, { owner, mail, at }: Answered): Promise<void> {
  // An owner who has shown life since then needs no button, and the mail may have gone to an earlier address of theirs.
  if (owner.lastCheckinAt > mail.writtenAt || mail.to?.address !== owner.email) return;
  const link = newCheckInLink(deps, { userId: owner.id, at });
  await insertCheckInLinks(tx, [link.row]);
  const words = { firstName: owner.firstName ?? '', baseUrl: deps.baseUrl, checkInUrl: link.url };
  await deps.notifications.enqueue(tx, {
    channel: 'email',
    kind: ownerReplyKind,
    userId: owner.id,
    subjectId: owner.id,
    dedupeKey: `release-reply:${mail.id}`,
    at,
    to: mail.to,
    mail: ownerReplyEmail({ ...words, answeredAt: mail.writtenAt }),
  });
}

async function answerContact(
  deps: MailRepliesDependencies,
  tx: Executor,
  { owner, mail, at }: Answered,
): Promise<void> {
  const { to, contactId, notice } = mail;
  if (!to || !contactId || notice === null) return;
  if (!(await isAskOpen(tx, { userId: owner.id, contactId, notice }))) return;
  const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const contact = { contactName: to.name ?? to.address, ownerName, ownerFirstName: owner.firstName || ownerName };
  await deps.notifications.enqueue(tx, {
    channel: 'email',
    kind: contactReplyKind,
    userId: owner.id,
    contactId,
    subjectId: contactId,
    dedupeKey: `release-reply:${mail.id}`,
    at,
    to,
    mail: contactReplyEmail({ ...contact, baseUrl: deps.baseUrl, answeredAt: mail.writtenAt }),
  });
}
