/** The mail that asks a contact what has happened. */
export const askedMail = 'contact_asked';
/** Its kind, as the notifications know it. */
export const askedKind = `release.${askedMail}`;

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

export function mailKey({ cycleId, what, round, tries, personId, channel }: MailKey): string {
  return ['release', cycleId, what, round, tries, personId, channel].join(':');
}

/** `null` for a key that belongs to no release, such as a nudge's. */
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
