import { dayMs } from '#shared/rules/inactivity.ts';
import type { TimelinePoint } from './release-overview.rules.ts';

/** How many emails one rehearsal sends at most; those for further letters differ in their recipient alone. */
export const rehearsalMailsMax = 100;
/** How often somebody may have all of it sent. */
export const rehearsalBudget = { limit: 3, windowMs: dayMs };

export type RehearsalStep =
  | 'first_reminder'
  | 'last_reminder'
  | 'owner_asked'
  | 'contact_asked'
  | 'owner_releasing'
  | 'letter'
  | 'contact_released';

/** Which point of the line of time each step stands at. */
const pointOf = {
  first_reminder: 'first_reminder',
  last_reminder: 'last_reminder',
  owner_asked: 'contacts_asked',
  contact_asked: 'contacts_asked',
  owner_releasing: 'automatic_delivery',
  letter: 'automatic_delivery',
  contact_released: 'automatic_delivery',
} as const satisfies Record<RehearsalStep, TimelinePoint['what']>;

/**
 * When each step would come if the owner stayed silent and nobody answered; `null` where no date can be told: with
 * the method `trusted_contact` letters wait for people.
 */
export function stepTimes(timeline: readonly TimelinePoint[]): Record<RehearsalStep, number | null> {
  const at = (step: RehearsalStep) => timeline.find(({ what }) => what === pointOf[step])?.atMs ?? null;
  return {
    first_reminder: at('first_reminder'),
    last_reminder: at('last_reminder'),
    owner_asked: at('owner_asked'),
    contact_asked: at('contact_asked'),
    owner_releasing: at('owner_releasing'),
    letter: at('letter'),
    contact_released: at('contact_released'),
  };
}

/** As many as one rehearsal has room for: letters are left out, the last first, since every other email is like none. */
export function roomFor<Mail extends { step: RehearsalStep }>(
  mails: readonly Mail[],
): { mails: Mail[]; leftOut: number } {
  const letters = mails.filter(({ step }) => step === 'letter');
  const kept = Math.max(0, rehearsalMailsMax - (mails.length - letters.length));
  const leftOut = new Set(letters.slice(kept));
  const shown = mails.filter((mail) => !leftOut.has(mail)).slice(0, rehearsalMailsMax);
  return { mails: shown, leftOut: mails.length - shown.length };
}

/** Whole days of silence at a moment. */
export function silentDaysAt(atMs: number, lastActivityMs: number): number {
  return Math.max(0, Math.floor((atMs - lastActivityMs) / dayMs));
}
