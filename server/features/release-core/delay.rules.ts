import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';
import type { Draft } from './draft.rules.ts';
import { answerDaysOf, extraDaysOf, isNo, isSilenceOver, silenceStep, waitsForReminders } from './facts.rules.ts';
import { endOf, healthyHourMs, type Mark, pauseDays, type Request, type World } from './model.rules.ts';
import { acceptedAt, earliest, isUnderWay, latest, noticeOf } from './notice-facts.rules.ts';
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
  for (const { id } of world.contacts) {
    const contactsMs = toldToMs(draft, request, id);
    if (contactsMs !== null && untilMs - contactsMs >= healthyHourMs) draft.tellContact(id, 'delayed');
  }
  return draft.tellOwner('delayed');
}

/** Earliest release by silence alone: the answer time has ended, and no “no” is younger than 30 days. */
export function silentEndMs(world: World, { request, began }: { request: Request; began: Mark }, now: Mark): number {
  const answerTime = { from: began, days: answerDaysOf(world, request) + extraDaysOf(world) };
  const noes = request.answers.filter(isNo).map(({ at }) => ({ from: at, days: pauseDays }));
  return Math.max(...[answerTime, ...noes].map((window) => endOf(window, now)));
}

/** First day of delivery that a question names. Null if an earlier mail named one, or no day is known. */
export function firstToldMs(world: World, request: Request, now: Mark): number | null {
  if (world.owner.method !== 'inactivity' || waitsForReminders(world)) return null;
  return toldUntilMs(world, request) === null ? Math.round(expectedEndMs(world, request, now)) : null;
}

/**
 * Day of delivery that a contact knows by a question that is still theirs, or will know by one that is on its way. Null if no such
 * question names one.
 */
function toldToMs({ world, now }: Draft, request: Request, contactId: string): number | null {
  const theirs = request.asks.filter((ask) => ask.contactId === contactId && !ask.isRevoked);
  const named = theirs.flatMap(({ notice: id, isRepeat }) => {
    const notice = noticeOf(world, id);
    const at = namedAt(world, id) ?? (isUnderWay(notice) && !notice.isDayless ? now : null);
    return at ? [{ at, isRepeat }] : [];
  });
  if (named.length === 0) return null;
  const first = latest(named.filter(({ isRepeat }) => !isRepeat).map(({ at }) => at));
  return request.toldUntilMs ?? (first && dayAfterMs(world, request, first));
}

/** Announced day of delivery: the last one, or the answer time after the first mail to anybody that named it. Null if no mail did. */
function toldUntilMs(world: World, request: Request): number | null {
  if (request.toldUntilMs !== null) return request.toldUntilMs;
  const questions = request.asks.filter(({ isRepeat, isRevoked }) => !isRepeat && !isRevoked);
  const asked = questions.flatMap(({ notice }) => namedAt(world, notice) ?? []);
  const ownersNotice = request.ownerNotice === null ? null : namedAt(world, request.ownerNotice);
  const told = earliest(ownersNotice ? [...asked, ownersNotice] : asked);
  return told && dayAfterMs(world, request, told);
}

/** Day of delivery that a mail of silence names if it was accepted at a moment. */
function dayAfterMs(world: World, request: Request, accepted: Mark): number {
  const fromMs = Math.max(accepted.atMs, request.silenceAsks?.atMs ?? Number.NEGATIVE_INFINITY);
  return fromMs + (request.terms.answerDays + extraDaysOf(world)) * dayMs;
}

/** Acceptance of a mail that names the day. Null if it names none. */
function namedAt(world: World, id: number): Mark | null {
  const notice = noticeOf(world, id);
  return notice.isDayless ? null : acceptedAt(notice);
}

/** Earliest release by silence alone if every waiting mail is accepted now and no person acts. */
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

/** Earliest end of the silence. The gap of a reminder that is not accepted yet begins now. */
function silenceOverMs(world: World, now: Mark): number {
  const step = silenceStep(world, now);
  if (step.due === null && step.atMs !== null && world.silence?.lastNotice != null) return step.atMs;
  const isFirst = step.due === 'first_reminder' || world.silence?.lastNotice === null;
  const days = lastReminderToAskingDays + (isFirst ? firstToLastReminderDays : 0);
  return now.atMs + days * dayMs;
}
