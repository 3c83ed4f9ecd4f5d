import { AppError } from '#shared/contract/errors.ts';
import { isSameMailbox } from '#shared/rules/addresses/mailboxes.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/** People an owner may name before their own address is verified. */
export const contactsBeforeVerificationMax = 1;
export const invitationDays = 30;
export const invitationMs = invitationDays * dayMs;
/** Invitations one owner may cause in a day: everybody once, and everybody again. */
export const invitationBudget = { limit: 2 * contactsMax, windowMs: dayMs };

/** Invitations that leave within a day of an owner's first, and within thirty days of any. */
export const firstDayInvitationsMax = 3;
export const monthInvitationsMax = 20;
export const invitationMonthMs = 30 * dayMs;

/**
 * When an owner's next invitation may leave, so that nobody uses our letterhead to write to strangers. `departuresMs` are
 * those of the last thirty days and those that wait already, oldest first.
 */
export function invitationLeavesAtMs(departuresMs: readonly number[], nowMs: number): number {
  const [firstMs = 0] = departuresMs;
  const afterFirstDayMs = departuresMs.length >= firstDayInvitationsMax ? firstMs + dayMs : 0;
  const oneOfMonthMs = departuresMs.at(-monthInvitationsMax);
  const afterMonthMs = oneOfMonthMs === undefined ? 0 : oneOfMonthMs + invitationMonthMs;
  return Math.max(nowMs, departuresMs.at(-1) ?? 0, afterFirstDayMs, afterMonthMs);
}

/** An answer that comes back to one that the owner was told within this time is not told at once. */
export const answerToldAgainMs = dayMs;
/** Times that one contact may answer in a day: with a second thought, and a third. */
export const answerBudget = { limit: 20, windowMs: dayMs };

export type ToldAnswer = { kind: string; atMs: number };

/**
 * When the owner is told of a contact's new answer. The first of its kind at once; one that was told within a day, a day
 * after that; null where it is what they were told last. So however often somebody presses, the owner gets one mail a
 * state and day, and the last of them is true. `told` is oldest first.
 */
export function answerToldAtMs(told: readonly ToldAnswer[], kind: string, nowMs: number): number | null {
  if (told.at(-1)?.kind === kind) return null;
  const same = told.findLast((one) => one.kind === kind);
  return Math.max(nowMs, same ? same.atMs + answerToldAgainMs : 0);
}

export type KnownContact = { id: string; email: string };

/**
 * Checks the address of a contact by its mailbox: one person must not count twice towards a quorum.
 * @throws AppError `VALIDATION` for the owner's own mailbox, `CONFLICT` for the mailbox of another contact.
 */
export function requireNewAddress(
  email: string,
  { ownEmail, others }: { ownEmail: string; others: readonly KnownContact[] },
): void {
  if (isSameMailbox(email, ownEmail)) {
    const message = 'This is your own address. Name somebody else, who can answer when you cannot.';
    throw new AppError('VALIDATION', message, { issues: [{ path: 'email', message }] });
  }
  if (others.some((other) => other.email === email)) {
    throw new AppError('CONFLICT', 'You have already named a trusted contact with this email address.');
  }
  const same = others.find((other) => isSameMailbox(other.email, email));
  if (same) {
    const message = `You have already named a trusted contact with this mailbox, written as ${same.email}.`;
    throw new AppError('CONFLICT', message);
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
export type Reach = { email: string; phone: string | null; isActive: boolean; seesFirstWeeks: boolean };

/**
 * True if a change gives a contact's say to another, takes it away, or shows the contact the page for the first weeks. A name or
 * a relationship does none of it.
 */
export function movesTrust(known: Reach, wanted: Reach): boolean {
  const isMoved = known.email !== wanted.email || known.phone !== wanted.phone || known.isActive !== wanted.isActive;
  return isMoved || (wanted.seesFirstWeeks && !known.seesFirstWeeks);
}

/** True if the contact sees the page for the first weeks. Left out, it stays, and is false for a new address. */
export function seesFirstWeeksAfter(
  wanted: { email: string; seesFirstWeeks?: boolean | undefined },
  known: Pick<Reach, 'email' | 'seesFirstWeeks'> | null,
): boolean {
  return wanted.seesFirstWeeks ?? (known?.email === wanted.email && known.seesFirstWeeks);
}

/** @throws AppError `CONFLICT` where asking again makes no sense. */
export function requireInvitable({ isActive, isConfirmed }: Standing): void {
  if (isConfirmed) throw new AppError('CONFLICT', 'This person has already accepted.');
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

/** What a contact is before the first invitation. Its old link is dead from then on. */
export const neverAsked = {
  isConfirmed: false,
  confirmationToken: null,
  confirmationExpires: null,
  confirmationSentAt: null,
  confirmedAt: null,
  confirmedHealthyMs: null,
  declinedAt: null,
};
