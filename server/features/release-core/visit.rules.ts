import { dayMs } from '#shared/rules/inactivity.ts';
import { resumeAnswerTime, stopAnswerTime } from './answer-time.rules.ts';
import { Draft, recheckMs, waitingReminderRecheckMs } from './draft.rules.ts';
import type { Blocker, Event } from './events.rules.ts';
import {
  inactivityDaysOf,
  isLastWaiting,
  isOvertaken,
  isSilenceOver,
  restartEndsAtMs,
  silenceStep,
  silentSinceMs,
  termsAtOpening,
  termsOf,
  untoldFromMs,
} from './facts.rules.ts';
import { endOf, isOver, type Mark, questionDays, type Request, type World } from './model.rules.ts';
import { acceptedAt, contactsToldFrom, noticeOf } from './notice-facts.rules.ts';
import { comingLettersOf, firstDayMs } from './own-days.rules.ts';
import { endRelease } from './owner-back.rules.ts';
import { askedBySilence, askedEarly, canAsk, held, mustTell, paused } from './request-steps.rules.ts';

/**
 * Maximum of steps, far above any real visit: an owner with twenty contacts needs fewer. A visit without an end must
 * not stop other owners.
 */
const stepsMax = 1_000;

export type Visit = {
  events: readonly Event[];
  /** Nothing is due before this, unless something happens. */
  lookAgainAtMs: number;
  blockedBy: Blocker | null;
};

/** Effects of time alone: one visit by the clock, with everything that follows from it immediately. */
export function visit(world: World, now: Mark): Visit {
  const draft = new Draft(world, now);
  returned(draft);
  // Each pass takes one step. The next pass reads the world again, since a step may change the condition of another.
  for (let steps = 0; takeStep(draft); steps += 1) {
    if (steps === stepsMax) throw new Error('A visit comes to no end: a step is due again and again.');
  }
  return { events: draft.events, lookAgainAtMs: draft.lookAgainAtMs, blockedBy: draft.blockedBy };
}

/** Handles activity that was written by SQL, without a listener. A return is never blocked by anything. */
function returned(draft: Draft): void {
  const { silence, request, release, owner } = draft.world;
  const sinceMs = Math.min(
    silence ? noticeOf(draft.world, silence.firstNotice).written.atMs : Number.POSITIVE_INFINITY,
    (request ?? release?.request)?.opened.atMs ?? Number.POSITIVE_INFINITY,
  );
  if (owner.lastActivityMs <= sinceMs) return;
  if (release) endRelease(draft, { takesBack: true, isStop: false });
  else draft.ownerIsBack('owner_back');
}

function takeStep(draft: Draft): boolean {
  draft.nothingDueYet();
  const { world } = draft;
  if (heldByRestore(draft) || sendOnTheirDay(draft)) return true;
  if (world.stops.isClosing) return false;
  if (world.release) return afterRelease(draft);
  if (!world.owner.isVerified) return draft.block('not_verified');
  if (stopAnswerTime(draft) || remind(draft) || resumeAnswerTime(draft)) return true;
  if (!world.request) return openBySilence(draft);
  if (world.request.cause !== 'silence' && isSilenceOver(world, draft.now) && mayTakeOver(draft)) {
    return takeOver(draft, world.request);
  }
  switch (world.request.phase.name) {
    case 'asking':
      return world.request.cause === 'silence'
        ? askedBySilence(draft, world.request)
        : askedEarly(draft, world.request);
    case 'paused':
      return paused(draft, world.request.phase.pause);
    case 'holding':
      return held(draft, world.request);
  }
}

/** The reminders of silence go whatever else is open, and whatever is stopped. */
function remind(draft: Draft): boolean {
  const { world, now } = draft;
  if (world.silence?.lastNotice != null && isOvertaken(world, now)) {
    return draft.happen({ kind: 'notice_withdrawn', notice: world.silence.lastNotice });
  }
  const step = silenceStep(world, now);
  if (step.due === 'first_reminder') {
    const terms = world.silence?.terms ?? termsOf(world);
    return draft.happen({ kind: 'first_reminder_written', notice: draft.newNotice(), terms });
  }
  if (step.due === 'last_reminder') return draft.happen({ kind: 'last_reminder_written', notice: draft.newNotice() });
  if (step.due === null && step.atMs !== null) draft.lookAt(step.atMs);
  if (isLastWaiting(world)) draft.lookAt(now.atMs + waitingReminderRecheckMs);
  return false;
}

function openBySilence(draft: Draft): boolean {
  const { world, now } = draft;
  if (!world.silence) return false;
  const isOverNow = isSilenceOver(world, now);
  const periodMs = silentSinceMs(world.owner) + inactivityDaysOf(world) * dayMs;
  // Trouble with the owner's mail that lasts leads to the same question.
  const untoldMs = untoldFromMs(world, now);
  const askAtMs = untoldMs === null ? null : Math.max(untoldMs, periodMs);
  if (!isOverNow && (askAtMs === null || askAtMs > now.atMs)) {
    if (askAtMs !== null) draft.lookAt(askAtMs);
    return false;
  }
  if (!canAsk(draft)) return false;
  if (world.stops.isSilenceStopped) return draft.block('breaker');
  const terms = termsBySilence(world);
  return draft.happen({ kind: 'request_opened', cause: 'silence', terms, isSilenceOver: isOverNow, askedBy: null });
}

function termsBySilence(world: World): Request['terms'] {
  return termsAtOpening(world.silence?.terms ?? termsOf(world), world);
}

/** A silence that has ended takes over an early request: its yeses stay, and no wait is added to the announced one. */
function takeOver(draft: Draft, { phase, terms }: Request): boolean {
  const ofSilence = termsBySilence(draft.world);
  // Never less than the terms quoted in the question.
  const needed = Math.max(terms.needed, ofSilence.needed);
  const answerDays = Math.max(terms.answerDays, ofSilence.answerDays);
  const waitingDays = Math.max(terms.waitingDays, ofSilence.waitingDays);
  const keepsWait = phase.name === 'holding' && acceptedAt(noticeOf(draft.world, phase.notice)) !== null;
  const toldFrom = keepsWait || phase.name !== 'holding' ? null : contactsToldFrom(draft.world, phase);
  // An unsent mail would name the owner a later day than contacts were notified of.
  if (toldFrom) for (const topic of ['wait', 'wait_goes_on'] as const) draft.withdrawUnsent(topic);
  return draft.happen({
    kind: 'request_taken_over',
    terms: { ...ofSilence, needed, answerDays, waitingDays },
    keepsWait,
    toldFrom,
  });
}

/** A take-over is a forward step by silence. While silence is stopped, the early request continues alone. */
function mayTakeOver(draft: Draft): boolean {
  const { isFrozen, isSilenceStopped } = draft.world.stops;
  if (isFrozen || isSilenceStopped) draft.lookAt(draft.now.atMs + recheckMs);
  return !isFrozen && !isSilenceStopped;
}

/**
 * Sends each letter whose day has come, whatever else is open. A person who signed in after letters had left is asked
 * about it too.
 */
function sendOnTheirDay(draft: Draft): boolean {
  const { world, now } = draft;
  const { release, stops, restart } = world;
  const dayMs = firstDayMs(world);
  if (dayMs === null) return false;
  const isStopped = stops.isFrozen || release?.question || restart !== null;
  if (dayMs > now.atMs || isStopped) {
    draft.lookAt(isStopped ? Math.max(dayMs, now.atMs + recheckMs) : dayMs);
    return false;
  }
  const due = comingLettersOf(world).filter(({ dueAtMs }) => dueAtMs <= now.atMs);
  return draft.happen({ kind: 'letters_due', letters: due.map(({ id }) => id) });
}

/**
 * After the first letter has left, time ends an unanswered question, and the contacts are notified when all letters
 * have ended.
 */
function afterRelease(draft: Draft): boolean {
  const { release: open, contacts } = draft.world;
  if (!open) return false;
  if (open.question) {
    const window = { from: open.question, days: questionDays };
    if (isOver(window, draft.now)) return draft.happen({ kind: 'question_ended' });
    draft.lookAt(endOf(window, draft.now));
    return false;
  }
  if (open.isDone) return false;
  if (open.letters.some(({ state }) => state === 'waiting')) return false;
  draft.happen({ kind: 'release_done' });
  for (const { id } of contacts) draft.tellContact(id, 'done');
  return true;
}

/**
 * After a restore, waiting letters leave three days after the notice to the owner. If it bounces, it is written again.
 */
function heldByRestore(draft: Draft): boolean {
  const { restart, release } = draft.world;
  if (restart === null || release?.question) return false;
  if (mustTell(draft, restart)) return draft.happen({ kind: 'letters_held', notice: draft.newNotice() });
  const endsAtMs = restartEndsAtMs(draft.world, draft.now);
  if (endsAtMs !== null && endsAtMs <= draft.now.atMs) return draft.happen({ kind: 'letters_let_go' });
  draft.lookAt(endsAtMs ?? draft.now.atMs + recheckMs);
  return false;
}
