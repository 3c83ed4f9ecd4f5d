import type { ContactPlan, OwnerPlan } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';

/** Nobody's address matters here. */
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
  /** Since when they are one, as far as they were told. */
  confirmed: When | null;
  isActive: boolean;
  isRemoved: boolean;
  /** The link with which they accepted the role, or leave it. */
  roleToken: string | null;
  /** When they last left the role, or were taken out of it, as far as anybody was told. */
  left: When | null;
  /** Up to this moment nobody can say whether they are one: they are just leaving, or coming back. */
  unsureUntil: number;
};

/** What a contact said in a request. */
export type Said = {
  email: string;
  says: 'yes' | 'no';
  when: When;
  /** By their link; null for a press in the trustee's panel, whose request is known at the end of the moment. */
  requestId: string | null;
  /** They were told that it counts. Of what was cut off nobody knows whether it did. */
  isSure: boolean;
  /** Since when it counts for nothing, as they were told: they took it back, or left the role. */
  voided: When | null;
};

/** What is known of one silence of an owner, from their last sign of life on. */
export type SilenceNotes = {
  /** The last sign of life that was answered to the owner. */
  activity: When;
  said: Said[];
  /** When somebody last asked for an early release, or may have. */
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
  /** When the last of them was undone before it was known that a letter had left, as somebody said no or took a yes back. */
  undone: When | null;
  /** Until when they said that they are away: the first moment of that day in London, or an hour before it. */
  awayUntilMs: number | null;
  /** Since when the operator has stopped them by name, as he was told. */
  frozen: When | null;
  /** Since when their account is to be deleted, as they were told. */
  deleted: When | null;
  /** Somebody has signed in after letters had left, and nobody has said since who it was. */
  question: When | null;
  /** Number of releases there had been when they said that what was delivered stays as it is. */
  leftAsItIs: number;
  /** When something was last put right that concerned them alone: a mail that came back, or a freeze by name. */
  troubled: When | null;
  /** When a backup last took the place of what was known of them. */
  restored: When | null;
  /** Where else their letters may go, by the address that the owner gave: who said so, and when. */
  addresses: AddressNote[];
};

/** Another address of somebody whom a letter did not reach. */
export type AddressNote = {
  recipient: string;
  address: string;
  /** Who proposed it, and who agreed; as far as each of them was answered, or may have been. */
  by: string[];
  proposed: When;
};

export function newSilence(activity: When): SilenceNotes {
  return { activity, said: [], lastEarly: null };
}

/**
 * The owner was told that their sign of life has arrived. Their silence counts from when they pressed: in a moment with
 * many others the answer comes later than the service's own time of it, and a step may follow on the second it is due.
 */
export function noteActivity(notes: OwnerNotes, { pressed, answered }: { pressed: When; answered: When }): void {
  const activity = { ...answered, wallMs: pressed.wallMs };
  const { activity: last, said, lastEarly } = notes;
  notes.before = { activity: last, said, lastEarly };
  Object.assign(notes, { ...newSilence(activity), question: null });
}

/** Whose silence counts: the one that was there when this moment began, if the owner came back in it. */
export function silencesOf(owner: OwnerNotes, moment: number): SilenceNotes[] {
  return owner.before && owner.activity.moment === moment ? [owner.before, owner] : [owner];
}

/** Contacts of whom nobody can say whether they count at this moment. */
export function unsureContacts({ contacts }: OwnerNotes, moment: number): ContactNote[] {
  return contacts.filter(({ unsureUntil, isActive, isRemoved }) => unsureUntil >= moment && isActive && !isRemoved);
}

/** Contacts who count, as far as they and the owner were told. */
export function confirmedContacts({ contacts }: OwnerNotes): ContactNote[] {
  return contacts.filter(({ confirmed, isActive, isRemoved }) => confirmed && isActive && !isRemoved);
}
