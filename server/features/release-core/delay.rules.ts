import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';
import type { Draft } from './draft.rules.ts';
import { answerDaysOf, extraDaysOf, isSilenceOver, silenceStep, waitsForReminders } from './facts.rules.ts';
import { endOf, healthyHourMs, type Mark, pauseDays, type Request, type World } from './model.rules.ts';
import { acceptedAt, earliest, latest, noticeOf } from './notice-facts.rules.ts';
import { answersBegan, refusalEndsAtMs } from './questions.rules.ts';

/**
 * Announces a new day if the announced day has come and the delivery is hours later. The owner and the contacts whose questions
 * named a day get an email.
 */
export function tellOfDelay(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (world.owner.method !== 'inactivity' || world.stops.isSilenceStopped) return false;
  const toldMs = toldUntilMs(world, request);
  if (toldMs === null) return false;
  // Within the hour other questions arrive, and no day changes.
  const dueAtMs = toldMs + healthyHourMs;
  if (dueAtMs > now.atMs) {
    draft.lookAt(dueAtMs);
    return false;
  }
  const untilMs = expectedEndMs(world, request, now);
  if (untilMs - now.atMs < healthyHourMs) return false;
  draft.withdrawUnsent('delayed');
  draft.happen({ kind: 'delivery_delayed', untilMs: Math.round(untilMs) });
  for (const { id } of world.contacts) if (wasToldDay(world, request, id)) draft.tellContact(id, 'delayed');
  return draft.tellOwner('delayed');
}

/** When silence alone may release at the earliest: the answer time is over, and no "no" is younger than 30 days. */
export function silentEndMs(world: World, { request, began }: { request: Request; began: Mark }, now: Mark): number {
  const answerTime = { from: began, days: answerDaysOf(world, request) + extraDaysOf(world) };
  const noes = request.answers.filter(({ says }) => says === 'no').map(({ at }) => ({ from: at, days: pauseDays }));
  return Math.max(...[answerTime, ...noes].map((window) => endOf(window, now)));
}

/** First day of delivery that a question names. Null if an earlier mail named one, or no day is known. */
export function firstToldMs(world: World, request: Request, now: Mark): number | null {
  if (world.owner.method !== 'inactivity' || waitsForReminders(world)) return null;
  return toldUntilMs(world, request) === null ? Math.round(expectedEndMs(world, request, now)) : null;
}

/** True if a question that this contact can answer, or could, named the day. */
function wasToldDay(world: World, { asks }: Request, contactId: string): boolean {
  return asks.some((ask) => ask.contactId === contactId && !ask.isDead && !noticeOf(world, ask.notice).isDayless);
}

/** Announced day of delivery: the last one, or the answer time after the first mail that named it. Null if no mail did. */
function toldUntilMs(world: World, request: Request): number | null {
  if (request.toldUntilMs !== null) return request.toldUntilMs;
  const questions = request.asks.filter(({ isAgain, isDead }) => !isAgain && !isDead);
  const asked = questions.flatMap(({ notice }) => namedAt(world, notice) ?? []);
  const ownersNotice = request.ownerNotice === null ? null : namedAt(world, request.ownerNotice);
  const told = earliest(asked) ?? ownersNotice;
  const from = told && latest([told, ...(request.silenceAsks ? [request.silenceAsks] : [])]);
  return from && from.atMs + (request.terms.answerDays + extraDaysOf(world)) * dayMs;
}

/** Acceptance of a mail that names the day. Null if it names none. */
function namedAt(world: World, id: number): Mark | null {
  const notice = noticeOf(world, id);
  return notice.isDayless ? null : acceptedAt(notice);
}

/** When silence alone may release if every waiting mail is accepted now and no person acts. */
function expectedEndMs(world: World, request: Request, now: Mark): number {
  const began = answersBegan(world, request, now);
  const answerMs = (request.terms.answerDays + extraDaysOf(world)) * dayMs;
  const endMs = began
    ? silentEndMs(world, { request, began }, now)
    : Math.min(now.atMs + answerMs, refusalEndsAtMs(world, request, now) ?? Number.POSITIVE_INFINITY);
  if (isSilenceOver(world, now)) return endMs;
  const overMs = silenceOverMs(world, now);
  const { answerTime } = request;
  if (answerTime?.name !== 'stopped') return Math.max(endMs, overMs);
  return overMs + Math.max(0, answerMs - answerTime.usedMs);
}

/** When the silence is over at the earliest. A reminder that is still to be accepted begins its gap now. */
function silenceOverMs(world: World, now: Mark): number {
  const step = silenceStep(world, now);
  if (step.due === null && step.atMs !== null && world.silence?.lastNotice != null) return step.atMs;
  const isFirst = step.due === 'first_reminder' || world.silence?.lastNotice === null;
  const days = lastReminderToAskingDays + (isFirst ? firstToLastReminderDays : 0);
  return now.atMs + days * dayMs;
}
