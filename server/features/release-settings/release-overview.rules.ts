import { nudgeOf } from '#server/features/release/release-nudge.rules.ts';
import {
  isAway,
  isTooSoon,
  knowing,
  silentSinceMs,
  termsAtOpening,
  termsOf,
} from '#server/features/release-core/facts.rules.ts';
import { type Foreseen, forecast } from '#server/features/release-core/forecast.rules.ts';
import type { Mark, Request, World } from '#server/features/release-core/model.rules.ts';
import { acceptedAt, countsFrom, hasBounced, noticeOf } from '#server/features/release-core/notice-facts.rules.ts';
import { answersBegan } from '#server/features/release-core/questions.rules.ts';
import type { ReleaseOverview, ReleaseState } from '#shared/contract/release/release.ts';
import { ownDayAt } from '#shared/rules/deliver-on.ts';
import { isBlocking, type Problem, problemWords } from './release-problems.rules.ts';

type What = ReleaseOverview['timeline'][number]['what'];
export type TimelinePoint = { what: What; atMs: number; isPast: boolean };

/** Facts that the timeline needs in addition to the world. */
export type LineFacts = {
  /** Days between the check-in nudges before the first reminder. */
  checkinIntervalDays: number;
  /** Time of the first arrival, or of the end of the release. Null before. */
  deliveredAtMs: number | null;
};

/** State of an owner's release. */
export function stateOf({ silence, request, release, ...world }: World): ReleaseState {
  if (release) return release.isDone ? 'released' : 'releasing';
  if (request) return request.phase.name;
  if (!silence) return 'watching';
  const whole = { ...world, silence, request, release };
  const isWarned = silence.lastNotice !== null && countsFrom(whole, silence.lastNotice) && !isTooSoon(whole);
  return isWarned ? 'warned' : 'reminded';
}

/**
 * Timeline from the last activity to delivery, oldest first: past points with their times, then the points that would
 * follow without activity and answers.
 */
export function timelineOf(world: World, now: Mark, facts: LineFacts): TimelinePoint[] {
  const ahead = forecast(asIfReady(world, now), now);
  const points: TimelinePoint[] = [past('last_activity', world.owner.lastActivityMs)];
  if (isAway(world, now) && world.owner.awayUntilMs) points.push(coming('away_until', world.owner.awayUntilMs));
  points.push(...silencePoints(world, now, ahead), ...requestPoints(world, now, ahead));
  if (facts.deliveredAtMs !== null) points.push(past('delivered', facts.deliveredAtMs));
  points.push(...nextCheckIn(world, now, facts, points));
  return points.sort((one, other) => one.atMs - other.atMs);
}

/**
 * Number of letters that would still wait for a day of their own once a release has begun, on its foreseen day or else
 * now.
 */
export function laterLetters({ readyLetters, ownDays }: World, line: readonly TimelinePoint[], now: Mark): number {
  const released = line.find(({ what }) => what === 'automatic_delivery' || what === 'holding_until');
  const releasedMs = released?.atMs ?? now.atMs;
  return readyLetters.filter((id) => ownDayAt(ownDays?.get(id) ?? null, releasedMs) !== null).length;
}

/** Timeline after activity now that ends every open silence, request and release, oldest first. */
export function timelineAfterActivity(world: World, now: Mark, checkinIntervalDays: number): TimelinePoint[] {
  const anew = { ...world, silence: null, request: null, release: null, notices: [] };
  const line = timelineOf(anew, now, { checkinIntervalDays, deliveredAtMs: null });
  return line.filter(({ isPast }) => !isPast);
}

/**
 * Dates are shown even before everything is set up, so that an owner sees the effect of a choice. Missing parts are
 * problems of their own.
 */
function asIfReady(world: World, now: Mark): World {
  const { owner, contacts, readyLetters } = world;
  return {
    ...world,
    owner: { ...owner, isVerified: true },
    stops: { ...world.stops, isFrozen: false, isSilenceStopped: false },
    readyLetters: readyLetters.length > 0 ? readyLetters : ['a letter'],
    contacts: contacts.length > 0 || owner.method === 'inactivity' ? contacts : [{ id: 'somebody', confirmed: now }],
  };
}

/** The two reminders: when they counted, or when they are foreseen. */
function silencePoints(world: World, now: Mark, ahead: readonly Foreseen[]): TimelinePoint[] {
  const { silence } = world;
  const first = silence && countsOrWritten(world, silence.firstNotice);
  const last =
    silence && silence.lastNotice !== null && !isTooSoon(world) ? countsOrWritten(world, silence.lastNotice) : null;
  return [
    ...(first ? [point('first_reminder', first)] : foreseen('first_reminder', ahead, 'first_reminder_written')),
    ...(last ? [point('last_reminder', last)] : foreseen('last_reminder', ahead, 'last_reminder_written')),
  ].map((each) => (each.isPast ? each : { ...each, atMs: Math.max(each.atMs, now.atMs) }));
}

type Moment = { atMs: number; isPast: boolean };

/** Null for one that came back: it is written again. */
function countsOrWritten(world: World, id: number): Moment | null {
  const counted = countsFrom(world, id);
  if (counted) return { atMs: counted.atMs, isPast: true };
  const notice = noticeOf(world, id);
  return hasBounced(notice) ? null : { atMs: notice.written.atMs, isPast: false };
}

/** Points that follow from asking contacts, now or later. */
function requestPoints(world: World, now: Mark, ahead: readonly Foreseen[]): TimelinePoint[] {
  const { request, release } = world;
  const open = request ?? release?.request ?? null;
  const asked = open?.silenceAsks ? askedPoint(world, open, now) : null;
  const points = asked ? [asked] : foreseen('contacts_asked', ahead, 'request_opened', 'request_taken_over');
  if (release) return points;
  if (request?.phase.name === 'holding') return [...points, ...foreseen('holding_until', ahead, 'released')];
  const pause = request?.phase.name === 'paused' ? foreseen('paused_until', ahead, 'asked_anew') : [];
  const isAutomatic = world.owner.method === 'inactivity';
  return [...points, ...pause, ...(isAutomatic ? foreseen('automatic_delivery', ahead, 'released') : [])];
}

/** A contact counts as asked once the question was accepted. Until the first acceptance it is being sent. */
function askedPoint(world: World, request: Request, now: Mark): TimelinePoint {
  const taken = request.asks.flatMap(({ notice }) => acceptedAt(noticeOf(world, notice))?.atMs ?? []);
  const began = answersBegan(world, request, now)?.atMs;
  const atMs = taken.length > 0 ? Math.max(Math.min(...taken), request.silenceAsks?.atMs ?? 0) : began;
  return atMs === undefined ? coming('contacts_asked', now.atMs) : past('contacts_asked', atMs);
}

/** Before the first reminder: the next friendly question, which proves nothing. */
function nextCheckIn(
  { owner, silence, request, release }: World,
  now: Mark,
  { checkinIntervalDays }: LineFacts,
  points: readonly TimelinePoint[],
): TimelinePoint[] {
  if (silence || request || release) return [];
  const nudged = { sinceMs: silentSinceMs(owner), checkinIntervalDays, inactivityDays: owner.inactivityDays };
  const { nextAtMs } = nudgeOf(nudged, now.atMs);
  const firstReminder = points.find(({ what }) => what === 'first_reminder');
  return firstReminder && nextAtMs < firstReminder.atMs ? [coming('next_checkin', nextAtMs)] : [];
}

function foreseen(what: What, ahead: readonly Foreseen[], ...kinds: Foreseen['kind'][]): TimelinePoint[] {
  const found = ahead.find(({ kind }) => kinds.includes(kind));
  return found ? [coming(what, found.atMs)] : [];
}

const past = (what: What, atMs: number): TimelinePoint => ({ what, atMs, isPast: true });
const coming = (what: What, atMs: number): TimelinePoint => ({ what, atMs, isPast: false });
const point = (what: What, moment: Moment): TimelinePoint => ({ what, ...moment });

/** Contacts who know of the open request or release, and would be notified of its end. */
export function toldOf(world: World): string[] {
  const { request, release, notices } = world;
  const open = request ?? release?.request ?? null;
  if (!open) return [];
  const reached = release
    ? notices
        .filter(({ to }) => to !== 'owner')
        .filter(acceptedAt)
        .map(({ to }) => to)
    : [];
  return [...new Set([...knowing(world, open), ...(release?.heard ?? []), ...reached])];
}

type Conditions = {
  isMailSetUp: boolean;
  /** False if mail has been due for a day and none was accepted. */
  isMailHealthy: boolean;
  /** True if the clock has gone backwards and has not caught up yet. No step is taken meanwhile. */
  isClockBehind: boolean;
  /** Recipients whose mail was refused permanently, unless the owner has changed the address or number since. */
  refused: {
    owner: boolean;
    contactIds: readonly string[];
    letter: boolean;
    /** Any mail to the owner was refused lately, whether or not a later one was accepted. */
    ownMail: boolean;
    /** The newest mail to the owner was refused for a reason that is none of the mailbox. */
    isInTrouble: boolean;
  };
};

/** Problems that could stop a release, the gravest first, in words for the owner. */
export function problemsOf(world: World, { refused, ...conditions }: Conditions): Problem[] {
  const { owner, contacts, readyLetters, visibleDocuments, stops } = world;
  const needsContact = contacts.length === 0;
  const isByPeople = owner.method === 'trusted_contact';
  const reached = contacts.filter(({ id }) => !refused.contactIds.includes(id));
  const { needed } = termsAtOpening(termsOf(world), world);
  const isOutOfReach = !needsContact && isByPeople && reached.length < needed;
  // After the release has begun, no letter is left to be ready.
  const hasLetters = readyLetters.length > 0 || world.release !== null;
  const found: (Problem['type'] | false)[] = [
    !owner.isVerified && 'email_not_verified',
    (stops.isFrozen || stops.isSilenceStopped) && 'frozen',
    needsContact && isByPeople && 'nothing_could_ever_be_released',
    isOutOfReach && 'contacts_out_of_reach',
    !hasLetters && visibleDocuments === 0 && 'no_ready_message',
    !hasLetters && visibleDocuments > 0 && 'documents_alone',
    needsContact && !isByPeople && (refused.isInTrouble ? 'nobody_to_ask' : 'no_confirmed_contact'),
    refused.owner && 'address_bounced',
    refused.ownMail && !refused.owner && 'own_mail_refused',
    refused.contactIds.length > 0 && !isOutOfReach && 'contact_bounced',
    refused.letter && 'letter_bounced',
    !conditions.isMailSetUp && 'mail_not_set_up',
    !conditions.isMailHealthy && 'mail_down',
    conditions.isClockBehind && 'clock_behind',
  ];
  return found.flatMap((type) => (type ? [{ type, message: problemWords[type] }] : []));
}

export function isReady(problems: readonly Problem[]): boolean {
  return !problems.some(isBlocking);
}

/** Obstacle that no choice of the owner can remove, such as mail that reaches no one. Null if there is none. */
export function obstacleIn(problems: readonly Problem[]): string | null {
  return problems.find(({ type }) => obstacles.has(type))?.message ?? null;
}

const obstacles: ReadonlySet<Problem['type']> = new Set([
  'mail_not_set_up',
  'mail_down',
  'clock_behind',
  'contacts_out_of_reach',
  'nobody_to_ask',
]);
