import { quorumOf } from '#server/features/release/release-answers.rules.ts';
import {
  answerDaysOf,
  isLastTooEarly,
  nextWatchAtMs,
  type OwnerFacts,
  pauseDays,
  type ReleaseFacts,
  type ReminderFacts,
  remainingMs,
  silenceMoments,
  waitingDaysOf,
} from '#server/features/release/release-facts.rules.ts';
import { isAskedAfterPause } from '#server/features/release/release-prospects.rules.ts';
import type { ReleaseOverview } from '#shared/contract/release.ts';
import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';

type What = ReleaseOverview['timeline'][number]['what'];
export type TimelinePoint = { what: What; atMs: number; isPast: boolean };
type LineFacts = Pick<ReleaseFacts, 'owner' | 'cycle'>;
type Time = { now: number; healthyMs: number };

/**
 * The line from the last activity to delivery: what has happened, with the time it did, and what would happen if the
 * owner stayed silent and nobody did anything. Oldest first.
 */
export function timelineOf(facts: LineFacts, time: Time, deliveredAtMs: number | null): TimelinePoint[] {
  const { owner, cycle } = facts;
  const points: TimelinePoint[] = [past('last_activity', owner.lastActivityMs)];
  const moments = silenceMoments(owner);
  const nextWatchMs = nextWatchAtMs(owner, time.now);
  if (!cycle && nextWatchMs < moments.firstReminderMs) points.push(coming('next_checkin', nextWatchMs));

  const { firstMs, lastMs, askMs } = silenceEstimate(facts, time);
  points.push(cycle?.first.ended ? past('first_reminder', cycle.first.ended.atMs) : coming('first_reminder', firstMs));
  const last = lastThatCounts(cycle);
  points.push(last?.ended ? past('last_reminder', last.ended.atMs) : coming('last_reminder', lastMs));

  const isAsked = cycle?.cause === 'silence' && cycle.round > 0;
  points.push(isAsked && cycle.asked ? past('contacts_asked', cycle.asked.atMs) : coming('contacts_asked', askMs));
  points.push(...detours(facts, time));
  if (deliveredAtMs !== null) points.push(past('delivered', deliveredAtMs));
  else if (owner.releaseMethod === 'inactivity' && cycle?.state !== 'paused') {
    points.push(coming('automatic_delivery', deliveryEstimate(facts, time, askMs)));
  }
  return points.sort((one, other) => one.atMs - other.atMs);
}

/** What would happen after a sign of life that ended whatever was under way, if it were the last. Oldest first. */
export function timelineAfterActivity(owner: OwnerFacts): TimelinePoint[] {
  // Nothing is under way, so no window is measured and healthy time plays no part.
  const time = { now: owner.lastActivityMs, healthyMs: 0 };
  return timelineOf({ owner, cycle: null }, time, null).filter(({ isPast }) => !isPast);
}

/** The earliest that each step of silence can be, the gaps that must lie between them counted in. */
function silenceEstimate({ owner, cycle }: LineFacts, { now, healthyMs }: Time) {
  const moments = silenceMoments(owner);
  const isDoubled = cycle?.ownerUnreachable ?? false;
  const gap = (days: number) => days * dayMs * (isDoubled ? 2 : 1);
  const first = cycle?.first.ended ?? null;
  const { ended: last = null, sentAtMs: lastSentAtMs = null } = lastThatCounts(cycle) ?? {};

  const firstMs = first?.atMs ?? cycle?.first.sentAtMs ?? Math.max(now, moments.firstReminderMs);
  const lastGapMs = first
    ? now + remainingMs({ from: first, days: firstToLastReminderDays, isDoubled }, healthyMs)
    : Math.max(now, firstMs) + gap(firstToLastReminderDays);
  const lastMs = last?.atMs ?? lastSentAtMs ?? Math.max(moments.lastReminderMs, lastGapMs);
  const askGapMs = last
    ? now + remainingMs({ from: last, days: lastReminderToAskingDays, isDoubled }, healthyMs)
    : Math.max(now, lastMs) + gap(lastReminderToAskingDays);
  return { firstMs, lastMs, askMs: Math.max(moments.askMs, askGapMs) };
}

/** One that came too soon after the first is written again, so it is still to come. */
function lastThatCounts(cycle: LineFacts['cycle']): ReminderFacts | null {
  return cycle && !isLastTooEarly(cycle) ? cycle.last : null;
}

function deliveryEstimate({ owner, cycle }: LineFacts, { now, healthyMs }: Time, askMs: number): number {
  const isDoubled = cycle?.ownerUnreachable ?? false;
  const days = answerDaysOf({ owner, cycle });
  const isAsking = cycle?.state === 'asking' && cycle.cause === 'silence';
  if (isAsking && cycle.asked) {
    return now + remainingMs({ from: cycle.asked, days, isDoubled }, healthyMs);
  }
  return (isAsking ? now : askMs) + days * dayMs * (isDoubled ? 2 : 1);
}

function detours({ owner, cycle }: LineFacts, { now, healthyMs }: Time): TimelinePoint[] {
  if (cycle?.state === 'paused' && cycle.paused) {
    // Where the usual reminders are all that goes on, nobody is asked when the pause is over.
    if (!isAskedAfterPause(cycle)) return [];
    const pauseMs = remainingMs({ from: cycle.paused, days: pauseDays, isDoubled: false }, healthyMs);
    return [coming('paused_until', now + pauseMs)];
  }
  if (cycle?.state !== 'holding') return [];
  const isDoubled = cycle.ownerUnreachable;
  const days = waitingDaysOf({ owner, cycle });
  const waitMs = cycle.ownerNotice
    ? remainingMs({ from: cycle.ownerNotice, days, isDoubled }, healthyMs)
    : days * dayMs * (isDoubled ? 2 : 1);
  return [coming('holding_until', now + waitMs)];
}

const past = (what: What, atMs: number): TimelinePoint => ({ what, atMs, isPast: true });
const coming = (what: What, atMs: number): TimelinePoint => ({ what, atMs, isPast: false });

type Problem = ReleaseOverview['problems'][number];
type Conditions = {
  isMailSetUp: boolean;
  /** False where mail has been due for a day and none was accepted. */
  isMailHealthy: boolean;
  /** Whether the clock shows a time that it has shown before: until it has caught up, nothing moves forward. */
  isClockBehind: boolean;
  /** Whose mail was refused for good, unless the owner has changed what it was sent to since. */
  refused: { owner: boolean; contactIds: readonly string[]; letter: boolean };
};

const blocking: readonly Problem['type'][] = [
  'email_not_verified',
  'frozen',
  'nothing_could_ever_be_released',
  'contacts_out_of_reach',
  'no_ready_message',
  'mail_not_set_up',
  'mail_down',
  'clock_behind',
];

/** What stands in the way of a release, the gravest first, in words for the owner. */
export function problemsOf(facts: ReleaseFacts, { refused, ...conditions }: Conditions): Problem[] {
  const { owner, contacts, readyMessages } = facts;
  const needsContact = contacts.length === 0;
  const reached = contacts.filter(({ id }) => !refused.contactIds.includes(id));
  const isOutOfReach = !needsContact && owner.releaseMethod === 'trusted_contact' && reached.length < quorumOf(facts);
  const found: (Problem['type'] | false)[] = [
    !owner.isVerified && 'email_not_verified',
    (owner.isFrozen || facts.isInstallationFrozen || facts.isSilenceStopped === true) && 'frozen',
    needsContact && owner.releaseMethod === 'trusted_contact' && 'nothing_could_ever_be_released',
    isOutOfReach && 'contacts_out_of_reach',
    readyMessages === 0 && 'no_ready_message',
    needsContact && owner.releaseMethod === 'inactivity' && 'no_confirmed_contact',
    refused.owner && 'address_bounced',
    refused.contactIds.length > 0 && !isOutOfReach && 'contact_bounced',
    refused.letter && 'letter_bounced',
    !conditions.isMailSetUp && 'mail_not_set_up',
    !conditions.isMailHealthy && 'mail_down',
    conditions.isClockBehind && 'clock_behind',
  ];
  return found.flatMap((type) => (type ? [{ type, message: problemWords[type] }] : []));
}

export function isReady(problems: readonly Problem[]): boolean {
  return !problems.some(({ type }) => blocking.includes(type));
}

const problemWords: Record<Problem['type'], string> = {
  email_not_verified: 'Your email address is not verified. Until it is, nothing can be sent to anybody.',
  frozen: 'Releases are stopped for now by the people who run this service. Nothing is delivered until they go on.',
  nothing_could_ever_be_released:
    'Nothing could ever be released: you chose release by trusted contacts, and you have none who has accepted and is switched on.',
  contacts_out_of_reach:
    'As things stand, nothing could be released: you chose release by trusted contacts, and too few of them take our emails. Check their addresses.',
  no_ready_message: 'None of your messages is marked as ready, so nothing would be delivered and nobody is asked.',
  no_confirmed_contact:
    'You have no trusted contact who has accepted and is switched on. After a long silence your messages would be delivered without anybody being asked.',
  address_bounced:
    'Your mailbox refused our reminders. See that it takes mail again: it may be full, or closed. The address of an account stays what it is; if the mailbox is lost, take your vault along to a new account with Data Export.',
  contact_bounced:
    'An email to one of your trusted contacts was refused for good, so they could not be asked. Check their addresses.',
  letter_bounced:
    'A message could not be delivered: the address of its recipient was refused for good. Check who your messages go to.',
  mail_not_set_up: 'No mail server is set up here. Emails stay on this machine and reach nobody.',
  mail_down:
    'None of our emails has got through for a day or longer. Until they do, nothing moves on, and nobody loses time to answer.',
  clock_behind:
    'The clock of this service is behind. Until it is right, nothing moves on, and nobody loses time to answer.',
};
