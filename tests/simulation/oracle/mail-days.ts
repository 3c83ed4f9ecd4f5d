type Repeated = { to: string; text: string; subject?: string | undefined };

const longDay =
  /\d{1,2}\s(?:January|February|March|April|May|June|July|August|September|October|November|December)\s\d{4}/g;

/**
 * True if a mail that was handed over again is the same one: to the same person, with the same words and links. The
 * days in it may be later ones, as many as passed before it was repeated.
 */
export function isSameMail(before: Repeated, after: Repeated): boolean {
  // This mail counts refused mails, so each attempt rewrites it.
  if (before.to === after.to && [before, after].every(({ subject = '' }) => subject.endsWith(ofRefusals))) return true;
  if (before.to !== after.to || withoutDays(before) !== withoutDays(after)) return false;
  const days = daysIn(after);
  return daysIn(before).every((day, at) => day <= (days[at] ?? 0));
}

/** The end of the subject of the operator's mail about servers that refuse ours. */
const ofRefusals = 'other mail servers refuse our email';

/** On one line: a day of another length may break lines elsewhere. */
const onOneLine = ({ subject = '', text }: Repeated) => `${subject} ${text}`.replace(/\s+/g, ' ');

function withoutDays(mail: Repeated): string {
  return onOneLine(mail).replace(longDay, 'a day');
}

function daysIn(mail: Repeated): number[] {
  return (onOneLine(mail).match(longDay) ?? []).map((day) => Date.parse(`${day} UTC`));
}
