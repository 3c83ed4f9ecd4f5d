import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Sender } from './delivery.emails.ts';

/** Kinds of mail in the outbox. Those that bring letters have `mail_id` of the letters as subject. */
export const mailKinds = {
  letter: 'delivery.letter',
  reminder: 'delivery.reminder',
  renewal: 'delivery.renewal',
  returned: 'delivery.returned',
  unreachable: 'delivery.unreachable',
  neverOpened: 'delivery.never-opened',
  ownerUnreachable: 'delivery.owner-unreachable',
  arrivedLate: 'delivery.arrived-late',
  noContactToAsk: 'operator.nobody-to-ask',
  damaged: 'delivery.held-back',
} as const;

/** Mails that bring letters or their link again. A freeze stops all of them. */
export const kindsToRecipients = [mailKinds.letter, mailKinds.reminder, mailKinds.renewal] as const;

/** Mails to contacts about letters of a release, which is the subject. A reader of one knows of the release. */
export const kindsToContacts = [
  mailKinds.unreachable,
  mailKinds.neverOpened,
  mailKinds.damaged,
  mailKinds.arrivedLate,
] as const;

/** Mails of these that are obsolete after the release has ended, because their page is gone. */
export const kindsWhileOpen = [mailKinds.unreachable, mailKinds.neverOpened, mailKinds.damaged] as const;

/** Release that a mail is about, with its owner. */
export type AboutRelease = { requestId: string; owner: OwnerRow; at: Date };

/**
 * Returns the writer's name in a mail and on the page. An owner without a name is named by the address that recipients
 * know.
 */
export function senderOf({ firstName, lastName, email }: OwnersName): Sender {
  const name = [firstName, lastName].filter(Boolean).join(' ') || email;
  return { name, firstName: firstName || name };
}

export type OwnersName = { firstName: string | null; lastName: string | null; email: string };

/** Day (UTC) in the keys of mails that are sent once a day. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
