import type { Refusal } from '#server/features/release-core/events.rules.ts';
import {
  countsEarlyFrom,
  earlyRequestsOfWeek,
  isUnanswered,
  newestAsk,
} from '#server/features/release-core/facts.rules.ts';
import {
  afterStopDays,
  earlyRequestsMax,
  earlyRequestsWindowMs,
  endOf,
  type Mark,
  type World,
} from '#server/features/release-core/model.rules.ts';
import { acceptedAt, noticeOf } from '#server/features/release-core/notice-facts.rules.ts';
import { questionFromMs } from '#server/features/release-core/questions.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/** Tries with unknown contact addresses from one network: a /24 of IPv4, a /48 of IPv6. */
export const emergencyNetworkBudget = { limit: 30, windowMs: 3_600_000 };
/**
 * Tries per pair of contact and account. A limit per account alone would let anyone who knows its address shut the form
 * for its real contacts.
 */
export const emergencyPairBudget = { limit: 3, windowMs: 86_400_000 };
/** Maximum of owners for whom one mailbox may confirm early within a day. At the next one it is put under review. */
export const confirmedOwnersMax = 3;
export const mailboxWindowMs = dayMs;

/** Mailboxes that early releases of a free or young account may write to for the first time before the operator has looked. */
export const firstMailboxesMax = 10;
/** Age from which an account with a plan is not young any more. */
export const youngAccountDays = 30;

/** Counts of mailboxes: `known` were written to by early releases without a review, `fresh` would be written to now. */
export type FirstMailboxes = { known: number; fresh: number };

/** True if an early release must wait for the operator. */
export function needsEarlyReview(
  account: { isFree: boolean; createdMs: number },
  { known, fresh }: FirstMailboxes,
  nowMs: number,
): boolean {
  const isLimited = account.isFree || nowMs - account.createdMs < youngAccountDays * dayMs;
  return isLimited && fresh > 0 && known + fresh > firstMailboxesMax;
}

/** Reason for the owner why an emergency form started nothing. Null if there is no owner to notify. */
export function nothingBegun(refused: Refusal): string | null {
  switch (refused) {
    case 'already_asked':
    case 'already_answered':
      return 'We had asked this contact already, so nothing new has begun.';
    case 'contact_too_new':
      return 'This contact accepted the role less than 72 hours ago, so nothing has begun.';
    case 'paused':
      return 'A trusted contact stopped the release a short time ago, so nothing has begun.';
    case 'nothing_ready':
      return 'You have no message that is ready to be sent, so nothing has begun.';
    case 'frozen':
    case 'not_verified':
      return 'Releases are stopped at the moment, so nothing has begun.';
    case 'budget_spent':
      return 'Your messages were asked for three times within a week, so nothing has begun.';
    case 'stopped_before':
      return 'You stopped a request of this contact a short time ago, so nothing has begun.';
    case 'too_late':
      return 'Your messages are being delivered already.';
    default:
      return null;
  }
}

/**
 * Reason for the contact why a request started nothing. `asked`: their link works. `asked_before`: the request of their
 * link has ended.
 */
export type RequestRefusal =
  | 'too_new'
  | 'asked'
  | 'asked_before'
  | 'answered'
  | 'paused'
  | 'nothing_ready'
  | 'budget_spent'
  | 'stopped_before'
  | 'stopped'
  | 'under_way';

type About = { contactId: string; refused: Refusal };

/** Reason to email to the contact named in the form. Null if an email with a link is being sent instead. */
export function noAnswerFor(world: World, { contactId, refused }: About): RequestRefusal | null {
  switch (refused) {
    case 'contact_too_new':
      return 'too_new';
    case 'already_answered':
      return 'answered';
    case 'already_asked':
      return afterQuestion(world, contactId);
    case 'paused':
    case 'nothing_ready':
    case 'budget_spent':
    case 'stopped_before':
      return refused;
    case 'frozen':
    case 'not_verified':
      return 'stopped';
    case 'too_late':
      return 'under_way';
    default:
      return null;
  }
}

/** The contact was asked within a day, in the open request or in one that has ended since. */
function afterQuestion(world: World, contactId: string): RequestRefusal | null {
  const ask = world.request && newestAsk(world.request, contactId);
  if (!world.request || !ask) return 'asked_before';
  if (!isUnanswered(world.request, ask)) return 'answered';
  return acceptedAt(noticeOf(world, ask.notice)) ? 'asked' : null;
}

/**
 * Time from which the form can start something for this contact: the end of the last present obstacle. Null if that day
 * is unknown, or if waiting changes nothing.
 */
export function canAskAgainMs(world: World, { contactId, refused }: About, now: Mark): number | null {
  switch (noAnswerFor(world, { contactId, refused })) {
    case 'too_new':
    case 'asked':
    case 'asked_before':
    case 'paused':
    case 'budget_spent':
    case 'stopped_before':
      return ahead(Math.max(earlyFromMs(world, contactId, now), questionFromMs(world, contactId)), now);
    case 'stopped':
      return now.atMs + dayMs;
    default:
      return null;
  }
}

/** Time from which a trustee's press can start something. A press needs no earlier question. */
export function canPressAgainMs(world: World, contactId: string, now: Mark): number | null {
  return ahead(earlyFromMs(world, contactId, now), now);
}

function ahead(fromMs: number, now: Mark): number | null {
  return fromMs > now.atMs ? fromMs : null;
}

/** Time from which no temporary obstacle prevents an early request of this contact. */
function earlyFromMs(world: World, contactId: string, now: Mark): number {
  const { contacts, request } = world;
  const contact = contacts.find(({ id }) => id === contactId);
  const ends = [contact && request?.cause !== 'silence' ? countsEarlyFrom(contact, now) : now.atMs];
  if (request?.phase.name === 'paused') ends.push(endOf(request.phase.pause, now));
  // A contact who joins an open request uses no weekly limit and does not wait for the end of a Stop.
  if (!request) ends.push(budgetFromMs(world, now), stopEndsAtMs(world, contactId, now));
  return Math.max(...ends);
}

/** Time at which the oldest counted request leaves the weekly limit, so that another one can open. */
function budgetFromMs(world: World, now: Mark): number {
  const openedMs = earlyRequestsOfWeek(world, now)
    .map(({ opened }) => opened.atMs)
    .sort((one, other) => one - other);
  const last = openedMs.at(-earlyRequestsMax);
  return openedMs.length < earlyRequestsMax || last === undefined ? now.atMs : last + earlyRequestsWindowMs;
}

/** End of the owner's latest Stop of a request of this contact. */
function stopEndsAtMs({ past }: World, contactId: string, now: Mark): number {
  const stops = past.flatMap((each) => (each.contactId === contactId && each.stopped ? [each.stopped] : []));
  return Math.max(now.atMs, ...stops.map((from) => endOf({ from, days: afterStopDays }, now)));
}
