import { AppError } from '#shared/contract/errors.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/** People an owner may name before their own address is verified. */
export const contactsBeforeVerificationMax = 1;
export const invitationDays = 30;
export const invitationMs = invitationDays * dayMs;
/** Invitations one owner may cause in a day: everybody once, and everybody again. */
export const invitationBudget = { limit: 2 * contactsMax, windowMs: dayMs };

export type KnownContact = { id: string; email: string };

/**
 * Whether an owner may give a contact this address.
 * @throws AppError `VALIDATION` for their own address, `CONFLICT` for one they gave to another contact.
 */
export function requireNewAddress(
  email: string,
  { ownEmail, others }: { ownEmail: string; others: readonly KnownContact[] },
): void {
  if (email === ownEmail) {
    const message = 'This is your own address. Name somebody else, who can answer when you cannot.';
    throw new AppError('VALIDATION', message, { issues: [{ path: 'email', message }] });
  }
  if (others.some((other) => other.email === email)) {
    throw new AppError('CONFLICT', 'You have already named a trusted contact with this email address.');
  }
}

/** @throws AppError `EMAIL_VERIFICATION_REQUIRED` or `CONFLICT`. */
export function requireRoomForContact(current: number, owner: { emailVerified: boolean }): void {
  if (!owner.emailVerified && current >= contactsBeforeVerificationMax) {
    const message = 'Confirm your email address before you add another trusted contact. We sent you a link.';
    throw new AppError('EMAIL_VERIFICATION_REQUIRED', message);
  }
  if (current >= contactsMax) {
    const message = `You have named ${contactsMax} trusted contacts, which is as many as there can be. Remove one first.`;
    throw new AppError('CONFLICT', message, { current, limit: contactsMax });
  }
}

/** How things stand with a contact, apart from who they are. */
export type Standing = {
  /** The owner's switch. */
  isActive: boolean;
  /** The contact's own yes, or no. */
  isConfirmed: boolean;
  hasDeclined: boolean;
  /** An invitation was sent to the address they have now. */
  wasInvited: boolean;
};

/** Whether an invitation is owed to this person: they are wanted, and neither asked nor heard yet. */
export function needsInvitation({ isActive, isConfirmed, hasDeclined, wasInvited }: Standing): boolean {
  return isActive && !isConfirmed && !hasDeclined && !wasInvited;
}

/**
 * Whether a change makes earlier answers and links void. An answer belongs to the address that gave it, and
 * somebody who was switched off before they answered is left alone.
 */
export function startsOver(known: Standing, change: { isMoved: boolean; isActive: boolean }): boolean {
  return change.isMoved || (!change.isActive && !known.isConfirmed && !known.hasDeclined);
}

/** What decides whether somebody is asked, and where we reach them. */
export type Reach = { email: string; phone: string | null; isActive: boolean };

/** Whether a change gives somebody's say to another, or takes it away. A name or a relationship does neither. */
export function movesTrust(known: Reach, wanted: Reach): boolean {
  return known.email !== wanted.email || known.phone !== wanted.phone || known.isActive !== wanted.isActive;
}

/** @throws AppError `CONFLICT` where asking again makes no sense. */
export function requireInvitable({ isActive, isConfirmed }: Standing): void {
  if (isConfirmed) throw new AppError('CONFLICT', 'This person has accepted already.');
  if (!isActive) throw new AppError('CONFLICT', 'This contact is switched off. Switch it on to send an invitation.');
}

/**
 * Whether the link in an invitation still opens. Somebody who said yes may leave with it at any time, so for them it
 * does not end.
 */
export function isInvitationLive(
  { isConfirmed, expiresAtMs }: { isConfirmed: boolean; expiresAtMs: number | null },
  nowMs: number,
): boolean {
  return isConfirmed || (expiresAtMs !== null && nowMs < expiresAtMs);
}

export type InvitationState = 'open' | 'accepted' | 'declined';

export function invitationState({ isConfirmed, hasDeclined }: Standing): InvitationState {
  if (isConfirmed) return 'accepted';
  return hasDeclined ? 'declined' : 'open';
}
