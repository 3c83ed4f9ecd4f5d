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
 * The questions that the answer time waits for: of contacts, not sent again. One that was withdrawn since its contact had
 * said yes as a trustee will never be accepted, and nobody's answer is missing.
 */
function questionsOf(world: World, request: Request): Notice[] {
  const yeses = yesesOf(world, request);
  const awaited = request.asks.filter(({ isAgain, isDead, contactId }) => {
    return !isAgain && !isDead && world.contacts.some(({ id }) => id === contactId);
  });
  return awaited
    .map(({ notice }) => noticeOf(world, notice))
    .filter(({ to, outcomes }) => outcomes.email?.kind !== 'withdrawn' || !yeses.includes(to));
}

/** How long a question may be refused before it holds up nothing. What was held by a stop was refused by nobody. */
function refusalWindow({ stops }: World, { written }: Notice): Window {
  const from = latest([written, ...(stops.resumed ? [stops.resumed] : [])]) ?? written;
  return { from, days: refusedQuestionDays };
}

/** When the next question that is still refused stops holding up the others; null where none is. */
export function refusalEndsAtMs(world: World, request: Request, now: Mark): number | null {
  const open = questionsOf(world, request).filter((notice) => !countsFrom(world, notice.id));
  const ends = open.map((notice) => endOf(refusalWindow(world, notice), now));
  const ahead = ends.filter((atMs) => atMs > now.atMs);
  return ahead.length > 0 ? Math.min(...ahead) : null;
}

/** When the answer time began: at the last accepted question, else at the owner's notice; later if it stood still since. */
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

/** From when somebody can be asked, again or for the first time: at most one question a person, owner and day. */
export function questionFromMs({ notices }: World, contactId: string): number {
  const last = notices.findLast(
    ({ to, topic, outcomes }) => to === contactId && topic === 'question' && outcomes.email?.kind !== 'withdrawn',
  );
  return last ? last.written.atMs + dayMs : Number.NEGATIVE_INFINITY;
}
