import { dayMs } from '#shared/rules/inactivity.ts';
import type { Event } from './events.rules.ts';
import { evolve } from './evolve.rules.ts';
import { extraDaysOf, isSilenceOver, liveAsk, untoldWaitDaysOf, waitingDaysOf, yesesOf } from './facts.rules.ts';
import { endOf, type Mark, type Request, type Window, type World } from './model.rules.ts';
import { visit } from './visit.rules.ts';

export type Foreseen = { kind: Event['kind']; atMs: number };

/** A year and a half: longer than every period with its gaps, its answer time and the wait for an unreached owner. */
export const horizonDays = 550;
/** Far more visits than a release has steps; a life that needs more is not foreseen to its end. */
const visitsMax = 1_000;

/**
 * Runs the core forward, as if no person acts, no minute is lost and every mail is accepted immediately. Gives every
 * date that a page or a mail names.
 */
export function forecast(world: World, now: Mark): Foreseen[] {
  const foreseen: Foreseen[] = [];
  const untilMs = now.atMs + horizonDays * dayMs;
  let at = now;
  let ahead = world;
  for (let visits = 0; visits < visitsMax && at.atMs <= untilMs; visits += 1) {
    const { events, lookAgainAtMs } = visit(ahead, at);
    ahead = evolve(ahead, events, at);
    for (const { kind } of events) foreseen.push({ kind, atMs: at.atMs });
    const taken = allTaken(ahead);
    ahead = evolve(ahead, taken, at);
    if (ahead.release) return foreseen;
    // A mail's acceptance is processed in the same moment.
    if (taken.length > 0) continue;
    const nextMs = Math.max(lookAgainAtMs, at.atMs + 1);
    at = { atMs: nextMs, healthyMs: at.healthyMs + (nextMs - at.atMs) };
  }
  return foreseen;
}

/** Accepts every mail and text that is being sent. */
export function allTaken(world: World): Event[] {
  return world.notices.flatMap((notice) =>
    notice.channels
      .filter((channel) => !notice.outcomes[channel])
      .map((channel) => ({ kind: 'notice_ended', notice: notice.id, channel, outcome: 'accepted' }) as const),
  );
}

/* Dates that mails and pages may announce, from the core run forward or from the world as it is. */

/** Earliest foreseen time of a step if nothing is paused and no person acts. Null if the step is not foreseen. */
export type Forecast = (kind: Event['kind']) => number | null;

export function forecastOf(world: World, now: Mark): Forecast {
  const going = { ...world, stops: { ...world.stops, isFrozen: false, isSilenceStopped: false } };
  const steps = forecast(going, now);
  return (kind) => steps.find((step) => step.kind === kind)?.atMs ?? null;
}

/** Contacts who must still confirm. */
export function missingOf(world: World, request: Request): number {
  return Math.max(0, request.terms.needed - yesesOf(world, request).length);
}

/** Days of the owner's waiting time in this request. 0 if it has none. */
export function daysOfWait(world: World, request: Request, now: Mark): number {
  if (request.phase.name === 'holding') return request.phase.days;
  if (request.cause !== 'silence') return waitingDaysOf(world, request, now);
  // A yes in a request whose owner could not be notified waits as long as `decide` requires.
  return request.isSilenceOver && isSilenceOver(world, now) ? 0 : untoldWaitDaysOf(world, request, now);
}

/**
 * Remaining conditions of an early delivery: number of contacts who must still confirm, and the owner's waiting days.
 */
export type EarlyForecast = { missing: number; waitingDays: number };

/** Dates that may be announced after a contact's no. */
export type PauseForecast = {
  /** Whole days until contacts are asked again. Null if they are not. */
  askAgainDays: number | null;
  /** A repeated no leaves the links of the others alive. */
  canOthersConfirm: boolean;
};

export function pauseForecast(world: World, request: Request | null, now: Mark): PauseForecast {
  const phase = request?.phase;
  const askAgainDays = phase?.name === 'paused' ? daysLeftOf(phase.pause, now) : null;
  const canOthersConfirm =
    request !== null && phase?.name !== 'paused' && world.contacts.some(({ id }) => liveAsk(request, id));
  return { askAgainDays, canOthersConfirm };
}

/** Whole days that are left of a window. What begins, begins at the most healthy time there can have been: never more than all. */
function daysLeftOf(window: Window, now: Mark): number {
  const days = Math.ceil((endOf(window, now) - now.atMs) / dayMs);
  return Math.min(window.days, Math.max(1, days));
}

/** Whole days left of the answer time while a bounced reminder stops it. Null if it is not stopped. */
export function stoppedDaysLeft(world: World): number | null {
  const { request } = world;
  if (request?.answerTime?.name !== 'stopped') return null;
  const leftMs = daysToAnswer(world, request.terms) * dayMs - request.answerTime.usedMs;
  return Math.floor(Math.max(0, leftMs) / dayMs);
}

/** Days that silence alone waits for after contacts were asked. */
export function daysToAnswer({ owner, ...world }: World, terms: { answerDays: number }): number {
  return Math.max(owner.answerDays, terms.answerDays) + (world.silence ? extraDaysOf({ owner, ...world }) : 0);
}
