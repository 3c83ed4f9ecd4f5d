import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { sentMessagesOf } from '#server/features/notifications/sent-messages.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mistakeEmail, ownerNameOf } from './contacts.emails.ts';
import { contactIdsOf, listContactsOfOwner } from './contacts.repository.ts';
import { invitationKind } from './invitations.service.ts';

export type InvitationMistakes = {
  /** Takes back what has not left yet; the owner can send it again. */
  withholdInvitations(tx: Executor, ownerUserId: string): Promise<void>;
  /**
   * Tells everybody whom an invitation has reached that it was a mistake, since the account is not of the person whose
   * address it has. Whoever was never written to hears nothing. The owner's row is locked; the account is about to go.
   */
  tellOfMistake(tx: Executor, owner: OwnerRow, at: Date): Promise<void>;
};

type Dependencies = { notifications: Pick<Notifications, 'enqueue' | 'cancelFor'>; baseUrl: string };

const mistake = 'contacts.mistake';

/** Invitations of an account that is not of the person whose address it has. */
export function createInvitationMistakes({ notifications, baseUrl }: Dependencies): InvitationMistakes {
  return {
    withholdInvitations: (tx, ownerUserId) =>
      notifications.cancelFor(tx, contactIdsOf(tx, ownerUserId), [invitationKind]),

    async tellOfMistake(tx, owner, at) {
      const contacts = await listContactsOfOwner(tx, owner.id);
      if (contacts.length === 0) return;
      await notifications.cancelFor(tx, contactIdsOf(tx, owner.id), [invitationKind]);
      const left = await sentMessagesOf(tx, { userId: owner.id, kinds: [invitationKind], since: owner.createdAt });
      const invited = new Set(left.map(({ subjectId }) => subjectId));
      for (const contact of contacts.filter(({ id }) => invited.has(id))) {
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: mistake,
          // Nobody's: the account goes, and every mail that is its own goes with it.
          userId: null,
          subjectId: null,
          dedupeKey: `${mistake}:${contact.id}`,
          at,
          to: { address: contact.email },
          mail: mistakeEmail({ ownerName: ownerNameOf(owner).name, baseUrl }),
        });
      }
    },
  };
}
