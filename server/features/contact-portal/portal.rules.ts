import { decide } from '#server/features/release-core/decide.rules.ts';
import type { EndOfRequest } from '#server/features/release-core/events.rules.ts';
import {
  answerTo,
  countsEarlyFrom,
  liveAsk,
  mayLettersLeave,
  newestAsk,
  pausedBy,
  waitEndsAtMs,
} from '#server/features/release-core/facts.rules.ts';
import type { Ask, Mark, Request, World } from '#server/features/release-core/model.rules.ts';
import type { Portal } from '#shared/contract/release/portal.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { releasedDocumentDays } from '#shared/rules/retention.ts';

/** Days after the end of a request or release in which a contact still sees its result. */
export const resultKeptDays = releasedDocumentDays;

/** Outcome of a request or of its release, as stored in its row. */
export type RequestOutcome = EndOfRequest | 'taken_back' | 'left_as_it_is';

/** The link of one contact, and the request it belongs to, open or ended. */
export type Link = {
  contactId: string;
  ask: Ask;
  request: Request;
  /** The release that it led to, and when every letter that was due had ended. */
  release: { doneAtMs: number | null } | null;
  ended: { outcome: RequestOutcome; atMs: number } | null;
};

export type Shown = Pick<Portal, 'state' | 'stoppedBy'>;

/**
 * Contents of a contact's link. Null if it is void. A contact who has answered keeps seeing the outcome. Once the owner
 * has come back, no contact sees anything. `isNeeded`: a letter waits for the word of a contact since its reader wants no
 * more, or this contact has said it lately.
 */
export function shownBy(link: Link, nowMs: number, isNeeded = false): Shown | null {
  const { release, ended } = link;
  if (ended && endsWithoutPage.has(ended.outcome)) return null;
  const overMs = overAtMs(link);
  if (!isNeeded && overMs !== null && nowMs - overMs >= resultKeptDays * dayMs) return null;
  if (release) return afterRelease(link);
  return ended ? afterEnd(link, ended.outcome) : whileOpen(link);
}

const endsWithoutPage: ReadonlySet<RequestOutcome> = new Set(['owner_back', 'closed', 'taken_back']);

/** End of the last letter, or of the request if it had none. Null while one is open. */
function overAtMs({ release, ended }: Pick<Link, 'release' | 'ended'>): number | null {
  return release?.doneAtMs ?? ended?.atMs ?? null;
}

function whileOpen({ request, ask, contactId }: Link): Shown | null {
  const answer = answerTo(request, ask);
  if (!answer) return liveAsk(request, contactId)?.notice === ask.notice ? shown('open') : null;
  if (answer.says !== 'yes') return shown(stateAfter(answer.says));
  // The end of a pause, or leaving the role meanwhile, voids the link together with its answer.
  if (answer.isVoid) return stopped(ask.isRevoked ? 'not_counted' : 'taken_back');
  if (request.phase.name !== 'paused') return shown('confirmed');
  return stopped(pausedBy(request)?.says === 'alive' ? 'alive' : 'no');
}

/** “Nothing is sent” must never appear for letters that were sent. */
function afterRelease({ request, ask, contactId }: Link): Shown | null {
  const answer = answerTo(request, ask);
  if (!answer) return newestAsk(request, contactId)?.notice === ask.notice ? shown('released') : null;
  const isTakenBack = answer.isVoid && !ask.isRevoked;
  return shown(answer.says === 'yes' && !isTakenBack ? 'confirmed' : 'released');
}

/** Request that ended without a release. The contact who ended it sees their answer, the others see the reason. */
function afterEnd({ request, ask }: Link, outcome: RequestOutcome): Shown | null {
  switch (outcome) {
    case 'no':
    case 'alive':
      return answerTo(request, ask)?.says === outcome ? shown(stateAfter(outcome)) : stopped(outcome);
    case 'did_not_ask':
      return stopped('not_asked');
    case 'nobody_answered':
    case 'too_few_contacts':
    case 'begun_anew':
      return stopped(outcome);
    default:
      return null;
  }
}

const stateAfter = (says: 'no' | 'alive') => (says === 'no' ? 'cancelled' : 'alive');

function shown(state: Exclude<Portal['state'], 'stopped'>): Shown {
  return { state, stoppedBy: null };
}

function stopped(stoppedBy: NonNullable<Portal['stoppedBy']>): Shown {
  return { state: 'stopped', stoppedBy };
}

/**
 * Until when documents can be downloaded, or `null` while they cannot: before the release, and 30 days after. Until it has ended, its end is taken
 * to be now.
 */
export function documentsUntilMs(link: Pick<Link, 'release' | 'ended'>, nowMs: number): number | null {
  if (!link.release) return null;
  const untilMs = (overAtMs(link) ?? nowMs) + resultKeptDays * dayMs;
  return nowMs < untilMs ? untilMs : null;
}

/** True if the page names the documents: while it asks, and then only as long as they can be downloaded. */
export function namesDocuments(link: Pick<Link, 'release' | 'ended'>, isOpen: boolean, nowMs: number): boolean {
  return link.release ? documentsUntilMs(link, nowMs) !== null : isOpen;
}

/** Data for the announcements on the page of an open request or of a release in progress. */
export type Outlook = {
  world: World;
  /** The one that is open, or that led to the release. */
  request: Request;
  contactId: string;
  now: Mark;
  health: { isClockBehind: boolean; isMailHealthy: boolean };
  /** Its last step was taken by silence alone. */
  isBySilence: boolean;
};

/** Reason why messages do not leave although enough contacts have confirmed, or would not leave if they did. */
export type Held = { by: NonNullable<Portal['held']>['by']; untilMs: number | null };

/** Gravest stop of this release. Null if only a confirmation is missing. */
export function heldBy({ world, request, contactId, now, health, isBySilence }: Outlook): Held | null {
  const { owner, stops, release, contacts, readyLetters } = world;
  const onOurSide: Held = { by: 'stopped', untilMs: null };
  if (release) {
    if (release.isDone) return null;
    // Letters that were made out leave in whatever hour the clock shows, as long as the mail server takes them.
    const isLeaving = mayLettersLeave(world) && health.isMailHealthy && !(isBySilence && stops.isSilenceStopped);
    return isLeaving ? null : onOurSide;
  }
  if (stops.isFrozen || !owner.isVerified || health.isClockBehind) return onOurSide;
  const isEarly = request.cause !== 'silence';
  const contact = contacts.find(({ id }) => id === contactId);
  if (isEarly && contact?.isUnderReview) return onOurSide;
  if (isEarly && stops.isEarlyStopped) return { by: 'early_review', untilMs: null };
  if (readyLetters.length === 0) return { by: 'no_message', untilMs: null };

  const countsFromMs = contact ? countsEarlyFrom(contact, now) : now.atMs;
  if (isEarly && countsFromMs > now.atMs) return { by: 'new_contact', untilMs: countsFromMs };
  return request.phase.name === 'holding' ? { by: 'waiting_time', untilMs: waitEndsAtMs(world, now) } : null;
}

/** Contacts who take part in this request, each with a link. */
export function askedIds({ world, request }: Pick<Outlook, 'world' | 'request'>): string[] {
  return world.contacts.map(({ id }) => id).filter((id) => newestAsk(request, id) !== undefined);
}

/** True if the yes of this link can be withdrawn: until the first letter has left. */
export function canTakeBack({ world, request, contactId, now }: Outlook, ask: Ask): boolean {
  if (newestAsk(request, contactId)?.notice !== ask.notice) return false;
  return decide(world, { kind: 'take_back', contactId }, now).refused === null;
}

/**
 * True if the request came from the emergency form in this contact's name. A press in their own account is their own.
 */
export function canSayNotAsked({ world, request, contactId, now }: Outlook): boolean {
  return request.cause === 'emergency' && decide(world, { kind: 'did_not_ask', contactId }, now).refused === null;
}
