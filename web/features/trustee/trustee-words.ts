import type { TrusteeRelationship, TrusteeSummary } from '#shared/contract/release/trustee.ts';
import { untoldWaitDays } from '#shared/rules/inactivity.ts';
import { counted, dateAndTime, dayAndMonth, longDate } from '#web/lib/format.ts';

/** Owner's full name, or its known part, or else the address. */
export function fullName({ ownerFirstName, ownerLastName, ownerEmail }: TrusteeRelationship): string {
  return [ownerFirstName, ownerLastName].filter(Boolean).join(' ') || ownerEmail || 'Somebody without a name';
}

const nameless = 'the owner';

export function firstName({ ownerFirstName, ownerLastName }: TrusteeRelationship): string {
  return ownerFirstName || ownerLastName || nameless;
}

/** The name as the first words of a sentence. */
const atStart = (name: string) => (name === nameless ? 'The owner' : name);

/** True if other contacts must confirm too before anything is sent. */
export function needsOthers({ release }: TrusteeSummary): boolean {
  return release.missing > 1;
}

/** Consequences if the trustee continues monitoring, which triggers nothing. */
export function ifYouMonitor(name: string): string[] {
  return [
    'Nothing changes and nothing is sent.',
    `We go on as ${name} asked: if ${name} falls silent, we write to ${name}, and then to you.`,
  ];
}

/** Consequences if the trustee triggers a release. */
export function ifYouTrigger(name: string, summary: TrusteeSummary): string[] {
  const { readyCount, release } = summary;
  const messages = counted(readyCount, 'ready message');
  const sent = needsOthers(summary)
    ? `It counts as your confirmation. ${release.quorum} trusted contacts must confirm before anything is sent, and then we try to reach ${name} first.`
    : `${messages} ${readyCount === 1 ? 'is' : 'are'} sent to ${readyCount === 1 ? 'its recipient' : 'their recipients'}, but not at once: first we try to reach ${name}, ${waitWords(name, summary)}.`;
  return [
    sent,
    `${atStart(name)} is told at once, and can stop it as long as nothing is sent.`,
    'A release cannot be undone.',
  ];
}

function waitWords(name: string, { awayUntil }: TrusteeSummary): string {
  return awayUntil
    ? `for at least ${untoldWaitDays} days, because ${name} is away`
    : `for three days unless ${name} chose otherwise`;
}

/** Reason why a release can't be triggered now; null if it can. */
export function triggerObstacle(name: string, { readyCount, triggerFrom }: TrusteeSummary): string | null {
  if (triggerFrom) {
    return `You can trigger a release from ${dateAndTime(triggerFrom)}, 72 hours after you became a trustee.`;
  }
  return readyCount === 0 ? `${atStart(name)} has no message that is ready to be sent.` : null;
}

/** Warning that the owner may be well and only away. Null if they announced no absence. */
export function awayWords(name: string, { awayUntil }: TrusteeSummary): string | null {
  return awayUntil && `${atStart(name)} told us that they are away until ${dayAndMonth(awayUntil)}.`;
}

/** Reason for a trustee who has not proved that they read their mailbox. */
export const unprovenObstacle = 'You can trigger a release 72 hours after you have shown that your mailbox is yours.';

/** State of a release that this trustee has confirmed, or that has sent letters. Null if there is none. */
export function progressWords(name: string, { release }: TrusteeSummary): string | null {
  switch (release.state) {
    case 'released':
      return `${atStart(name)}’s messages have been released to their recipients.`;
    case 'waiting_time':
      return release.waitsUntil
        ? `You have confirmed. We try to reach ${name} until ${longDate(release.waitsUntil)}. Then the letters go.`
        : `You have confirmed. We try to reach ${name} first. The days for that begin when our notice has reached ${name}. Nothing is sent before then.`;
    case 'waiting_for_others': {
      if (release.missing === 0) return 'You have confirmed. Nothing is sent yet.';
      const people = release.missing === 1 ? 'One more trusted contact' : `${release.missing} more trusted contacts`;
      return `You have confirmed. ${people} must confirm too. Nothing is sent before then.`;
    }
    case 'paused':
      return 'A trusted contact stopped the release. Nothing is sent.';
    case 'none':
      return null;
  }
}
