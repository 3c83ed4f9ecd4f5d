import { plural } from '#server/features/release/release.emails.ts';
import type { PauseProspect } from '#server/features/release/release-prospects.rules.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import type { Portal, ReleaseState } from '#shared/contract/release.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Held } from './portal.rules.ts';

/** Everything that what became of a contact's answer is told by. */
export type Outcome = {
  state: Exclude<Portal['state'], 'open'>;
  firstName: string;
  cycleState: ReleaseState;
  /** What the contact had answered; null where the release went on without them. */
  answered: 'confirmed' | 'cancelled' | null;
  /** Whether a cancel holds the very round in which they were asked. */
  isPaused: boolean;
  pause: PauseProspect;
  /** Contacts who must still confirm. */
  missing: number;
  waitingDays: number;
  held: Held | null;
  /** When the first letter was made out, and when the last was delivered. */
  dispatchedAt: Date | null;
  releasedAt: Date | null;
  now: Date;
};

/** So long after the first letter was made out, "within minutes" is said no more. */
const minutesMeanMs = 3_600_000;
const needDoNothing = 'It goes on once that is over. Nothing is lost, and you need do nothing.';
const onOurSide = 'the delivery is stopped on our side for the moment.';
const ifAskedAgain = 'If we have asked you again since, use the link in our newest email.';

/** What became of it, in one to three sentences: the same right after an answer, and on every later visit. */
export function outcomeWords(outcome: Outcome): string {
  switch (outcome.state) {
    case 'confirmed':
      return confirmedWords(outcome);
    case 'cancelled':
      return cancelledWords(outcome);
    case 'stopped':
      return stoppedWords(outcome);
    case 'released':
      return releasedWords(outcome);
  }
}

function confirmedWords(outcome: Outcome): string {
  const { cycleState, releasedAt, dispatchedAt, held, now } = outcome;
  if (cycleState === 'released' && releasedAt) return `The messages were delivered on ${longDate(releasedAt)}.`;
  if (cycleState !== 'releasing' && cycleState !== 'released') return `Your answer is kept. ${whatIsMissing(outcome)}`;
  if (held) return `The release has begun, but ${onOurSide} ${needDoNothing}`;
  return dispatchedAt && now.getTime() - dispatchedAt.getTime() >= minutesMeanMs
    ? 'The messages are being delivered. Some mailboxes take longer than others.'
    : 'The messages will be delivered within minutes.';
}

/** What a confirmation that counts, or is going to, still waits for. */
function whatIsMissing({ missing, held, firstName, ...outcome }: Outcome): string {
  const wait = daysBefore({ ...outcome, firstName });
  if (held?.by === 'new_contact' && held.untilMs !== null) {
    const from = `It counts from ${longDate(new Date(held.untilMs))}, three days after you accepted the role.`;
    return missing > 1
      ? `${from} The messages will be delivered when ${people(missing - 1)} as well${wait}.`
      : `${from} The messages will be delivered then${wait}.`;
  }
  if (missing > 0) {
    const when = `The messages will be delivered when ${people(missing)}${wait}.`;
    if (held?.by === 'stopped') return `${when} Just now ${onOurSide}`;
    return held?.by === 'no_message' ? `${when} Just now, none of them is ready.` : when;
  }
  switch (held?.by) {
    case 'stopped':
      return `Nothing is sent yet: ${onOurSide} ${needDoNothing}`;
    case 'no_message':
      return `Nothing is sent: ${firstName} has no message that is ready.`;
    case 'waiting_time':
      return heldForOwner({ ...outcome, firstName, held });
    default:
      return 'Nothing is sent yet. The messages will be delivered as soon as they can be.';
  }
}

function heldForOwner({
  firstName,
  waitingDays,
  held,
  now,
}: Pick<Outcome, 'firstName' | 'waitingDays' | 'held' | 'now'>): string {
  const stops = `If ${firstName} comes back before, or somebody says no, nothing is sent.`;
  if (held?.untilMs != null) {
    return `We try to reach ${firstName} until ${longDate(new Date(held.untilMs))}. Then the letters go. ${stops}`;
  }
  const earliest = longDate(new Date(now.getTime() + waitingDays * dayMs));
  return `We try to reach ${firstName} for ${plural(waitingDays, 'day')}, until ${earliest} at the earliest: they begin when our email has reached ${firstName}’s mailbox. Then the letters go. ${stops}`;
}

function daysBefore({ waitingDays, firstName }: Pick<Outcome, 'waitingDays' | 'firstName'>): string {
  return waitingDays > 0 ? `, after ${plural(waitingDays, 'day')} in which we try to reach ${firstName}` : '';
}

function people(count: number): string {
  return count === 1 ? 'one more person confirms' : `${count} more people confirm`;
}

function cancelledWords({ isPaused, pause, firstName, missing }: Outcome): string {
  if (!isPaused) return `You cancelled, and nothing was sent then. ${ifAskedAgain}`;
  const told = `We have told ${firstName} to log in immediately.`;
  if (!pause.canOthersConfirm) return `Nothing is sent. ${told}`;
  return `Nothing is sent now. ${told} You have cancelled before, so others can still confirm: the messages are delivered when ${people(Math.max(1, missing))}.`;
}

function stoppedWords({ isPaused, pause, firstName }: Outcome): string {
  if (!isPaused) return `The release that you confirmed was cancelled, and nothing was sent then. ${ifAskedAgain}`;
  const after =
    pause.askAgainDays === null
      ? `Our usual reminders to ${firstName} go on.`
      : `If ${firstName} stays silent, we ask you again in ${plural(pause.askAgainDays, 'day')}.`;
  return `Somebody else cancelled the release of ${firstName}’s messages, and nothing is sent. ${after}`;
}

function releasedWords({ answered, firstName, cycleState, releasedAt, held }: Outcome): string {
  const others = 'somebody else confirmed, or the time to answer was over.';
  const released =
    answered === 'cancelled'
      ? `${firstName}’s messages were released after you had cancelled: ${others}`
      : `${firstName}’s messages were released without an answer from you: ${others}`;
  if (cycleState === 'released' && releasedAt) return `${released} They were delivered on ${longDate(releasedAt)}.`;
  return held ? `${released} Just now ${onOurSide}` : released;
}
