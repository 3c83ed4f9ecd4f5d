import type { ContactPlan, OwnerPlan } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';

/** An origin without address, which does not matter here. */
export const nowhere = { ipAddress: null, userAgent: null };

/** Time when something was: by the run, by the machine's clock, and by the time the service was up. */
export type When = { moment: number; wallMs: number; upMs: number };

export function whenOf({ moment, wallMs, upMs }: WorldTime): When {
  return { moment, wallMs: wallMs(), upMs };
}

export type LetterNote = {
  /** Null while the answer to its writing never came. */
  id: string | null;
  recipient: string;
  title: string;
  text: string;
  status: 'draft' | 'ready' | 'deleted' | 'unsure';
  isVisible: boolean;
};

export type ContactNote = ContactPlan & {
  /** Time since which they are a contact, as far as they were notified. */
  confirmed: When | null;
  isActive: boolean;
  isRemoved: boolean;
  /** The link with which they accepted the role, or leave it. */
  roleToken: string | null;
  /** Time when they last left the role or were removed, as far as any person was notified. */
  left: When | null;
  /** Until this moment their role is unknown: they are leaving or coming back. */
  unsureUntil: number;
};

/** Answer of a contact in a request. */
export type Said = {
  email: string;
  says: 'yes' | 'no';
  when: When;
  /** By their link; null for a press in the trustee's panel, whose request is known at the end of the moment. */
  requestId: string | null;
  /** True if the contact received the answer that it counts. For an answer that was cut off this is unknown. */
  isSure: boolean;
  /** Time since which it no longer counts, by the answers received: withdrawn, or role left. */
  voided: When | null;
};

/** Knowledge of one silence of an owner, from their last activity. */
export type SilenceNotes = {
  /** The last sign of life that was answered to the owner. */
  activity: When;
  said: Said[];
  /** Time of the last early request, certain or possible. */
  lastEarly: When | null;
};

export type OwnerNotes = SilenceNotes & {
  plan: OwnerPlan;
  email: string;
  userId: string;
  settings: OwnerPlan['settings'];
  letters: LetterNote[];
  contacts: ContactNote[];
  /** The silence before the last sign of life: both can have been in one moment. */
  before: SilenceNotes | null;
  /** In which moments releases of this owner were first seen. */
  releases: When[];
  /** In which moment they last began something that may be a sign of life: before they are answered it may count already. */
  pressedIn: number;
  /** Time when a release was last undone before a letter was known to have left, by a no or a withdrawn yes. */
  undone: When | null;
  /** Until when they said that they are away: the first moment of that day in London, or an hour before it. */
  awayUntilMs: number | null;
  /** Time since which the operator has frozen them by name, by the answer received. */
  frozen: When | null;
  /** Time since which their account is being deleted, by the answer received. */
  deleted: When | null;
  /** Time of a sign-in after letters had left, if the person has not stated yet who they are. */
  question: When | null;
  /** Number of releases when they chose to leave the delivered letters as they are. */
  leftAsItIs: number;
  /** End of the last trouble that concerned only them: a bounced mail, or a freeze by name. */
  troubled: When | null;
  /** Time when a backup last replaced the knowledge of them. */
  restored: When | null;
  /** Other addresses for their letters, by the owner's address: who proposed them, and when. */
  addresses: AddressNote[];
};

/** Another address for an unreached recipient. */
export type AddressNote = {
  recipient: string;
  address: string;
  /** Contacts who proposed it or agreed, as far as each was answered, or may have been. */
  by: string[];
  proposed: When;
};

export function newSilence(activity: When): SilenceNotes {
  return { activity, said: [], lastEarly: null };
}

/**
 * Notes that the owner received the answer to an activity. Their silence counts from the press. In a busy moment the
 * answer comes later than the service's own time of it. A step may follow on the second it is due.
 */
export function noteActivity(notes: OwnerNotes, { pressed, answered }: { pressed: When; answered: When }): void {
  const activity = { ...answered, wallMs: pressed.wallMs };
  const { activity: last, said, lastEarly } = notes;
  notes.before = { activity: last, said, lastEarly };
  Object.assign(notes, { ...newSilence(activity), question: null });
}

/** Silences that count: also the one at the start of this moment, if the owner came back in it. */
export function silencesOf(owner: OwnerNotes, moment: number): SilenceNotes[] {
  return owner.before && owner.activity.moment === moment ? [owner.before, owner] : [owner];
}

/** Contacts whose role is unknown at this moment. */
export function unsureContacts({ contacts }: OwnerNotes, moment: number): ContactNote[] {
  return contacts.filter(({ unsureUntil, isActive, isRemoved }) => unsureUntil >= moment && isActive && !isRemoved);
}

/** Contacts with the role, as far as they and the owner were notified. */
export function confirmedContacts({ contacts }: OwnerNotes): ContactNote[] {
  return contacts.filter(({ confirmed, isActive, isRemoved }) => confirmed && isActive && !isRemoved);
}
