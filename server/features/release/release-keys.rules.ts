import type { CycleFacts } from './release-facts.rules.ts';

/** The mail that asks a contact what has happened. */
export const askedMail = 'contact_asked';
/** Its kind, as the notifications know it. */
export const askedKind = `release.${askedMail}`;

/** The mail that tells a contact of a delivery that is done, and its kind. */
export const releasedMail = 'contact_released';
export const releasedKind = `release.${releasedMail}`;

/** The kind of the last reminder to an owner. */
export const lastReminderKind = 'release.last_reminder';

/** The kind of the mail that tells an owner of their own days, which begin with it. */
export const holdingKind = 'release.owner_holding';

/** The kinds of the mails that tell of a sign-in after letters had left: nobody has said yet who it was. */
export const contactQuestionKind = 'release.contact_question';
export const questionKinds = ['release.owner_question', contactQuestionKind] as const;

/** The kind of the mail that asks another contact whether an address is right. */
export const agreeingKind = 'release.new-address';

/** The mail that tells an owner of a restore, and its kind. */
export const restoredMail = 'owner_restored';
export const restoredKind = `release.${restoredMail}`;

/** The kind of a question that a restore asks again. It says itself that all is stopped, so no freeze holds it. */
export const askedAgainKind = 'release.contact_restored';

/** The mail that asks a contact to look again at an address that they had proposed before a restore. */
export const addressAgainKind = 'release.address-again';

/** Says "this very message" of a release, and is read again when the message has ended. */
export type MailKey = {
  cycleId: string;
  what: string;
  round: number;
  tries: number;
  /** The id of the contact whom it is for or about, or the owner's. */
  personId: string;
  channel: 'email' | 'sms';
};

/** `by`: of one that tells a contact what another one did, who that was. Nothing waits for such a mail, so it is not read. */
export function mailKey({ cycleId, what, round, tries, personId, channel }: MailKey, by?: string): string {
  const parts = ['release', cycleId, what, round, tries, personId, channel];
  return [...parts, ...(by === undefined ? [] : [by])].join(':');
}

/**
 * How often this mail to the owner was written before in this cycle. Each is counted by itself, so that what becomes of
 * one says nothing of another; who writes it and who reads its outcome ask here.
 */
export function ownerMailTries({ first, last, noticeTries }: CycleFacts, what: string): number {
  if (what === 'first_reminder') return first.tries;
  if (what === 'last_reminder') return last.tries;
  return what === 'owner_holding' || what === 'owner_asked' ? noticeTries : 0;
}

/** `null` for a key that belongs to no release, such as a nudge's, and for one that nothing waits for. */
export function readMailKey(key: string): MailKey | null {
  const [prefix, cycleId, what, round, tries, personId, channel, ...rest] = key.split(':');
  if (prefix !== 'release' || !cycleId || !what || !personId || rest.length > 0) return null;
  if (channel !== 'email' && channel !== 'sms') return null;
  return { cycleId, what, round: Number(round), tries: Number(tries), personId, channel };
}

/** A nudge belongs to a silence, not to a release. */
export function nudgeKey(userId: string, lastActivityMs: number, sequence: number): string {
  return `release-nudge:${userId}:${lastActivityMs}:${sequence}`;
}
