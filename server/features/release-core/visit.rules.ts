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
import { firstDayMs, waitingLettersOf } from './own-days.rules.ts';
import { endRelease } from './owner-back.rules.ts';
import { askedBySilence, askedEarly, canAsk, held, mustTell, paused } from './request-steps.rules.ts';

/** Far more than any visit takes: whoever has twenty contacts is told of less. One that has no end must hold up nobody else. */
const stepsMax = 1_000;

export type Visit = {
  events: readonly Event[];
  /** Nothing is due before this, unless something happens. */
  lookAgainAtMs: number;
  blockedBy: Blocker | null;
};

/** What time alone brings about: one visit by the clock, and everything that follows from it at once. */
export function visit(world: World, now: Mark): Visit {
  const draft = new Draft(world, now);
  returned(draft);
  // Each pass takes one step; what follows is looked at afresh, since a step may change what another rests on.
  for (let steps = 0; takeStep(draft); steps += 1) {
    if (steps === stepsMax) throw new Error('A visit comes to no end: a step is due again and again.');
  }
  return { events: draft.events, lookAgainAtMs: draft.lookAgainAtMs, blockedBy: draft.blockedBy };
}

/** A sign of life that came by SQL met no listener. Coming back is never blocked by anything. */
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

/** A silence that is over makes an early request its own: what was confirmed stays, and nothing is waited for beyond what was told. */
function takeOver(draft: Draft, { phase, terms }: Request): boolean {
  const ofSilence = termsBySilence(draft.world);
  // What people were told when they were asked is the least.
  const needed = Math.max(terms.needed, ofSilence.needed);
  const answerDays = Math.max(terms.answerDays, ofSilence.answerDays);
  const waitingDays = Math.max(terms.waitingDays, ofSilence.waitingDays);
  const keepsWait = phase.name === 'holding' && acceptedAt(noticeOf(draft.world, phase.notice)) !== null;
  const toldFrom = keepsWait || phase.name !== 'holding' ? null : contactsToldFrom(draft.world, phase);
  // What has not left would name the owner a later day than contacts were told.
  if (toldFrom) for (const topic of ['wait', 'wait_goes_on'] as const) draft.withdrawUnsent(topic);
  return draft.happen({
    kind: 'request_taken_over',
    terms: { ...ofSilence, needed, answerDays, waitingDays },
    keepsWait,
    toldFrom,
  });
}

/** It is a forward step by silence. Meanwhile the early request goes on by itself. */
function mayTakeOver(draft: Draft): boolean {
  const { isFrozen, isSilenceStopped } = draft.world.stops;
  if (isFrozen || isSilenceStopped) draft.lookAt(draft.now.atMs + recheckMs);
  return !isFrozen && !isSilenceStopped;
}

/** A letter whose day has come goes, whatever else is open. Whoever signed in after letters had left is asked about it too. */
function sendOnTheirDay(draft: Draft): boolean {
  const { world, now } = draft;
  const { release, stops, restart } = world;
  const dayMs = firstDayMs(world);
  if (dayMs === null) return false;
  const isHeld = stops.isFrozen || release?.question || restart !== null;
  if (dayMs > now.atMs || isHeld) {
    draft.lookAt(isHeld ? Math.max(dayMs, now.atMs + recheckMs) : dayMs);
    return false;
  }
  const due = [...world.waitingLetters, ...waitingLettersOf(release)].filter(({ dueAtMs }) => dueAtMs <= now.atMs);
  return draft.happen({ kind: 'letters_due', letters: due.map(({ id }) => id) });
}

/** After the first letter has left, time ends a question that nobody answers, and says when all has ended. */
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

/** After a restore what waits goes three days behind the notice to the owner, which is written again where it came back. */
function heldByRestore(draft: Draft): boolean {
  const { restart, release } = draft.world;
  if (restart === null || release?.question) return false;
  if (mustTell(draft, restart)) return draft.happen({ kind: 'letters_held', notice: draft.newNotice() });
  const endsAtMs = restartEndsAtMs(draft.world, draft.now);
  if (endsAtMs !== null && endsAtMs <= draft.now.atMs) return draft.happen({ kind: 'letters_let_go' });
  draft.lookAt(endsAtMs ?? draft.now.atMs + recheckMs);
  return false;
}
