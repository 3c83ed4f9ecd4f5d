import {
  dayMs,
  firstToLastReminderDays,
  lastReminderToAskingDays,
  silenceSchedule,
  untoldWaitDays,
} from '#shared/rules/inactivity.ts';
import {
  type Answer,
  type Ask,
  type Contact,
  earlyRequestsWindowMs,
  endOf,
  isOver,
  type Mark,
  type Notice,
  newContactDays,
  type Owner,
  type PastRequest,
  type Request,
  restartDays,
  type Terms,
  troubleDays,
  unreachedDays,
  type World,
} from './model.rules.ts';
import { acceptedAt, countsFrom, hasBounced, latest, noticeOf } from './notice-facts.rules.ts';

/** Pure queries on a world. Decisions, forecasts and pages share them. */

/* Silence */

export function silentSinceMs({ lastActivityMs, awayUntilMs }: Owner): number {
  return Math.max(lastActivityMs, awayUntilMs ?? 0);
}

export function isAway({ owner }: World, now: Mark): boolean {
  return owner.awayUntilMs !== null && owner.awayUntilMs > now.atMs;
}

/** Terms of a first notice today. */
export function termsOf({ owner }: World): Terms {
  const { inactivityDays, quorum: needed, answerDays, waitingDays } = owner;
  return { inactivityDays, needed, answerDays, waitingDays };
}

/** Terms for a request that opens now: the number who must confirm is at least 1 and at most the number of contacts. */
export function termsAtOpening(terms: Terms, { contacts }: World): Terms {
  return { ...terms, needed: Math.max(1, Math.min(terms.needed, contacts.length)) };
}

/** Never shorter than the announced days. */
export function inactivityDaysOf({ owner, silence }: World): number {
  return Math.max(owner.inactivityDays, silence?.terms.inactivityDays ?? 0);
}

export type SilenceStep = { due: 'first_reminder' | 'last_reminder' | 'over' } | { due: null; atMs: number | null };

/** Next step of a silence: due now, or its earliest time by the clock. Null if it depends on a mail's outcome. */
export function silenceStep(world: World, now: Mark): SilenceStep {
  const { silence, owner } = world;
  const sinceMs = silentSinceMs(owner);
  const schedule = silenceSchedule({ ...owner, inactivityDays: inactivityDaysOf(world), releaseMethod: owner.method });
  if (!silence) return dueAt('first_reminder', sinceMs + schedule.firstReminderDay * dayMs, now);

  const first = noticeOf(world, silence.firstNotice);
  if (hasBounced(first)) return dueAt('first_reminder', first.written.atMs + dayMs, now);
  const firstFrom = countsFrom(world, silence.firstNotice);
  if (!firstFrom) return { due: null, atMs: null };
  const gapEndsMs = endOf({ from: firstFrom, days: firstToLastReminderDays }, now);
  const lastAtMs = Math.max(sinceMs + schedule.lastReminderDay * dayMs, gapEndsMs);
  if (silence.lastNotice === null) return dueAt('last_reminder', lastAtMs, now);

  const last = noticeOf(world, silence.lastNotice);
  // The last reminder bounced, or came too soon after the first: another one, a day later at the earliest.
  if (hasBounced(last) || isTooSoon(world)) {
    return dueAt('last_reminder', Math.max(lastAtMs, last.written.atMs + dayMs), now);
  }
  const lastFrom = countsFrom(world, silence.lastNotice);
  if (!lastFrom) return { due: null, atMs: null };
  const overAtMs = endOf({ from: lastFrom, days: lastReminderToAskingDays }, now);
  return dueAt('over', Math.max(sinceMs + schedule.contactsAskedDay * dayMs, overAtMs), now);
}

/** True if the last reminder ended so soon after the first that it does not count. */
export function isTooSoon(world: World): boolean {
  const { silence } = world;
  if (!silence || silence.lastNotice === null) return false;
  const [first, last] = [countsFrom(world, silence.firstNotice), countsFrom(world, silence.lastNotice)];
  return first !== null && last !== null && last.healthyMs - first.healthyMs < firstToLastReminderDays * dayMs;
}

/** True if the last reminder waits to leave although its gap after the first is no longer complete. */
export function isOvertaken(world: World, now: Mark): boolean {
  const { silence } = world;
  if (!silence || silence.lastNotice === null) return false;
  const first = countsFrom(world, silence.firstNotice);
  return isLastWaiting(world) && (!first || !isOver({ from: first, days: firstToLastReminderDays }, now));
}

/** True if the last reminder was written and no channel has an outcome yet. */
export function isLastWaiting(world: World): boolean {
  const last = world.silence?.lastNotice ?? null;
  return last !== null && Object.keys(noticeOf(world, last).outcomes).length === 0;
}

function dueAt<Due extends string>(due: Due, atMs: number, now: Mark): { due: Due } | { due: null; atMs: number } {
  return atMs <= now.atMs ? { due } : { due: null, atMs };
}

/** True if the owner was silent for the whole period, and both reminders were accepted with their gaps. */
export function isSilenceOver(world: World, now: Mark): boolean {
  return silenceStep(world, now).due === 'over';
}

/**
 * True if a request by silence waits for a reminder that was neither accepted nor tried. The day of its letters is then
 * unknown.
 */
export function waitsForReminders({ silence, ...world }: World): boolean {
  if (world.owner.method !== 'inactivity' || world.request?.cause !== 'silence' || !silence) return false;
  return [silence.firstNotice, silence.lastNotice].some((id) => id !== null && !countsFrom({ silence, ...world }, id));
}

/** True if any channel accepted one of the two reminders. */
export function wasReached(world: World): boolean {
  const { silence } = world;
  if (!silence) return false;
  const ids = [silence.firstNotice, ...(silence.lastNotice === null ? [] : [silence.lastNotice])];
  return ids.some((id) => acceptedAt(noticeOf(world, id)) !== null);
}

/** True if contacts are asked for another address of the owner: silence asks them, and no channel accepted a reminder. */
export function asksForAddress(world: World): boolean {
  return world.request?.cause === 'silence' && world.silence !== null && !wasReached(world);
}

/* Requests */

/** In place of a notice, in an answer of a trustee who had no link. */
export const trusteeNotice = 0;

export function newestAsk({ asks }: Request, contactId: string): Ask | undefined {
  return asks.findLast((ask) => ask.contactId === contactId && !ask.isRevoked);
}

/** Latest answer by this link, even if it was withdrawn since. */
export function answerTo({ answers }: Request, ask: Ask): Answer | undefined {
  return answers.findLast(({ notice }) => notice === ask.notice);
}

/** True if the contact has not answered, or has withdrawn a yes. */
export function isUnanswered(request: Request, ask: Ask): boolean {
  return answerTo(request, ask)?.isVoid ?? true;
}

/** The link a contact can act on: the newest one that was not answered, and is no earlier one's. */
export function liveAsk(request: Request, contactId: string): Ask | undefined {
  const ask = newestAsk(request, contactId);
  return ask && !answerTo(request, ask) ? ask : undefined;
}

/** Contacts with a valid yes: given, not withdrawn, and still in the role. */
export function yesesOf({ contacts }: World, { answers }: Request): string[] {
  const ids = answers.filter(({ says, isVoid }) => says === 'yes' && !isVoid).map(({ contactId }) => contactId);
  return [...new Set(ids)].filter((id) => contacts.some((contact) => contact.id === id));
}

/** From when a contact counts for an early request, by the clock. */
export function countsEarlyFrom({ confirmed }: Contact, now: Mark): number {
  return endOf({ from: confirmed, days: newContactDays }, now);
}

/** True if enough contacts have said yes. In an early request, only contacts of at least 72 healthy hours count. */
export function isConfirmed(world: World, request: Request, now: Mark): boolean {
  const counted = yesesOf(world, request).filter((id) => {
    const contact = world.contacts.find((each) => each.id === id);
    if (request.cause === 'silence') return true;
    return contact !== undefined && !contact.isUnderReview && countsEarlyFrom(contact, now) <= now.atMs;
  });
  return counted.length >= request.terms.needed;
}

/** True if the operator must allow this release before anything is sent. Silence needs no review. */
export function isUnderReview({ stops, request }: Pick<World, 'stops' | 'request'>): boolean {
  return stops.isEarlyStopped === true && request?.cause !== 'silence';
}

/** True for an answer that stops letters: a no, or "alive, but can't answer". */
export function isNo({ says }: Pick<Answer, 'says'>): boolean {
  return says !== 'yes';
}

/** True if this contact has already said no, or that the owner is alive, in this request. */
export function saidNo({ answers }: Request, contactId: string): boolean {
  return answers.some((answer) => answer.contactId === contactId && isNo(answer));
}

/** The answer that has paused this request. Null if it is not paused. */
export function pausedBy({ phase, answers }: Request): Answer | null {
  if (phase.name !== 'paused') return null;
  return answers.findLast((answer) => answer.contactId === phase.by && isNo(answer)) ?? null;
}

export function answerDaysOf({ owner }: World, { terms }: Request): number {
  return Math.max(owner.answerDays, terms.answerDays);
}

export function waitingDaysOf(world: World, { terms }: Request, now: Mark): number {
  const days = Math.max(world.owner.waitingDays, terms.waitingDays);
  return isAway(world, now) ? Math.max(days, untoldWaitDays) : days;
}

/**
 * Days that a yes waits if no notice of the silence to the owner was accepted. Never fewer than the owner's own waiting
 * days.
 */
export function untoldWaitDaysOf(world: World, request: Request, now: Mark): number {
  return Math.max(untoldWaitDays, waitingDaysOf(world, request, now));
}

/** End of a wait. Null until the owner's notice has been accepted. A failed attempt is not an acceptance. */
export function waitEndsAtMs(world: World, now: Mark): number | null {
  const { request } = world;
  if (request?.phase.name !== 'holding') return null;
  const from = request.phase.from ?? acceptedAt(noticeOf(world, request.phase.notice));
  return from && endOf({ from, days: request.phase.days }, now);
}

/** Days that silence alone waits after the answer time. */
export function extraDaysOf(world: World): number {
  return wasReached(world) ? 0 : unreachedDays;
}

/**
 * Time from which contacts are asked although no notice to the owner was accepted, because the owner's mail has been in
 * trouble long enough.
 */
export function untoldFromMs(world: World, now: Mark): number | null {
  const { silence } = world;
  if (!silence) return null;
  const ids = [silence.firstNotice, ...(silence.lastNotice === null ? [] : [silence.lastNotice])];
  const open = ids.filter((id) => !countsFrom(world, id)).map((id) => noticeOf(world, id));
  if (open.length === 0) return null;
  return Math.min(...open.map((notice) => endOf({ from: untoldSince(world, notice), days: troubleDays }, now)));
}

/** Since when nothing has reached the owner: the first mail of this kind in this silence that came back, behind all that arrived. */
function untoldSince({ notices, owner }: World, { to, topic, written }: Notice): Mark {
  const arrived = latest(notices.flatMap((notice) => (notice.to === to && acceptedAt(notice)) || []));
  const first = notices
    .filter((notice) => notice.to === to && notice.topic === topic && hasBounced(notice))
    .filter((notice) => notice.written.atMs > owner.lastActivityMs)
    .find((notice) => notice.written.healthyMs >= (arrived?.healthyMs ?? Number.NEGATIVE_INFINITY));
  return first?.written ?? written;
}

/** True if letters of the open release may leave now. The caller checks it before each letter. */
export function mayLettersLeave({ release, stops, restart }: World): boolean {
  return release !== null && !stops.isFrozen && !release.question && restart === null;
}

/** Until when letters wait behind the notice after a restore; null while that notice has not ended. */
export function restartEndsAtMs(world: World, now: Mark): number | null {
  const { restart } = world;
  const from = restart === null ? null : countsFrom(world, restart);
  return from && endOf({ from, days: restartDays }, now);
}

/** Contacts who take part in this request because they were asked or have answered. */
export function knowing(world: World, request: Request): string[] {
  const reached = request.asks
    .filter(({ notice }) => acceptedAt(noticeOf(world, notice)))
    .map(({ contactId }) => contactId);
  return [...new Set([...reached, ...request.answers.map(({ contactId }) => contactId)])];
}

/** Early requests that count for the weekly limit. One that ended with “I did not ask” does not. */
export function earlyRequestsOfWeek({ past }: Pick<World, 'past'>, now: Mark): readonly PastRequest[] {
  return past.filter(({ opened, wasForeign }) => !wasForeign && now.atMs - opened.atMs < earlyRequestsWindowMs);
}
