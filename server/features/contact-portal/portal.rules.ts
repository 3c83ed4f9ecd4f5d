import { decide } from '#server/features/release-core/decide.rules.ts';
import type { EndOfRequest } from '#server/features/release-core/events.rules.ts';
import {
  answerTo,
  countsEarlyFrom,
  liveAsk,
  mayLettersLeave,
  newestAsk,
  waitEndsAtMs,
} from '#server/features/release-core/facts.rules.ts';
import type { Ask, Mark, Request, World } from '#server/features/release-core/model.rules.ts';
import type { Portal } from '#shared/contract/release/portal.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { releasedDocumentDays } from '#shared/rules/retention.ts';

/** After a request or a release has ended, a contact can look at its result for this long. */
export const resultKeptDays = releasedDocumentDays;

/** How a request ended, or the release that it led to, as its row says. */
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
 * What a contact's link shows, or `null` where it is dead. A contact who has answered keeps seeing what became of it; once
 * the owner has come back nothing is shown any more, whoever answered what.
 */
export function shownBy(link: Link, nowMs: number): Shown | null {
  const { release, ended } = link;
  if (ended && endsWithoutPage.has(ended.outcome)) return null;
  const overMs = overAtMs(link);
  if (overMs !== null && nowMs - overMs >= resultKeptDays * dayMs) return null;
  if (release) return afterRelease(link);
  return ended ? afterEnd(link, ended.outcome) : whileOpen(link);
}

const endsWithoutPage: ReadonlySet<RequestOutcome> = new Set(['owner_back', 'closed', 'taken_back']);

/** When the last letter had ended, or the request without any; `null` while something is under way. */
function overAtMs({ release, ended }: Pick<Link, 'release' | 'ended'>): number | null {
  return release?.doneAtMs ?? ended?.atMs ?? null;
}

function whileOpen({ request, ask, contactId }: Link): Shown | null {
  const answer = answerTo(request, ask);
  if (!answer) return liveAsk(request, contactId)?.notice === ask.notice ? shown('open') : null;
  if (answer.says === 'no') return shown('cancelled');
  // A pause that is over, or a role that was left meanwhile, makes the link dead together with its answer.
  if (answer.isVoid) return stopped(ask.isDead ? 'not_counted' : 'taken_back');
  return request.phase.name === 'paused' ? stopped('no') : shown('confirmed');
}

/** Nobody reads "nothing is sent" of letters that were. */
function afterRelease({ request, ask, contactId }: Link): Shown | null {
  const answer = answerTo(request, ask);
  if (!answer) return newestAsk(request, contactId)?.notice === ask.notice ? shown('released') : null;
  const isTakenBack = answer.isVoid && !ask.isDead;
  return shown(answer.says === 'yes' && !isTakenBack ? 'confirmed' : 'released');
}

/** A request that came to nothing: whoever ended it sees their answer, the others what has ended it. */
function afterEnd({ request, ask }: Link, outcome: RequestOutcome): Shown | null {
  switch (outcome) {
    case 'no':
      return answerTo(request, ask)?.says === 'no' ? shown('cancelled') : stopped('no');
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

/** A page of a request that is open, or whose letters are on their way, as far as it says what is going to happen. */
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

/** What keeps messages back although enough contacts have confirmed, or would if they did. */
export type Held = { by: NonNullable<Portal['held']>['by']; untilMs: number | null };

/** The gravest of what holds this release; `null` where a confirmation that is still needed is all that is waited for. */
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
  if (isEarly && contact?.isHeld) return onOurSide;
  if (isEarly && stops.isEarlyStopped) return { by: 'early_review', untilMs: null };
  if (readyLetters.length === 0) return { by: 'no_message', untilMs: null };

  const countsFromMs = contact ? countsEarlyFrom(contact, now) : now.atMs;
  if (isEarly && countsFromMs > now.atMs) return { by: 'new_contact', untilMs: countsFromMs };
  return request.phase.name === 'holding' ? { by: 'waiting_time', untilMs: waitEndsAtMs(world, now) } : null;
}

/** The contacts who have a part in this request, each by a link that somebody answers for. */
export function askedIds({ world, request }: Pick<Outlook, 'world' | 'request'>): string[] {
  return world.contacts.map(({ id }) => id).filter((id) => newestAsk(request, id) !== undefined);
}

/** Whether the yes behind this link can be taken back: until the first letter has left. */
export function canTakeBack({ world, request, contactId, now }: Outlook, ask: Ask): boolean {
  if (newestAsk(request, contactId)?.notice !== ask.notice) return false;
  return decide(world, { kind: 'take_back', contactId }, now).refused === null;
}

/** Whether somebody filled in the emergency form in this contact's name. A press in their account is their own. */
export function canSayNotAsked({ world, request, contactId, now }: Outlook): boolean {
  return request.cause === 'emergency' && decide(world, { kind: 'did_not_ask', contactId }, now).refused === null;
}
