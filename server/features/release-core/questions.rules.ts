import { dayMs } from '#shared/rules/inactivity.ts';
import { yesesOf } from './facts.rules.ts';
import {
  endOf,
  isOver,
  type Mark,
  type Notice,
  type Request,
  refusedQuestionDays,
  type Window,
  type World,
} from './model.rules.ts';
import { acceptedAt, countsFrom, latest, noticeOf } from './notice-facts.rules.ts';

/** Questions to contacts: which the answer time waits for, when it began, and when the next may be sent. */

/**
 * Questions that the answer time waits for: the first to each contact. A withdrawn question of a trustee who had said
 * yes is left out, because the answer exists and the question will never be accepted.
 */
function questionsOf(world: World, request: Request): Notice[] {
  const yeses = yesesOf(world, request);
  const awaited = request.asks.filter(({ isRepeat, isRevoked, contactId }) => {
    return !isRepeat && !isRevoked && world.contacts.some(({ id }) => id === contactId);
  });
  return awaited
    .map(({ notice }) => noticeOf(world, notice))
    .filter(({ to, outcomes }) => outcomes.email?.kind !== 'withdrawn' || !yeses.includes(to));
}

/** Window in which a refused question delays the answer time. It restarts when a stop has ended. */
function refusalWindow({ stops }: World, { written }: Notice): Window {
  const from = latest([written, ...(stops.resumed ? [stops.resumed] : [])]) ?? written;
  return { from, days: refusedQuestionDays };
}

/** Time at which the next refused question no longer delays the answer time. Null if no question is refused. */
export function refusalEndsAtMs(world: World, request: Request, now: Mark): number | null {
  const open = questionsOf(world, request).filter((notice) => !countsFrom(world, notice.id));
  const ends = open.map((notice) => endOf(refusalWindow(world, notice), now));
  const ahead = ends.filter((atMs) => atMs > now.atMs);
  return ahead.length > 0 ? Math.min(...ahead) : null;
}

/** Start of the answer time: the last accepted question, else the owner's notice. Later if it stopped since. */
export function answersBegan(world: World, request: Request, now: Mark): Mark | null {
  const notices = questionsOf(world, request);
  const { isFrozen, isSilenceStopped } = world.stops;
  const isAwaited = notices
    .filter((notice) => !countsFrom(world, notice.id))
    .some((notice) => isFrozen || isSilenceStopped || !isOver(refusalWindow(world, notice), now));
  if (isAwaited) return null;
  const accepted = notices.flatMap((notice) => acceptedAt(notice) ?? []);
  const told = request.ownerNotice === null ? null : countsFrom(world, request.ownerNotice);
  const began = accepted.length > 0 ? latest(accepted) : told;
  const resumed = request.answerTime?.name === 'resumed' ? [request.answerTime.from] : [];
  return began && latest([began, ...(request.silenceAsks ? [request.silenceAsks] : []), ...resumed]);
}

/** Earliest time of the next question to a contact: one a day for each owner. */
export function questionFromMs({ notices }: World, contactId: string): number {
  const last = notices.findLast(
    ({ to, topic, outcomes }) => to === contactId && topic === 'question' && outcomes.email?.kind !== 'withdrawn',
  );
  return last ? last.written.atMs + dayMs : Number.NEGATIVE_INFINITY;
}
