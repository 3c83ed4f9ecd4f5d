import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { countsEarlyFrom, isUnanswered, newestAsk } from '#server/features/release-core/facts.rules.ts';
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

/** Tries whose addresses belong to nobody's contact, from one network: a /24 of IPv4, a /56 of IPv6. */
export const emergencyNetworkBudget = { limit: 30, windowMs: 3_600_000 };
/**
 * Tries in the name of one contact of one account. Not of an account alone: whoever knows its address could shut the form
 * for those who really are its contacts.
 */
export const emergencyPairBudget = { limit: 3, windowMs: 86_400_000 };
/** For so many owners one mailbox may confirm early within a day; at the next one it is held for the operator. */
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

/** Why the emergency form has begun nothing, for the owner; null where there is nobody to tell. */
export function nothingBegun(refused: Refusal): string | null {
  switch (refused) {
    case 'already_asked':
    case 'already_answered':
      return 'We had asked this contact already, so nothing new has begun.';
    case 'contact_too_new':
      return 'This contact accepted the role less than 72 hours ago, so nothing has begun.';
    case 'paused':
      return 'A trusted contact chose Cancel Release a short time ago, so nothing has begun.';
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

/** Why a contact's request has begun nothing. `asked`: their link works; `asked_before`: what it was about has ended. */
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

/** What the contact in whose name the form was filled in is told; null where an email with a link is on its way to them. */
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

/** They were asked within a day: in what is open, or in a request that has ended since. */
function afterQuestion(world: World, contactId: string): RequestRefusal | null {
  const ask = world.request && newestAsk(world.request, contactId);
  if (!world.request || !ask) return 'asked_before';
  if (!isUnanswered(world.request, ask)) return 'answered';
  return acceptedAt(noticeOf(world, ask.notice)) ? 'asked' : null;
}

/**
 * From when on the form can do something for this contact: when the last of what stands against it now is over. Null
 * where no day is known, or there is nothing to wait for.
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

/** The same for a trustee, who needs no question for a press. */
export function canPressAgainMs(world: World, contactId: string, now: Mark): number | null {
  return ahead(earlyFromMs(world, contactId, now), now);
}

function ahead(fromMs: number, now: Mark): number | null {
  return fromMs > now.atMs ? fromMs : null;
}

/** From when nothing that passes by itself stands against an early request of this contact. */
function earlyFromMs(world: World, contactId: string, now: Mark): number {
  const { contacts, request } = world;
  const contact = contacts.find(({ id }) => id === contactId);
  const ends = [contact && request?.cause !== 'silence' ? countsEarlyFrom(contact, now) : now.atMs];
  if (request?.phase.name === 'paused') ends.push(endOf(request.phase.pause, now));
  // Who joins a request that is open neither spends the week's budget nor waits for the end of a stop.
  if (!request) ends.push(budgetFromMs(world, now), stopEndsAtMs(world, contactId, now));
  return Math.max(...ends);
}

/** When so many requests of the last week are a week old that another one can open. */
function budgetFromMs({ past }: World, now: Mark): number {
  const openedMs = past
    .filter(({ opened, wasForeign }) => !wasForeign && now.atMs - opened.atMs < earlyRequestsWindowMs)
    .map(({ opened }) => opened.atMs)
    .sort((one, other) => one - other);
  const last = openedMs.at(-earlyRequestsMax);
  return openedMs.length < earlyRequestsMax || last === undefined ? now.atMs : last + earlyRequestsWindowMs;
}

/** When the owner's last stop of a request of this contact is over. */
function stopEndsAtMs({ past }: World, contactId: string, now: Mark): number {
  const stops = past.flatMap((each) => (each.contactId === contactId && each.stopped ? [each.stopped] : []));
  return Math.max(now.atMs, ...stops.map((from) => endOf({ from, days: afterStopDays }, now)));
}
