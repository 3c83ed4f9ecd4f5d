import type { Event } from './events.rules.ts';
import { newestAsk } from './facts.rules.ts';
import {
  earlyRequestsWindowMs,
  type Mark,
  type Notice,
  type PastRequest,
  pauseDays,
  type Request,
  type World,
} from './model.rules.ts';
import { channelsOf } from './notice-facts.rules.ts';

/** A world after what happened at `at`. It refuses nothing and decides nothing. */
export function evolve(world: World, events: readonly Event[], at: Mark): World {
  return events.reduce((before, event) => evolved(before, event, at), world);
}

function evolved(world: World, event: Event, at: Mark): World {
  switch (event.kind) {
    case 'owner_told':
      return withNotice(world, { id: event.notice, to: 'owner', topic: event.topic }, at);
    case 'contact_told':
      return withNotice(world, { id: event.notice, to: event.contactId, topic: event.topic }, at);
    case 'first_reminder_written': {
      const told = evolved(world, { kind: 'owner_told', notice: event.notice, topic: 'first_reminder' }, at);
      return { ...told, silence: { terms: event.terms, firstNotice: event.notice, lastNotice: null } };
    }
    case 'last_reminder_written': {
      const told = evolved(world, { kind: 'owner_told', notice: event.notice, topic: 'last_reminder' }, at);
      return { ...told, silence: told.silence && { ...told.silence, lastNotice: event.notice } };
    }
    case 'notice_withdrawn': {
      const open = changeNotice(world, event.notice, (notice) => withdrawnNotice(notice, at));
      const isLast = open.silence?.lastNotice === event.notice;
      return isLast && open.silence ? { ...open, silence: { ...open.silence, lastNotice: null } } : open;
    }
    case 'silence_ended':
      return { ...world, silence: null };
    case 'request_opened': {
      const { cause, terms, isSilenceOver, askedBy } = event;
      const nothing = { asks: [], answers: [], ownerNotice: null, shrunk: null };
      const phase = { name: 'asking', began: at } as const;
      const silenceAsks = cause === 'silence' ? at : null;
      return {
        ...world,
        request: { cause, terms, opened: at, isSilenceOver, askedBy, silenceAsks, ...nothing, phase },
      };
    }
    case 'request_taken_over': {
      const { terms, keepsWait } = event;
      return changeRequest(world, (request) => ({
        ...request,
        cause: 'silence',
        terms,
        isSilenceOver: true,
        silenceAsks: at,
        ownerNotice: null,
        phase: keepsWait ? request.phase : { name: 'asking', began: at },
      }));
    }
    case 'contact_asked': {
      const { notice: id, contactId, isAgain } = event;
      const told = withNotice(world, { id, to: contactId, topic: 'question' }, at);
      return changeRequest(told, (request) => ({
        ...request,
        asks: [...request.asks, { contactId, notice: id, isAgain, isDead: false }],
      }));
    }
    case 'asking_told':
      return changeRequest(evolved(world, { ...event, kind: 'owner_told', topic: 'asked' }, at), (request) => ({
        ...request,
        ownerNotice: event.notice,
      }));
    case 'answer_given':
      return changeRequest(world, (request) => {
        const notice = newestAsk(request, event.contactId)?.notice ?? 0;
        const answer = { contactId: event.contactId, says: event.says, at, notice, isVoid: false };
        return { ...request, answers: [...request.answers, answer] };
      });
    case 'answer_voided':
      return changeRequest(world, (request) => ({
        ...request,
        answers: request.answers.map((answer) =>
          answer.contactId === event.contactId && answer.says === 'yes' ? { ...answer, isVoid: true } : answer,
        ),
        // Where nobody is left to ask, the owner is told so, and their time begins with that.
        ownerNotice: event.isGone && world.contacts.length === 0 ? null : request.ownerNotice,
        // Whoever comes back is asked anew, and their old link is dead.
        asks: request.asks.map((ask) =>
          event.isGone && ask.contactId === event.contactId ? { ...ask, isDead: true } : ask,
        ),
      }));
    case 'paused':
      return changeRequest(world, (request) => ({
        ...request,
        phase: { name: 'paused', by: event.by, pause: { from: at, days: pauseDays } },
      }));
    case 'asked_anew':
      return changeRequest(world, (request) => ({
        ...request,
        asks: request.asks.map((ask) => ({ ...ask, isDead: true })),
        answers: request.answers.map((answer) => ({ ...answer, isVoid: true })),
        ownerNotice: null,
        shrunk: null,
        phase: { name: 'asking', began: at },
      }));
    case 'contacts_fewer': {
      const { notice } = event;
      const told =
        notice === null ? world : evolved(world, { kind: 'owner_told', notice, topic: 'fewer_contacts' }, at);
      return changeRequest(told, (request) => ({ ...request, shrunk: { since: request.shrunk?.since ?? at, notice } }));
    }
    case 'contacts_enough':
      return changeRequest(world, (request) => ({ ...request, shrunk: null }));
    case 'needed_lowered':
      return changeRequest(world, (request) => ({
        ...request,
        terms: { ...request.terms, needed: event.to },
        shrunk: null,
      }));
    case 'wait_began': {
      const { notice, days } = event;
      const told = evolved(world, { kind: 'owner_told', notice, topic: 'wait' }, at);
      const from = event.needsNotice ? null : at;
      return changeRequest(told, (request) => ({ ...request, phase: { name: 'holding', notice, days, from } }));
    }
    case 'wait_left':
      return changeRequest(world, (request) => ({ ...request, phase: { name: 'asking', began: at } }));
    case 'request_ended':
      return { ...withPast(world, event.past, at), request: null };
    case 'released': {
      if (!world.request) throw new Error('Nothing is released that nobody was asked about.');
      const letters = event.letters.map((id) => ({ id, state: 'waiting' as const }));
      const readyLetters = world.readyLetters.filter((id) => !event.letters.includes(id));
      const release = {
        began: at,
        request: world.request,
        letters,
        restart: null,
        question: null,
        isDone: false,
        heard: [],
      };
      return { ...world, readyLetters, request: null, release };
    }
    case 'release_undone': {
      const { release } = world;
      if (!release) return world;
      const readyLetters = [...world.readyLetters, ...release.letters.map(({ id }) => id)];
      const request: Request = { ...release.request, phase: { name: 'asking', began: at } };
      return { ...world, readyLetters, request, release: null };
    }
    case 'letter_ended':
      return changeRelease(world, (release) => ({
        ...release,
        letters: release.letters.map((letter) =>
          letter.id === event.letterId ? { ...letter, state: event.outcome } : letter,
        ),
      }));
    case 'release_done':
      return changeRelease(world, (release) => ({ ...release, isDone: true }));
    case 'letters_held': {
      const told = evolved(world, { kind: 'owner_told', notice: event.notice, topic: 'letters_wait' }, at);
      return changeRelease(told, (release) => ({ ...release, restart: event.notice }));
    }
    case 'letters_let_go':
      return changeRelease(world, (release) => ({ ...release, restart: null }));
    case 'question_opened':
      return changeRelease(world, (release) => ({ ...release, question: at }));
    case 'question_ended':
      return changeRelease(world, (release) => ({ ...release, question: null }));
    case 'release_closed':
      return { ...withPast(world, event.past, at), release: null };
    case 'notice_ended':
      return changeNotice(world, event.notice, (notice) =>
        notice.channels.includes(event.channel)
          ? { ...notice, outcomes: { ...notice.outcomes, [event.channel]: { kind: event.outcome, at } } }
          : notice,
      );
    case 'notice_bounced':
      return changeNotice(world, event.notice, (notice) => {
        const before = notice.outcomes[event.channel];
        if (before?.kind !== 'accepted') return notice;
        return { ...notice, outcomes: { ...notice.outcomes, [event.channel]: { ...before, isBounced: true } } };
      });
    case 'windows_began_anew':
      return begunAnew(world, at);
  }
}

function withNotice(world: World, told: Pick<Notice, 'id' | 'to' | 'topic'>, written: Mark): World {
  const notice = { ...told, channels: channelsOf(world.owner, told), written, outcomes: {} };
  return { ...world, notices: [...world.notices, notice], nextNotice: Math.max(world.nextNotice, notice.id + 1) };
}

function changeNotice(world: World, id: number, change: (notice: Notice) => Notice): World {
  return { ...world, notices: world.notices.map((notice) => (notice.id === id ? change(notice) : notice)) };
}

function changeRequest(world: World, change: (request: Request) => Request): World {
  return world.request ? { ...world, request: change(world.request) } : world;
}

function changeRelease(world: World, change: (release: NonNullable<World['release']>) => World['release']): World {
  return world.release ? { ...world, release: change(world.release) } : world;
}

function withPast(world: World, past: PastRequest | null, at: Mark): World {
  const recent = world.past.filter(
    ({ opened, stopped }) => at.atMs - opened.atMs < earlyRequestsWindowMs || stopped !== null,
  );
  return { ...world, past: past ? [...recent, past] : recent };
}

function withdrawnNotice(notice: Notice, at: Mark): Notice {
  const unsent = notice.channels.filter((channel) => !notice.outcomes[channel]);
  const withdrawn = Object.fromEntries(unsent.map((channel) => [channel, { kind: 'withdrawn', at } as const]));
  return { ...notice, outcomes: { ...notice.outcomes, ...withdrawn } };
}

/** Everything that runs begins at this moment: nobody's time is counted over a backup, or a clock that was wrong. */
function begunAnew(world: World, at: Mark): World {
  const notices = world.notices.map((notice) => ({
    ...notice,
    outcomes: Object.fromEntries(
      Object.entries(notice.outcomes).map(([channel, outcome]) => [channel, { ...outcome, at }]),
    ),
  }));
  const anew = changeRequest({ ...world, notices }, (request) => ({
    ...request,
    shrunk: request.shrunk && { ...request.shrunk, since: at },
    answers: request.answers.map((answer) => ({ ...answer, at })),
    phase:
      request.phase.name === 'paused'
        ? { ...request.phase, pause: { ...request.phase.pause, from: at } }
        : request.phase,
  }));
  return changeRelease(anew, (release) => ({ ...release, question: release.question && at }));
}
