import { dayMs } from '#shared/rules/inactivity.ts';
import { Draft, recheckMs } from './draft.rules.ts';
import type { Blocker, Event } from './events.rules.ts';
import {
  acceptedAt,
  answerDaysOf,
  answersBegan,
  countsFrom,
  extraDaysOf,
  hasBounced,
  inactivityDaysOf,
  isConfirmed,
  isOvertaken,
  isSilenceOver,
  isUnanswered,
  newestAsk,
  noticeOf,
  questionFromMs,
  refusalEndsAtMs,
  restartEndsAtMs,
  silenceStep,
  silentSinceMs,
  termsAtOpening,
  termsOf,
  unasked,
  untoldFromMs,
  waitEndsAtMs,
  waitingDaysOf,
  wasInVain,
  yesesOf,
} from './facts.rules.ts';
import type { Mark, Request, World } from './model.rules.ts';
import {
  askAgainDays,
  earlyRequestDays,
  endOf,
  isOver,
  pauseDays,
  questionDays,
  untoldWaitDays,
} from './model.rules.ts';

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
  while (takeStep(draft)) {}
  return { events: draft.events, lookAgainAtMs: draft.lookAgainAtMs, blockedBy: draft.blockedBy };
}

/** A sign of life that came by SQL met no listener. Coming back is never blocked by anything. */
function returned(draft: Draft): void {
  const { silence, request, owner } = draft.world;
  const sinceMs = Math.min(
    silence ? noticeOf(draft.world, silence.firstNotice).written.atMs : Number.POSITIVE_INFINITY,
    request ? request.opened.atMs : Number.POSITIVE_INFINITY,
  );
  if (owner.lastActivityMs > sinceMs && !draft.world.release) draft.ownerIsBack('owner_back');
}

function takeStep(draft: Draft): boolean {
  draft.nothingDueYet();
  const { world } = draft;
  if (world.release) return afterRelease(draft);
  if (!world.owner.isVerified) return draft.block('not_verified');
  if (remind(draft)) return true;
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
      return pausedUntil(draft, world.request, world.request.phase.pause.from);
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
  return false;
}

/** Whether there is anything to release, and anybody who may say so or be waited for. */
function canAsk(draft: Draft): boolean {
  const { readyLetters, visibleDocuments, contacts, owner, stops } = draft.world;
  if (readyLetters.length === 0 && visibleDocuments === 0) return draft.block('nothing_ready');
  if (contacts.length === 0 && owner.method === 'trusted_contact') return draft.block('no_contact');
  if (stops.isFrozen) return draft.block('frozen');
  return true;
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
  return draft.happen({
    kind: 'request_taken_over',
    terms: { ...ofSilence, needed, answerDays, waitingDays },
    keepsWait,
  });
}

/** It is a forward step by silence. Meanwhile the early request goes on by itself. */
function mayTakeOver(draft: Draft): boolean {
  const { isFrozen, isSilenceStopped } = draft.world.stops;
  if (isFrozen || isSilenceStopped) draft.lookAt(draft.now.atMs + recheckMs);
  return !isFrozen && !isSilenceStopped;
}

function askedBySilence(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (isConfirmed(world, request, now)) return holdOrRelease(draft, request);
  if (!canAsk(draft)) return false;
  if (askWhoIsNot(draft, request) || askWhoseBounced(draft, request)) return true;
  if (mustTell(draft, request.ownerNotice)) return draft.happen({ kind: 'asking_told', notice: draft.newNotice() });
  if (minded(draft, request)) return true;
  return releaseBySilence(draft, request) || askAgain(draft, request, now);
}

/** Whether a notice to the owner is still to be written, or came back: then again, a day later. */
function mustTell(draft: Draft, id: number | null): boolean {
  if (id === null) return true;
  const notice = noticeOf(draft.world, id);
  if (!hasBounced(notice)) return false;
  const againAtMs = notice.written.atMs + dayMs;
  if (againAtMs > draft.now.atMs) draft.lookAt(againAtMs);
  return againAtMs <= draft.now.atMs;
}

/** Whoever counts and has neither answered nor a link gets one. */
function askWhoIsNot(draft: Draft, request: Request): boolean {
  const ids = unasked(draft.world, request).filter((id) => {
    const fromMs = questionFromMs(draft.world, id);
    if (fromMs > draft.now.atMs) draft.lookAt(fromMs);
    return fromMs <= draft.now.atMs;
  });
  for (const contactId of ids) {
    draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isAgain: false });
  }
  return ids.length > 0;
}

/** A question that came back is written again once, a day after it was written. */
function askWhoseBounced(draft: Draft, request: Request): boolean {
  let hasAsked = false;
  for (const { id: contactId } of draft.world.contacts) {
    const asks = request.asks.filter((ask) => ask.contactId === contactId && !ask.isDead);
    const [only] = asks;
    if (asks.length !== 1 || !only || !isUnanswered(request, only)) continue;
    const notice = noticeOf(draft.world, only.notice);
    if (!hasBounced(notice)) continue;
    const againAtMs = questionFromMs(draft.world, contactId);
    if (againAtMs > draft.now.atMs) draft.lookAt(againAtMs);
    else hasAsked = draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isAgain: false });
  }
  return hasAsked;
}

/** Who has not answered is asked again every thirty days while the silence lasts; nobody's time begins anew. */
function askAgain(draft: Draft, request: Request, now: Mark): boolean {
  const yeses = yesesOf(draft.world, request);
  const due = draft.world.contacts.filter(({ id }) => {
    const ask = newestAsk(request, id);
    if (!ask || yeses.includes(id) || !isUnanswered(request, ask)) return false;
    const window = { from: noticeOf(draft.world, ask.notice).written, days: askAgainDays };
    if (!isOver(window, now)) draft.lookAt(endOf(window, now));
    return isOver(window, now);
  });
  for (const { id: contactId } of due) {
    draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isAgain: true });
  }
  return due.length > 0;
}

/** Fewer contacts than must confirm: after thirty days, of which the owner was told, those who are left are enough. */
function minded(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  const left = Math.max(1, world.contacts.length);
  if (left >= request.terms.needed) return request.shrunk ? draft.happen({ kind: 'contacts_enough' }) : false;
  if (mustTell(draft, request.shrunk?.notice ?? null)) {
    return draft.happen({ kind: 'contacts_fewer', notice: draft.newNotice() });
  }
  if (!request.shrunk) return false;
  const { since, notice } = request.shrunk;
  const window = { from: since, days: pauseDays };
  if (!isOver(window, now)) {
    draft.lookAt(endOf(window, now));
    return false;
  }
  return notice !== null && countsFrom(world, notice) ? draft.happen({ kind: 'needed_lowered', to: left }) : false;
}

/** Method inactivity, nobody answered in their time, and nobody has said no lately. */
function releaseBySilence(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (world.owner.method !== 'inactivity') return false;
  if (!isSilenceOver(world, now)) return draft.block('owner_not_told');
  const began = answersBegan(world, request, now);
  if (!began) {
    draft.lookAt(Math.min(now.atMs + recheckMs, refusalEndsAtMs(world, request, now) ?? Number.POSITIVE_INFINITY));
    return false;
  }
  const answerTime = { from: began, days: answerDaysOf(world, request) + extraDaysOf(world) };
  const noes = request.answers.filter(({ says }) => says === 'no').map(({ at }) => ({ from: at, days: pauseDays }));
  const openUntilMs = Math.max(...[answerTime, ...noes].map((window) => endOf(window, now)));
  if (openUntilMs > now.atMs) {
    draft.lookAt(openUntilMs);
    return false;
  }
  if (world.stops.isSilenceStopped) return draft.block('breaker');
  return release(draft);
}

function askedEarly(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (world.contacts.length < request.terms.needed) return draft.endRequest('too_few_contacts');
  const window = { from: request.opened, days: earlyRequestDays };
  if (isConfirmed(world, request, now)) return holdOrRelease(draft, request);
  if (isOver(window, now)) return draft.endRequest('nobody_answered');
  draft.lookAtNewContacts();
  draft.lookAt(endOf(window, now));
  if (world.stops.isFrozen) return draft.block('frozen');
  if (askWhoseBounced(draft, request)) return true;
  const hasYes = request.answers.some(({ says, isVoid }) => says === 'yes' && !isVoid);
  return hasYes && askWhoIsNot(draft, request);
}

function pausedUntil(draft: Draft, request: Request, from: Mark): boolean {
  const window = { from, days: pauseDays };
  if (!isOver(window, draft.now)) {
    draft.lookAt(endOf(window, draft.now));
    return false;
  }
  return canAsk(draft) && request.phase.name === 'paused' ? draft.happen({ kind: 'asked_anew' }) : false;
}

/** Enough people have confirmed: it goes at once where the silence was over and still is, else the owner's days come first. */
function holdOrRelease(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (request.cause === 'silence' && request.isSilenceOver && isSilenceOver(world, now)) return release(draft);
  const days = request.cause === 'silence' ? untoldWaitDays : waitingDaysOf(world, request, now);
  if (world.stops.isFrozen) return draft.block('frozen');
  const needsNotice = request.cause !== 'silence';
  return draft.happen({ kind: 'wait_began', notice: draft.newNotice(), days, needsNotice });
}

function held(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (request.phase.name !== 'holding') return false;
  if (request.cause !== 'silence' && world.contacts.length < request.terms.needed) {
    return draft.endRequest('too_few_contacts');
  }
  if (!isConfirmed(world, request, now)) return draft.happen({ kind: 'wait_left' });
  if (!world.stops.isFrozen && (askWhoIsNot(draft, request) || askWhoseBounced(draft, request))) return true;
  const { notice: id, days } = request.phase;
  // A notice that came back stops the wait, and one that nobody took begins none: it is written again a day later.
  if (request.phase.from === null && wasInVain(world, noticeOf(world, id))) {
    const againAtMs = noticeOf(world, id).written.atMs + dayMs;
    if (againAtMs <= now.atMs)
      return draft.happen({ kind: 'wait_began', notice: draft.newNotice(), days, needsNotice: true });
    draft.lookAt(againAtMs);
    return false;
  }
  const endsAtMs = waitEndsAtMs(world, now);
  if (endsAtMs === null) {
    draft.lookAt(now.atMs + recheckMs);
    return false;
  }
  if (endsAtMs <= now.atMs) return release(draft);
  draft.lookAt(endsAtMs);
  return remindOfWait(draft);
}

/** The owner is written to daily while letters wait for them, each time with the way to stop. */
function remindOfWait(draft: Draft): boolean {
  const { notices } = draft.world;
  const told = notices.filter(({ topic }) => topic === 'wait' || topic === 'wait_goes_on').at(-1);
  const nextAtMs = (told?.written.atMs ?? draft.now.atMs) + dayMs;
  if (nextAtMs <= draft.now.atMs) return draft.tellOwner('wait_goes_on');
  draft.lookAt(nextAtMs);
  return false;
}

function release(draft: Draft): boolean {
  const { readyLetters, visibleDocuments, stops } = draft.world;
  if (stops.isFrozen) return draft.block('frozen');
  if (readyLetters.length === 0 && visibleDocuments === 0) return draft.block('nothing_ready');
  draft.happen({ kind: 'released', letters: readyLetters });
  return draft.tellOwner('releasing');
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
  if (open.letters.some(({ state }) => state === 'waiting')) return restarted(draft, open.restart);
  draft.happen({ kind: 'release_done' });
  for (const { id } of contacts) draft.tellContact(id, 'done');
  return true;
}

/** After a restore what waits goes three days behind the notice to the owner, which is written again where it came back. */
function restarted(draft: Draft, restart: number | null): boolean {
  if (restart === null) return false;
  if (mustTell(draft, restart)) return draft.happen({ kind: 'letters_held', notice: draft.newNotice() });
  const endsAtMs = restartEndsAtMs(draft.world, draft.now);
  draft.lookAt(typeof endsAtMs === 'number' ? Math.max(endsAtMs, draft.now.atMs + 1) : draft.now.atMs + recheckMs);
  return false;
}
