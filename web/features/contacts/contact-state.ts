import type { TrustedContact } from '#shared/contract/contacts.ts';
import type { BadgeTone } from '#web/components/ui/badge.tsx';
import { dayAndMonth, longDate } from '#web/lib/format.ts';

export type ContactState = {
  label: string;
  tone: BadgeTone;
  /** Meaning of the state for a release. */
  note: string;
  /** True if another invitation would help. */
  canBeInvited: boolean;
};

type Facts = Pick<
  TrustedContact,
  'name' | 'isActive' | 'isConfirmed' | 'hasDeclined' | 'confirmationSentAt' | 'invitationLeavesAt' | 'confirmedAt'
>;

/** State of a contact: from the naming to the accepted role. */
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

/** Answer of a contact: accepted, not answered, declined, or switched off by the owner. */
export type Answer = 'yes' | 'asked' | 'no' | 'off';

export function answerOf({ isActive, isConfirmed, hasDeclined }: Facts): Answer {
  // A contact who declines is also switched off, but the owner wants to know about the answer.
  if (hasDeclined) return 'no';
  if (!isActive) return 'off';
  return isConfirmed ? 'yes' : 'asked';
}

/** State in one sentence, for places without room for more. */
export function personLine(contact: Facts): string {
  const { confirmedAt, confirmationSentAt, invitationLeavesAt } = contact;
  switch (answerOf(contact)) {
    case 'no':
      return 'Has said no. People have many reasons.';
    case 'off':
      return 'Switched off, and not asked.';
    case 'yes':
      return confirmedAt ? `Said yes on ${dayAndMonth(confirmedAt)}.` : 'Has said yes.';
    case 'asked':
      if (invitationLeavesAt) return `We write on ${dayAndMonth(invitationLeavesAt)}.`;
      if (!confirmationSentAt) return 'We write once your email is confirmed.';
      return `Asked on ${dayAndMonth(confirmationSentAt)}. No answer yet.`;
  }
}

/** Number of contacts who have accepted: we ask only those. */
export function yesCount(contacts: readonly Facts[]): string {
  const yes = contacts.filter((contact) => answerOf(contact) === 'yes').length;
  if (contacts.length === 0) return 'Nobody yet';
  if (yes === 0) return 'Nobody has said yes yet';
  return `${yes} of ${contacts.length} ${yes === 1 ? 'has' : 'have'} said yes`;
}

/** `PS` of `Priya Shah`: the first letters of the first name and the last. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  return [first, last].map((word) => [...word][0]?.toUpperCase() ?? '').join('');
}

/** Sorts accepted contacts first, then contacts without an answer, then contacts who are not asked. */
export function byAnswer<C extends Facts>(contacts: readonly C[]): C[] {
  return (['yes', 'asked', 'off', 'no'] as const).flatMap((answer) =>
    contacts.filter((contact) => answerOf(contact) === answer),
  );
}

export type ContactSort = 'answer' | 'name' | 'newest';

export const contactSorts: readonly { value: ContactSort; label: string }[] = [
  { value: 'answer', label: 'By answer' },
  { value: 'name', label: 'Name, A to Z' },
  { value: 'newest', label: 'Newest first' },
];

/** Contacts in an order. They come newest first. */
export function sortedContacts(contacts: readonly TrustedContact[], sort: ContactSort): TrustedContact[] {
  if (sort === 'answer') return byAnswer(contacts);
  if (sort === 'name') return contacts.toSorted((a, b) => a.name.localeCompare(b.name, 'en-GB'));
  return [...contacts];
}

/** Contacts whose name, address or relationship holds the words, in any case. */
export function matchingContacts(contacts: readonly TrustedContact[], words: string): TrustedContact[] {
  const wanted = words.trim().toLowerCase();
  return contacts.filter(({ name, email, relationship }) =>
    [name, email, relationship ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
}
