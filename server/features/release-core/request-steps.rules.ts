import { ownDayAt } from '#shared/rules/deliver-on.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { askForNewsDays } from '#shared/rules/release-answers.ts';
import { aliveAnswer } from './alive.rules.ts';
import { firstToldMs, silentEndMs, tellOfDelay } from './delay.rules.ts';
import { type Draft, recheckMs } from './draft.rules.ts';
import {
  isConfirmed,
  isSilenceOver,
  isUnanswered,
  isUnderReview,
  newestAsk,
  untoldWaitDaysOf,
  waitEndsAtMs,
  waitingDaysOf,
  yesesOf,
} from './facts.rules.ts';
import {
  askAgainDays,
  earlyRequestDays,
  endOf,
  isOver,
  type Mark,
  pauseDays,
  type Request,
  type Window,
  type World,
} from './model.rules.ts';
import { countsFrom, hasBounced, noticeOf, wasInVain } from './notice-facts.rules.ts';
import { answersBegan, questionFromMs, refusalEndsAtMs } from './questions.rules.ts';

/* Steps of an open request: while it asks, is paused, or waits for the owner. */

/** True if something can be released, and a contact or the silence can decide. */
export function canAsk(draft: Draft): boolean {
  const { readyLetters, visibleDocuments, contacts, owner, stops } = draft.world;
  if (readyLetters.length === 0 && visibleDocuments === 0) return draft.block('nothing_ready');
  if (contacts.length === 0 && owner.method === 'trusted_contact') return draft.block('no_contact');
  if (stops.isFrozen) return draft.block('frozen');
  return true;
}

export function askedBySilence(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (isConfirmed(world, request, now)) return holdOrRelease(draft, request);
  if (!canAsk(draft)) return false;
  if (askWhoIsNot(draft, request) || askForNews(draft, request) || askWhoseBounced(draft, request)) return true;
  if (mustTell(draft, request.ownerNotice)) return draft.happen({ kind: 'asking_told', notice: draft.newNotice() });
  if (minded(draft, request)) return true;
  return releaseBySilence(draft, request) || tellOfDelay(draft, request) || askAgain(draft, request, now);
}

/** True if a notice to the owner must be written, or bounced and must be written again a day later. */
export function mustTell(draft: Draft, id: number | null): boolean {
  if (id === null) return true;
  const notice = noticeOf(draft.world, id);
  if (!hasBounced(notice)) return false;
  const againAtMs = notice.written.atMs + dayMs;
  if (againAtMs > draft.now.atMs) draft.lookAt(againAtMs);
  return againAtMs <= draft.now.atMs;
}

/** Sends a link to every contact who counts and has neither answered nor a link. */
function askWhoIsNot(draft: Draft, request: Request): boolean {
  const ids = unasked(draft.world, request).filter((id) => {
    const fromMs = questionFromMs(draft.world, id);
    if (fromMs > draft.now.atMs) draft.lookAt(fromMs);
    return fromMs <= draft.now.atMs;
  });
  for (const contactId of ids) {
    draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isRepeat: false });
  }
  return ids.length > 0;
}

/** Contacts without a yes that counts and without a question. A question that was withdrawn before it left is none. */
function unasked(world: World, request: Request): string[] {
  const yeses = yesesOf(world, request);
  const hasQuestion = (id: string) => {
    const ask = newestAsk(request, id);
    return ask !== undefined && noticeOf(world, ask.notice).outcomes.email?.kind !== 'withdrawn';
  };
  return world.contacts.map(({ id }) => id).filter((id) => !yeses.includes(id) && !hasQuestion(id));
}

/** A question that came back is written again once, a day after it was written. */
function askWhoseBounced(draft: Draft, request: Request): boolean {
  let hasAsked = false;
  for (const { id: contactId } of draft.world.contacts) {
    const asks = request.asks.filter((ask) => ask.contactId === contactId && !ask.isRevoked);
    const [only] = asks;
    if (asks.length !== 1 || !only || !isUnanswered(request, only)) continue;
    const notice = noticeOf(draft.world, only.notice);
    if (!hasBounced(notice)) continue;
    const againAtMs = questionFromMs(draft.world, contactId);
    if (againAtMs > draft.now.atMs) draft.lookAt(againAtMs);
    else hasAsked = draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isRepeat: false });
  }
  return hasAsked;
}

/**
 * Contacts who have not answered are asked again every thirty days while the silence lasts, also in a wait. The answer
 * time does not restart.
 */
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
    draft.withdrawQuestion(contactId);
    // In a wait the letters leave on the day of the wait, which the owner's notices and the questions name.
    const untilMs = request.phase.name === 'holding' ? null : firstToldMs(draft.world, request, now);
    const day = untilMs === null ? {} : { untilMs };
    draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isRepeat: true, ...day });
  }
  if (due.length > 0) draft.tellOwner('asked');
  return due.length > 0;
}

/**
 * A contact who said again that the owner is alive is asked for news after thirty days. Silence alone waits for the
 * answer as for that to a first question.
 */
function askForNews(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  const due = world.contacts.filter(({ id }) => {
    const answer = aliveAnswer(request, id);
    if (!answer) return false;
    const askAtMs = Math.max(endOf({ from: answer.at, days: askForNewsDays }, now), questionFromMs(world, id));
    if (askAtMs > now.atMs) draft.lookAt(askAtMs);
    return askAtMs <= now.atMs;
  });
  for (const { id: contactId } of due) {
    draft.happen({ kind: 'contact_asked', notice: draft.newNotice(), contactId, isRepeat: false, isForNews: true });
  }
  return due.length > 0;
}

/** With fewer contacts than must confirm, those who are left are enough after thirty days and a notice to the owner. */
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

/**
 * Releases with the method `inactivity` after every contact was asked, the answer time has passed and no “no” stops it.
 */
function releaseBySilence(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (world.owner.method !== 'inactivity') return false;
  if (!isSilenceOver(world, now)) return draft.block('owner_not_told');
  // A contact who may not be asked before tomorrow still gets the question and the whole answer time.
  if (unasked(world, request).length > 0) return false;
  if (world.contacts.some(({ id }) => aliveAnswer(request, id))) return false;
  const began = answersBegan(world, request, now);
  if (!began) {
    draft.lookAt(Math.min(now.atMs + recheckMs, refusalEndsAtMs(world, request, now) ?? Number.POSITIVE_INFINITY));
    return false;
  }
  const openUntilMs = silentEndMs(world, { request, began }, now);
  if (openUntilMs > now.atMs) {
    draft.lookAt(openUntilMs);
    return false;
  }
  if (world.stops.isSilenceStopped) return draft.block('breaker');
  return release(draft);
}

export function askedEarly(draft: Draft, request: Request): boolean {
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

export function paused(draft: Draft, pause: Window): boolean {
  if (!isOver(pause, draft.now)) {
    draft.lookAt(endOf(pause, draft.now));
    return false;
  }
  return canAsk(draft) && draft.happen({ kind: 'asked_anew' });
}

/**
 * Enough contacts have confirmed. It releases immediately if the silence had ended and still has, else the owner's
 * waiting days come first.
 */
function holdOrRelease(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (request.cause === 'silence' && request.isSilenceOver && isSilenceOver(world, now)) return release(draft);
  const days = request.cause === 'silence' ? untoldWaitDaysOf(world, request, now) : waitingDaysOf(world, request, now);
  if (world.stops.isFrozen) return draft.block('frozen');
  const needsNotice = request.cause !== 'silence';
  draft.happen({ kind: 'wait_began', notice: draft.newNotice(), days, needsNotice });
  draft.tellWhoConfirmed();
  return true;
}

export function held(draft: Draft, request: Request): boolean {
  const { world, now } = draft;
  if (request.phase.name !== 'holding') return false;
  if (request.cause !== 'silence' && world.contacts.length < request.terms.needed) {
    return draft.endRequest('too_few_contacts');
  }
  if (!isConfirmed(world, request, now)) {
    draft.happen({ kind: 'wait_left' });
    draft.tellWhoConfirmed();
    return true;
  }
  if (!world.stops.isFrozen) {
    if (askWhoIsNot(draft, request) || askWhoseBounced(draft, request)) return true;
    if (request.cause === 'silence' && askForNews(draft, request)) return true;
    if (request.cause === 'silence' && askAgain(draft, request, now)) return true;
  }
  const { notice: id, days } = request.phase;
  // A notice that bounced stops the wait, and one that every channel refused begins none. It is written again a day
  // later.
  if (request.phase.from === null && wasInVain(noticeOf(world, id))) {
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

/** Writes to the owner daily while letters wait for them, each time with the way to stop. */
function remindOfWait(draft: Draft): boolean {
  const { notices } = draft.world;
  const told = notices.filter(({ topic }) => topic === 'wait' || topic === 'wait_goes_on').at(-1);
  const nextAtMs = (told?.written.atMs ?? draft.now.atMs) + dayMs;
  if (nextAtMs <= draft.now.atMs) return draft.tellOwner('wait_goes_on');
  draft.lookAt(nextAtMs);
  return false;
}

function release(draft: Draft): boolean {
  const { world, now } = draft;
  const { readyLetters, visibleDocuments, stops, ownDays } = world;
  if (stops.isFrozen) return draft.block('frozen');
  if (isUnderReview(world)) return draft.block('early_review');
  if (readyLetters.length === 0 && visibleDocuments === 0) return draft.block('nothing_ready');
  const later = readyLetters.flatMap((id) => {
    const dueAtMs = ownDayAt(ownDays?.get(id) ?? null, now.atMs);
    return dueAtMs === null ? [] : { id, state: 'later' as const, dueAtMs };
  });
  const letters = readyLetters.filter((id) => !later.some((letter) => letter.id === id));
  draft.withdrawUnsent('yes_kept');
  draft.withdrawUnsent('delayed');
  draft.happen({ kind: 'released', letters, later });
  return draft.tellOwner('releasing');
}
