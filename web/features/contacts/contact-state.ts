import type { TrustedContact } from '#shared/contract/contacts.ts';
import type { BadgeTone } from '#web/components/ui/badge.tsx';
import { longDate } from '#web/lib/format.ts';

export type ContactState = {
  label: string;
  tone: BadgeTone;
  /** What that means for a release. */
  note: string;
  /** Whether sending the invitation again would help. */
  canBeInvited: boolean;
};

type Facts = Pick<
  TrustedContact,
  'name' | 'isActive' | 'isConfirmed' | 'hasDeclined' | 'confirmationSentAt' | 'invitationLeavesAt' | 'confirmedAt'
>;

/** Where a contact stands between being named and being counted on. */
export function contactState(contact: Facts): ContactState {
  const { name, isActive, isConfirmed, hasDeclined, confirmationSentAt, invitationLeavesAt, confirmedAt } = contact;
  if (!isActive) {
    return { label: 'Switched off', tone: 'plain', note: 'Is not asked when a release is due.', canBeInvited: false };
  }
  if (isConfirmed) {
    const since = confirmedAt ? `Said yes on ${longDate(confirmedAt)}.` : `${name} has said yes.`;
    return { label: 'Confirmed', tone: 'ready', note: since, canBeInvited: false };
  }
  if (hasDeclined) {
    return { label: 'Declined', tone: 'bad', note: `${name} has said no to the role.`, canBeInvited: true };
  }
  if (invitationLeavesAt) {
    return {
      label: 'Invitation waits',
      tone: 'draft',
      note: `It goes out on ${longDate(invitationLeavesAt)}, since we send only a few invitations at a time.`,
      canBeInvited: false,
    };
  }
  if (!confirmationSentAt) {
    return {
      label: 'Waiting for your verification',
      tone: 'warn',
      note: 'The invitation goes out when your email is verified.',
      canBeInvited: false,
    };
  }
  return {
    label: 'Invited',
    tone: 'draft',
    note: `Invited on ${longDate(confirmationSentAt)}, no answer yet.`,
    canBeInvited: true,
  };
}

/** Contacts whose name, address or relationship holds the words, in any case. */
export function matchingContacts(contacts: readonly TrustedContact[], words: string): TrustedContact[] {
  const wanted = words.trim().toLowerCase();
  return contacts.filter(({ name, email, relationship }) =>
    [name, email, relationship ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
}
