import type { Event } from '#server/features/release-core/events.rules.ts';
import {
  extraDaysOf,
  isSilenceOver,
  liveAsk,
  untoldWaitDaysOf,
  waitingDaysOf,
  yesesOf,
} from '#server/features/release-core/facts.rules.ts';
import { forecast } from '#server/features/release-core/forecast.rules.ts';
import { endOf, type Mark, type Request, type Window, type World } from '#server/features/release-core/model.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';

/** What mails and pages may announce: the core run forward, and what follows from a world as it is. */

/** When a step is first foreseen if nothing stands still and nobody does anything; null where it is not. */
export type Foreseen = (kind: Event['kind']) => number | null;

export function foresee(world: World, now: Mark): Foreseen {
  const going = { ...world, stops: { isFrozen: false, isSilenceStopped: false } };
  const steps = forecast(going, now);
  return (kind) => steps.find((step) => step.kind === kind)?.atMs ?? null;
}

/** Contacts who must still confirm. */
export function missingOf(world: World, request: Request): number {
  return Math.max(0, request.terms.needed - yesesOf(world, request).length);
}

/** The owner's own days that stand before this request; 0 where nothing is waited for. */
export function daysOfWait(world: World, request: Request, now: Mark): number {
  if (request.phase.name === 'holding') return request.phase.days;
  if (request.cause !== 'silence') return waitingDaysOf(world, request, now);
  // A yes of a request whose owner could not be told of their silence waits as long as the decision has it wait.
  return request.isSilenceOver && isSilenceOver(world, now) ? 0 : untoldWaitDaysOf(world, request, now);
}

/** What still stands between an early request and the delivery: who must confirm, and the owner's own days. */
export type EarlyProspect = { missing: number; waitingDays: number };

/** What may be announced of the time after a contact's no. */
export type PauseProspect = {
  /** Whole days until contacts are asked again; null where none are. */
  askAgainDays: number | null;
  /** A repeated no leaves the links of the others alive. */
  canOthersConfirm: boolean;
};

export function pauseProspect(world: World, request: Request | null, now: Mark): PauseProspect {
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

/** Days that silence alone waits for after contacts were asked. */
export function daysToAnswer({ owner, ...world }: World, terms: { answerDays: number }): number {
  return Math.max(owner.answerDays, terms.answerDays) + (world.silence ? extraDaysOf({ owner, ...world }) : 0);
}
