import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { keptEmail, ownerNameOf } from './contacts.emails.ts';
import type { ContactRow } from './contacts.repository.ts';

/** The kind of this mail, as the notifications know it; the contact is its subject. */
export const keptKind = 'contacts.kept';

type Yes = { owner: OwnerRow; contact: ContactRow; contactName: string; token: string; at: Date };

export function createKeptMail({
  notifications,
  baseUrl,
}: {
  notifications: Pick<Notifications, 'enqueue'>;
  baseUrl: string;
}) {
  return {
    /** To whoever said yes, once for each invitation: what they have taken on, for the day on which they look for it. */
    async give(tx: Executor, { owner, contact, contactName, token, at }: Yes): Promise<void> {
      const leaveUrl = `${baseUrl}/trusted-contact-accept/${token}`;
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: keptKind,
        userId: owner.id,
        subjectId: contact.id,
        dedupeKey: `${keptKind}:${contact.confirmationToken}`,
        at,
        to: { address: contact.email, name: contactName },
        mail: keptEmail({ owner: ownerNameOf(owner), contactName, leaveUrl, baseUrl }),
      });
    },
  };
}
