import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { sentMessagesOf } from '#server/features/notifications/sent-messages.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { keptEmail, type Mail, mistakeEmail, ownerNameOf } from './contacts.emails.ts';
import { type ContactRow, contactIdsOf, listContactsOfOwner } from './contacts.repository.ts';

type OwnersMail = { kind: MailKind; contact: ContactRow; key: string; at: Date; notBefore?: Date; mail: Mail };
type Yes = { owner: OwnerRow; contact: ContactRow; contactName: string; token: string; at: Date };

/** Queues a mail about a contact to the owner. */
export async function enqueueToOwner(
  app: App,
  tx: Executor,
  { owner, contact, key, ...message }: OwnersMail & { owner: OwnerRow },
): Promise<void> {
  await enqueueNotification(app, tx, {
    ...message,
    channel: 'email',
    userId: owner.id,
    subjectId: contact.id,
    dedupeKey: `${message.kind}:${contact.id}:${key}`,
    to: { address: owner.email, name: ownerNameOf(owner).name },
  });
}

/** Queues the mail that a contact keeps after a yes, once for each invitation. It says what the role asks of them. */
export async function enqueueKeptMail(
  app: App,
  tx: Executor,
  { owner, contact, contactName, token, at }: Yes,
): Promise<void> {
  const { baseUrl } = app;
  const leaveUrl = `${baseUrl}/trusted-contact-accept/${token}`;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'contacts.kept',
    userId: owner.id,
    subjectId: contact.id,
    dedupeKey: `contacts.kept:${contact.confirmationToken}`,
    at,
    to: { address: contact.email, name: contactName },
    mail: keptEmail({ owner: ownerNameOf(owner), contactName, leaveUrl, baseUrl }),
  });
}

/** Cancels invitations that have not left yet. The owner can send them again. */
export async function withholdInvitations(app: App, tx: Executor, ownerUserId: string): Promise<void> {
  await cancelNotificationsFor(app, tx, contactIdsOf(tx, ownerUserId), 'account disowned');
}

/**
 * Emails every contact whom an invitation has reached that it was a mistake, because the account does not belong to the person
 * with that address. Other contacts get no mail. The owner's row is locked, and the account is about to go.
 */
export async function tellOfMistake(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
  const contacts = await listContactsOfOwner(tx, owner.id);
  if (contacts.length === 0) return;
  await withholdInvitations(app, tx, owner.id);
  const left = await sentMessagesOf(tx, { userId: owner.id, kinds: ['contacts.invitation'], since: owner.createdAt });
  const invited = new Set(left.map(({ subjectId }) => subjectId));
  for (const contact of contacts.filter(({ id }) => invited.has(id))) {
    await enqueueNotification(app, tx, {
      channel: 'email',
      kind: 'contacts.mistake',
      // Without an owner, because the mails of an account go with it.
      userId: null,
      subjectId: null,
      dedupeKey: `contacts.mistake:${contact.id}`,
      at,
      to: { address: contact.email },
      mail: mistakeEmail({ ownerName: ownerNameOf(owner).name, baseUrl: app.baseUrl }),
    });
  }
}
