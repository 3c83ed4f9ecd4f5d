import type { ContactPlan, OwnerPlan } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';

/** When something was: by the run, by the machine's clock, and by the time the service was up. */
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
  /** Since when they are one, as far as they were told. */
  confirmed: When | null;
  isActive: boolean;
  isRemoved: boolean;
  /** The link with which they accepted the role, or leave it. */
  roleToken: string | null;
  /** When they last left the role, as far as they were told. */
  left: When | null;
  /** Up to this moment nobody can say whether they are one: they are just leaving, or coming back. */
  unsureUntil: number;
};

/** What is known of one silence of an owner, from their last sign of life on. */
export type SilenceNotes = {
  /** The last sign of life that was answered to the owner. */
  activity: When;
  /** Who confirmed, or may have: whether a call that was cut off went through nobody knows. */
  confirmed: Set<string>;
  /** The first "no" of each contact that was answered to them. */
  cancelled: Map<string, When>;
  /** When somebody last asked for an early release, or may have. */
  lastEarly: When | null;
  /** When a contact last decided anything. */
  lastSaid: When | null;
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
};

export function newSilence(activity: When): SilenceNotes {
  return { activity, confirmed: new Set(), cancelled: new Map(), lastEarly: null, lastSaid: null };
}

/**
 * The owner was told that their sign of life has arrived. Their silence counts from when they pressed: in a moment with
 * many others the answer comes later than the service's own time of it, and a step may follow on the second it is due.
 */
export function noteActivity(notes: OwnerNotes, { pressed, answered }: { pressed: When; answered: When }): void {
  const activity = { ...answered, wallMs: pressed.wallMs };
  const { activity: last, confirmed, cancelled, lastEarly, lastSaid } = notes;
  notes.before = { activity: last, confirmed, cancelled, lastEarly, lastSaid };
  Object.assign(notes, newSilence(activity));
}

/** Contacts of whom nobody can say whether they count at this moment. */
export function unsureContacts({ contacts }: OwnerNotes, moment: number): ContactNote[] {
  return contacts.filter(({ unsureUntil, isActive, isRemoved }) => unsureUntil >= moment && isActive && !isRemoved);
}

/** Contacts who count, as far as they and the owner were told. */
export function confirmedContacts({ contacts }: OwnerNotes): ContactNote[] {
  return contacts.filter(({ confirmed, isActive, isRemoved }) => confirmed && isActive && !isRemoved);
}
