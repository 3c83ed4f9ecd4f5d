import type { PauseForecast } from '#server/features/release-core/forecast.rules.ts';
import { earlyRequestDays, pauseDays } from '#server/features/release-core/model.rules.ts';
import { plural } from '#server/features/release-mail/release.words.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import type { Portal } from '#shared/contract/release/portal.ts';
import { productName } from '#shared/product.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { askForNewsDays } from '#shared/rules/release-answers.ts';
import type { Held } from './portal.rules.ts';

/** Facts for the sentences about the outcome of a contact's answer. */
export type Outcome = {
  state: Exclude<Portal['state'], 'open'>;
  stoppedBy: Portal['stoppedBy'];
  firstName: string;
  /** State of the request: open, paused by a no, ended without a release, or its letters are being sent. */
  stage: 'asking' | 'paused' | 'over' | 'releasing';
  /** Answer of the contact. Null if the request continued without it. */
  answered: 'yes' | 'no' | 'alive' | 'taken_back' | null;
  /** True if the link counts, and is not from before a pause that has ended. */
  isCurrent: boolean;
  /** True if the request was opened before the owner had been silent for the whole period. */
  isEarly: boolean;
  /** The request was made in the name of this contact. */
  isInTheirName: boolean;
  /** True if silence alone delivers when no contact says no. */
  isBySilenceToo: boolean;
  /** Dates after a no. */
  pause: PauseForecast;
  /** Contacts who must still confirm. */
  missing: number;
  waitingDays: number;
  held: Held | null;
  /** Times at which the letters were chosen and queued, and at which every letter due had ended. */
  beganAt: Date | null;
  doneAt: Date | null;
  now: Date;
};

/** Time after the start of sending from which the words “within minutes” are no longer used. */
const minutesMeanMs = 3_600_000;
const needDoNothing = 'It goes on once that is over. Nothing is lost, and there is nothing you need to do.';
const onOurSide = 'the delivery is stopped on our side for the moment.';
const ifAskedAgain = 'If we have asked you again since, use the link in our newest email.';

/** Outcome in one to three sentences, alike directly after an answer and on every later visit. */
export function outcomeWords(outcome: Outcome): string {
  switch (outcome.state) {
    case 'confirmed':
      return confirmedWords(outcome);
    case 'cancelled':
    case 'alive':
      return cancelledWords(outcome);
    case 'stopped':
      return stoppedWords(outcome);
    case 'released':
      return releasedWords(outcome);
  }
}

function confirmedWords(outcome: Outcome): string {
  const { stage, doneAt, beganAt, held, now } = outcome;
  if (doneAt) return `The messages were delivered on ${longDate(doneAt)}.`;
  if (stage !== 'releasing') return `Your answer is kept. ${whatIsMissing(outcome)}`;
  if (held) return `The release has begun, but ${onOurSide} ${needDoNothing}`;
  return beganAt && now.getTime() - beganAt.getTime() >= minutesMeanMs
    ? 'The messages are being delivered. Some mailboxes take longer than others.'
    : 'The messages will be delivered within minutes.';
}

/** Remaining conditions of a confirmation that counts or will count. */
function whatIsMissing({ missing, held, firstName, ...outcome }: Outcome): string {
  const wait = daysBefore({ ...outcome, firstName });
  if (held?.by === 'new_contact' && held.untilMs !== null) {
    const from = `It counts from ${longDate(new Date(held.untilMs))}, three days after you accepted the role.`;
    return missing > 0
      ? `${from} The messages will be delivered when ${people(missing)} as well${wait}.`
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
    case 'early_review':
      return `Nothing is sent yet: these messages are for many people whom we have not written to before, so the people who run ${productName} must allow this release first. Your answer is kept, and there is nothing you need to do.`;
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
  if (waitingDays === 0) {
    return `Nothing is sent before our email about it has reached ${firstName}’s mailbox. Then the letters go. ${stops}`;
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

function cancelledWords(outcome: Outcome): string {
  const { stage, isCurrent, firstName, pause, state } = outcome;
  if (state === 'alive') return aliveWords(outcome);
  const told = `We have told ${firstName} to sign in.`;
  if (stage === 'over') return `Nothing is sent. ${told} This request is over.`;
  if (!isCurrent) return `You cancelled, and nothing was sent then. ${ifAskedAgain}`;
  if (stage === 'paused') return `Nothing is sent. ${told}`;
  return pause.canOthersConfirm ? repeatedNoWords(outcome) : `Nothing is sent now. ${silenceWaits(outcome)}`.trim();
}

/** After "alive, but can't answer". It stops letters as a no does, and we ask for news. */
function aliveWords(outcome: Outcome): string {
  const { stage, isCurrent, firstName, pause } = outcome;
  const known = `You told us that ${firstName} is alive and can’t answer.`;
  if (stage === 'over') return `${known} Nothing is sent, and this request is over.`;
  if (!isCurrent) return `${known} Nothing was sent then. ${ifAskedAgain}`;
  const news = `If ${firstName} stays silent, we ask you for news in ${plural(askForNewsDays, 'day')}.`;
  if (stage === 'paused') return `${known} Nothing is sent. ${news}`;
  return pause.canOthersConfirm ? `${repeatedNoWords(outcome)} ${news}` : `${known} Nothing is sent now. ${news}`;
}

/** A contact's first no stopped everything before. A later one stops steps by silence alone. */
function repeatedNoWords(outcome: Outcome): string {
  const { missing, firstName, answered } = outcome;
  const before = answered === 'alive' ? 'You have told us so before' : 'You have cancelled before';
  if (missing === 0) {
    return `${before}, so this does not stop what others have confirmed. If ${firstName} comes back before, nothing is sent.`;
  }
  const others = `${before}, so others can still confirm: the messages are delivered when ${people(missing)}.`;
  return `Nothing is sent now. ${others} ${silenceWaits(outcome)}`.trim();
}

function silenceWaits({ isBySilenceToo }: Outcome): string {
  return isBySilenceToo ? `If nobody does, nothing is sent for ${plural(pauseDays, 'day')}.` : '';
}

function stoppedWords(outcome: Outcome): string {
  const { stoppedBy, firstName, isInTheirName, isEarly } = outcome;
  const overWithoutIt = 'so this request is over. Nothing is sent because of it.';
  const askAnew = `If ${firstName} has died or cannot act, you can ask again with the emergency form.`;
  switch (stoppedBy) {
    case 'not_asked':
      return isInTheirName
        ? `You told us that you did not ask. The request is over, and nothing is sent. We have told ${firstName}.`
        : `The person in whose name we were asked to release ${firstName}’s messages says that they did not ask. The request is over, and nothing is sent. ${ifAskedAgain}`;
    case 'nobody_answered':
      return `Not enough people confirmed within ${plural(earlyRequestDays, 'day')}, ${overWithoutIt} ${askAnew}`;
    case 'too_few_contacts':
      return `Fewer trusted contacts are left than ${firstName} wants to confirm, ${overWithoutIt} ${askAnew}`;
    case 'begun_anew':
      return `We had to go back to a backup of our service and no longer know for certain what was answered, ${overWithoutIt} ${
        isEarly ? askAnew : `If ${firstName} stays silent, we ask you again: use the link in our newest email.`
      }`;
    case 'taken_back':
      return 'You took your confirmation back, and it does not count any more. If you want to answer again, ask for a new link with the emergency form.';
    case 'not_counted':
      return `Your confirmation does not count any more, and nothing was sent then. ${ifAskedAgain}`;
    default:
      return cancelledByOtherWords(outcome);
  }
}

function cancelledByOtherWords({ stage, pause, firstName, stoppedBy }: Outcome): string {
  const cancelled =
    stoppedBy === 'alive'
      ? `Somebody else told us that ${firstName} is alive and can’t answer, and nothing is sent.`
      : `Somebody else cancelled the release of ${firstName}’s messages, and nothing is sent.`;
  if (stage === 'over') return `${cancelled} This request is over. ${ifAskedAgain}`;
  const after =
    pause.askAgainDays === null
      ? `Our usual reminders to ${firstName} go on.`
      : `If ${firstName} stays silent, we ask you again in ${plural(pause.askAgainDays, 'day')}.`;
  return `${cancelled} ${after}`;
}

function releasedWords({ answered, firstName, doneAt, held }: Outcome): string {
  const others = 'somebody else confirmed, or the time to answer was over.';
  const released = `${firstName}’s messages were released ${without[answered ?? 'nothing']}: ${others}`;
  if (doneAt) return `${released} They were delivered on ${longDate(doneAt)}.`;
  return held ? `${released} Just now ${onOurSide}` : released;
}

const without = {
  yes: 'without an answer from you',
  nothing: 'without an answer from you',
  no: 'after you had cancelled',
  alive: 'after you had told us that they were alive',
  taken_back: 'after you had taken your confirmation back',
} as const;
