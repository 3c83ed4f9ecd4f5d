import { type Event, type Told, toldBy } from './events.rules.ts';
import { newestAsk, trusteeNotice, waitsForReminders } from './facts.rules.ts';
import {
  type Ask,
  type Channel,
  earlyRequestsWindowMs,
  type Mark,
  type Notice,
  type PastRequest,
  pauseDays,
  type Release,
  type Request,
  type World,
} from './model.rules.ts';
import { channelsOf, noticeOf } from './notice-facts.rules.ts';
import { waitingLettersOf } from './own-days.rules.ts';

/** World after these events at `at`. It refuses nothing and decides nothing. */
export function evolve(world: World, events: readonly Event[], at: Mark): World {
  return events.reduce((before, event) => evolved(before, event, at), world);
}

function evolved(before: World, event: Event, at: Mark): World {
  const told = toldBy(event);
  const world = worldAfter(told ? withNotice(before, told, at) : before, event, at);
  const request = world.request && requestAfter(world.request, event, at, world);
  const release = world.release && releaseAfter(world.release, event, at);
  return { ...world, request, release };
}

/** Silences, mails, and the beginning and end of requests and releases. */
function worldAfter(world: World, event: Event, at: Mark): World {
  const { silence, request, release } = world;
  switch (event.kind) {
    case 'first_reminder_written':
      return { ...world, silence: { terms: event.terms, firstNotice: event.notice, lastNotice: null } };
    case 'last_reminder_written':
      return { ...world, silence: silence && { ...silence, lastNotice: event.notice } };
    case 'notice_withdrawn': {
      const isLast = silence?.lastNotice === event.notice;
      const open = isLast && silence ? { ...world, silence: { ...silence, lastNotice: null } } : world;
      return changeNotice(open, event.notice, (notice) => withdrawnNotice(notice, at));
    }
    case 'notice_ended':
      return changeNotice(world, event.notice, (notice) => endedNotice(notice, event, at));
    case 'notice_bounced':
      return changeNotice(world, event.notice, (notice) => bouncedNotice(notice, event.channel));
    case 'silence_ended':
      return { ...world, silence: null };
    case 'request_opened':
      return { ...world, request: openedRequest(event, at) };
    case 'request_ended':
      return { ...withPast(world, event.past, at), request: null };
    case 'released': {
      if (!request) throw new Error('Nothing is released without a request.');
      const gone = new Set([...event.letters, ...event.later.map(({ id }) => id)]);
      const readyLetters = world.readyLetters.filter((id) => !gone.has(id));
      return { ...world, readyLetters, request: null, release: begunRelease(request, event, at) };
    }
    case 'release_undone': {
      if (!release) return world;
      const readyLetters = [...world.readyLetters, ...release.letters.map(({ id }) => id)];
      const again: Request = { ...release.request, phase: { name: 'asking', began: at } };
      return { ...withoutRelease(world, world.waitingLetters), readyLetters, request: again };
    }
    case 'release_closed': {
      const left = event.takesBack ? [] : waitingLettersOf(release);
      return withoutRelease(withPast(world, event.past, at), [...world.waitingLetters, ...left]);
    }
    case 'letters_due':
      return { ...world, waitingLetters: world.waitingLetters.filter(({ id }) => !event.letters.includes(id)) };
    case 'letters_held':
      return { ...world, restart: event.notice };
    case 'letters_let_go':
      return { ...world, restart: null };
    case 'windows_began_anew':
      return { ...world, notices: world.notices.map((notice) => noticeAnew(notice, at)) };
    default:
      return world;
  }
}

/** If no letter waits any more, the restart stops nothing. */
function withoutRelease(world: World, waitingLetters: World['waitingLetters']): World {
  const restart = waitingLetters.length > 0 ? world.restart : null;
  return { ...world, release: null, waitingLetters, restart };
}

function withPast(world: World, past: PastRequest | null, at: Mark): World {
  const recent = world.past.filter(
    ({ opened, stopped }) => at.atMs - opened.atMs < earlyRequestsWindowMs || stopped !== null,
  );
  return { ...world, past: past ? [...recent, past] : recent };
}

function openedRequest(event: Extract<Event, { kind: 'request_opened' }>, at: Mark): Request {
  const { cause, terms, isSilenceOver, askedBy } = event;
  const nothing = { asks: [], answers: [], ownerNotice: null, shrunk: null };
  const silenceAsks = cause === 'silence' ? at : null;
  return {
    cause,
    terms,
    opened: at,
    isSilenceOver,
    askedBy,
    silenceAsks,
    answerTime: null,
    toldUntilMs: null,
    ...nothing,
    phase: { name: 'asking', began: at },
  };
}

function begunRelease(request: Request, event: Extract<Event, { kind: 'released' }>, at: Mark): Release {
  const letters = [...event.letters.map((id) => ({ id, state: 'waiting' as const })), ...event.later];
  return { began: at, request, letters, question: null, isDone: false, heard: [] };
}

/** Applies an event to a request that stays open. */
function requestAfter(request: Request, event: Event, at: Mark, world: World): Request {
  switch (event.kind) {
    case 'request_taken_over': {
      const phase = phaseTakenOver(request.phase, event, at);
      const bySilence = { cause: 'silence', isSilenceOver: true, silenceAsks: at, ownerNotice: null } as const;
      return { ...request, ...bySilence, terms: event.terms, phase };
    }
    case 'contact_asked':
      return requestAsked(request, event, world);
    case 'asking_told':
      return { ...request, ownerNotice: event.notice };
    case 'answer_time_stopped':
      return { ...request, answerTime: { name: 'stopped', at, usedMs: event.usedMs } };
    case 'answer_time_resumed':
      return { ...request, answerTime: { name: 'resumed', from: earlier(at, event.usedMs) } };
    case 'delivery_delayed':
      return { ...request, toldUntilMs: event.untilMs };
    case 'answer_given': {
      const { contactId, says } = event;
      const notice = newestAsk(request, contactId)?.notice ?? trusteeNotice;
      return { ...request, answers: [...request.answers, { contactId, says, at, notice, isVoid: false }] };
    }
    case 'answer_voided':
      return {
        ...request,
        answers: request.answers.map((answer) =>
          answer.contactId === event.contactId && answer.says === 'yes' ? { ...answer, isVoid: true } : answer,
        ),
        // If no contact is left to ask, the owner is notified, and the answer time begins with that notice.
        ownerNotice: event.isGone && world.contacts.length === 0 ? null : request.ownerNotice,
        // A contact who comes back is asked again, and their old link is dead.
        asks: request.asks.map((ask) =>
          event.isGone && ask.contactId === event.contactId ? { ...ask, isRevoked: true } : ask,
        ),
      };
    case 'paused':
      return { ...request, phase: { name: 'paused', by: event.by, pause: { from: at, days: pauseDays } } };
    case 'asked_anew':
      return {
        ...request,
        asks: request.asks.map((ask) => ({ ...ask, isRevoked: true })),
        answers: request.answers.map((answer) => ({ ...answer, isVoid: true })),
        ownerNotice: null,
        shrunk: null,
        answerTime: answerTimeAnew(request, at),
        toldUntilMs: null,
        phase: { name: 'asking', began: at },
      };
    case 'contacts_fewer':
      return { ...request, shrunk: { since: request.shrunk?.since ?? at, notice: event.notice } };
    case 'contacts_enough':
      return { ...request, shrunk: null };
    case 'needed_lowered':
      return { ...request, terms: { ...request.terms, needed: event.to }, shrunk: null };
    case 'wait_began': {
      const { notice, days, needsNotice } = event;
      return { ...request, phase: { name: 'holding', notice, days, from: needsNotice ? null : at } };
    }
    case 'wait_left':
      return { ...request, phase: { name: 'asking', began: at } };
    case 'windows_began_anew':
      return requestAnew(request, at);
    default:
      return request;
  }
}

function requestAsked(
  request: Request,
  { contactId, notice, isRepeat, untilMs, isForNews }: Extract<Event, { kind: 'contact_asked' }>,
  world: World,
): Request {
  const isReplaced = (ask: Ask) => isForNews === true && ask.contactId === contactId;
  const earlier = request.asks.map((ask) => (isReplaced(ask) ? { ...ask, isRevoked: true } : ask));
  const asks = [...earlier, { contactId, notice, isRepeat, isRevoked: false }];
  // Its answer time restarts, so the announced day no longer holds, unless the question names none.
  const keepsDay = isRepeat || noticeOf(world, notice).isDayless;
  return { ...request, asks, toldUntilMs: keepsDay ? (untilMs ?? request.toldUntilMs) : null };
}

function earlier({ atMs, healthyMs }: Mark, ms: number): Mark {
  return { atMs: atMs - ms, healthyMs: healthyMs - ms };
}

/** Restarts the answer time. Its stop continues. */
function answerTimeAnew({ answerTime }: Request, at: Mark): Request['answerTime'] {
  return answerTime?.name === 'stopped' ? { name: 'stopped', at, usedMs: 0 } : null;
}

function phaseTakenOver(
  phase: Request['phase'],
  { keepsWait, toldFrom }: Extract<Event, { kind: 'request_taken_over' }>,
  at: Mark,
): Request['phase'] {
  if (keepsWait) return phase;
  return toldFrom && phase.name === 'holding' ? { ...phase, from: toldFrom } : { name: 'asking', began: at };
}

function releaseAfter(release: Release, event: Event, at: Mark): Release {
  switch (event.kind) {
    case 'letter_ended': {
      const { letterId, outcome } = event;
      const letters = release.letters.map((letter) =>
        letter.id === letterId ? { id: letterId, state: outcome } : letter,
      );
      return { ...release, letters };
    }
    case 'letters_due': {
      const letters = release.letters.map((letter) =>
        event.letters.includes(letter.id) ? { id: letter.id, state: 'waiting' as const } : letter,
      );
      return { ...release, letters };
    }
    case 'release_done':
      return { ...release, isDone: true };
    case 'question_opened':
      return { ...release, question: at };
    case 'question_ended':
      return { ...release, question: null };
    case 'windows_began_anew':
      return { ...release, question: release.question && at };
    default:
      return release;
  }
}

function withNotice(world: World, { notice: id, to, topic }: Told, written: Mark): World {
  const channels = channelsOf(world.owner, { to, topic });
  const namesDay = topic === 'question' || topic === 'asked';
  const dayless = namesDay && waitsForReminders(world) ? { isDayless: true as const } : {};
  const notice = { id, to, topic, channels, written, outcomes: {}, ...dayless };
  return { ...world, notices: [...world.notices, notice], nextNotice: Math.max(world.nextNotice, id + 1) };
}

function changeNotice(world: World, id: number, change: (notice: Notice) => Notice): World {
  return { ...world, notices: world.notices.map((notice) => (notice.id === id ? change(notice) : notice)) };
}

function withdrawnNotice(notice: Notice, at: Mark): Notice {
  const unsent = notice.channels.filter((channel) => !notice.outcomes[channel]);
  const withdrawn = Object.fromEntries(unsent.map((channel) => [channel, { kind: 'withdrawn', at } as const]));
  return { ...notice, outcomes: { ...notice.outcomes, ...withdrawn } };
}

function endedNotice(notice: Notice, { channel, outcome }: Extract<Event, { kind: 'notice_ended' }>, at: Mark): Notice {
  if (!notice.channels.includes(channel)) return notice;
  return { ...notice, outcomes: { ...notice.outcomes, [channel]: { kind: outcome, at } } };
}

function bouncedNotice(notice: Notice, channel: Channel): Notice {
  const before = notice.outcomes[channel];
  if (before?.kind !== 'accepted') return notice;
  return { ...notice, outcomes: { ...notice.outcomes, [channel]: { ...before, isBounced: true } } };
}

/* Every running window begins at this moment: time over a backup or a wrong clock counts for no one. */

function noticeAnew(notice: Notice, at: Mark): Notice {
  const outcomes = Object.entries(notice.outcomes).map(([channel, outcome]) => [channel, { ...outcome, at }]);
  return { ...notice, outcomes: Object.fromEntries(outcomes) };
}

function requestAnew(request: Request, at: Mark): Request {
  const { shrunk, answers, phase } = request;
  return {
    ...request,
    shrunk: shrunk && { ...shrunk, since: at },
    answerTime: answerTimeAnew(request, at),
    toldUntilMs: null,
    answers: answers.map((answer) => ({ ...answer, at })),
    phase: phase.name === 'paused' ? { ...phase, pause: { ...phase.pause, from: at } } : phase,
  };
}
