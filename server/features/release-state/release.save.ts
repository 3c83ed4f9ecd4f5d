import { randomUUID } from 'node:crypto';
import type { Event } from '#server/features/release-core/events.rules.ts';
import type { Answer, Ask, Mark, World } from '#server/features/release-core/model.rules.ts';
import { isForgotten } from '#server/features/release-core/notice-facts.rules.ts';
import {
  type AnswerRow,
  type AskRow,
  answerColumns,
  noticeColumns,
  type RequestRow,
  releaseColumns,
  requestColumns,
  silenceColumns,
} from './release.rows.ts';
import type { LoadedWorld } from './release.store.ts';
import type { Writes } from './release.writes.ts';

/** Values of a decision that the core does not know. */
export type Additions = {
  /** HMAC of the token in the link of each question that was written. */
  tokenHashes: ReadonlyMap<number, string>;
  /** A contact's own words about their answer, sealed, and the id of its row, to which they are bound. */
  answer?: { id: string; reason: string | null };
  bySilence?: boolean;
  isExpected?: boolean;
  countedOnDay?: string;
  /** Number of the release that begins. */
  releaseNumber?: number;
  /** HMAC of the token by which the owner can remove the contact whose request they stopped. */
  removalTokenHash?: string;
};

/**
 * Writes the differences between two worlds, and returns the loaded world afterwards. The stored state is the core's
 * result.
 */
export function saveDifference(
  writes: Writes,
  before: LoadedWorld,
  decided: { events: readonly Event[]; world: World; mark: Mark },
  additions: Additions,
): LoadedWorld {
  const { events, world, mark } = decided;
  const at = new Date(mark.atMs);
  if (world.restart !== before.world.restart) writes.restart(before.owner.id, world.restart);
  const silence = savedSilence(writes, before, decided, additions);
  const request = savedRequest(writes, before, decided, additions);
  const open = world.request ?? world.release?.request ?? null;
  const asks = request && open ? savedAsks(writes, before, { request, asks: open.asks, at, additions }) : [];
  const answers = request && open ? savedAnswers(writes, before, { request, answers: open.answers, additions }) : [];

  const kept = world.notices.filter((notice) => {
    const known = before.world.notices.find(({ id }) => id === notice.id);
    const forgotten = isForgotten(world, notice, mark);
    if (known !== notice || (forgotten && events.length > 0)) {
      writes.notice({ userId: before.owner.id, ...noticeColumns(notice), closedAt: forgotten ? at : null });
    }
    return !forgotten;
  });
  return { ...before, world: { ...world, notices: kept }, rows: { silence, request, asks, answers } };
}

type Decided = { events: readonly Event[]; world: World; mark: Mark };

function savedSilence(writes: Writes, before: LoadedWorld, { events, world, mark }: Decided, additions: Additions) {
  const row = before.rows.silence;
  const hasEnded = events.some(({ kind }) => kind === 'silence_ended');
  if (row && hasEnded) writes.silence({ ...row, closedAt: new Date(mark.atMs) });
  if (!world.silence) return null;
  const { isExpected, countedOnDay } = additions;
  const marks = { ...(isExpected === undefined ? {} : { isExpected }), ...(countedOnDay ? { countedOnDay } : {}) };
  if (row && !hasEnded) {
    if (before.world.silence === world.silence && Object.keys(marks).length === 0) return row;
    return writes.silence({ ...row, ...silenceColumns(world.silence), ...marks });
  }
  const { id: userId } = before.owner;
  const opened = { id: randomUUID(), userId, openedAt: new Date(mark.atMs), closedAt: null };
  return writes.silence({
    ...opened,
    isExpected: false,
    countedOnDay: null,
    ...silenceColumns(world.silence),
    ...marks,
  });
}

function savedRequest(
  writes: Writes,
  before: LoadedWorld,
  { events, world, mark }: Decided,
  { bySilence, releaseNumber, removalTokenHash }: Additions,
): RequestRow | null {
  const row = before.rows.request;
  const at = new Date(mark.atMs);
  const end = events.find((event) => event.kind === 'request_ended' || event.kind === 'release_closed');
  if (row && end)
    writes.request({ ...row, closedAt: at, ...endColumns(end), removalTokenHash: removalTokenHash ?? null });
  const request = world.request ?? world.release?.request;
  if (!request) return null;

  const isSame = row !== null && !end;
  const doneAt = (isSame ? row.doneAt : null) ?? at;
  const silently = bySilence === undefined ? {} : { bySilence };
  const numbered = releaseNumber === undefined ? {} : { releaseNumber };
  const columns = { ...requestColumns(request), ...releaseColumns(world.release, doneAt), ...silently, ...numbered };
  if (isSame) {
    const isUnchanged =
      before.world.request === world.request && before.world.release === world.release && bySilence === undefined;
    return isUnchanged ? row : writes.request({ ...row, ...columns });
  }
  const open = {
    closedAt: null,
    outcome: null,
    stoppedAt: null,
    stoppedHealthyMs: null,
    removalTokenHash: null,
    bySilence: false,
    earlyReview: null,
    releaseNumber: 0,
  };
  return writes.request({ id: randomUUID(), userId: before.owner.id, ...open, ...columns });
}

function endColumns(end: Extract<Event, { kind: 'request_ended' | 'release_closed' }>) {
  const stopped = end.past?.stopped ?? null;
  return {
    outcome: end.kind === 'request_ended' ? end.why : outcomeOf(end),
    stoppedAt: stopped && new Date(stopped.atMs),
    stoppedHealthyMs: stopped && Math.round(stopped.healthyMs),
  };
}

function outcomeOf({ takesBack }: { takesBack: boolean }): 'taken_back' | 'left_as_it_is' {
  return takesBack ? 'taken_back' : 'left_as_it_is';
}

function savedAsks(
  writes: Writes,
  { owner, rows }: LoadedWorld,
  saved: { request: RequestRow; asks: readonly Ask[]; at: Date; additions: Additions },
): AskRow[] {
  const { request, asks, at, additions } = saved;
  return asks.map((ask) => {
    const row = rows.asks.find(({ notice, requestId }) => notice === ask.notice && requestId === request.id);
    if (row) return row.isRevoked === ask.isRevoked ? row : writes.ask({ ...row, isRevoked: ask.isRevoked });
    const tokenHash = additions.tokenHashes.get(ask.notice);
    if (!tokenHash) throw new Error('A question was written without a link.');
    return writes.ask({ userId: owner.id, requestId: request.id, ...ask, tokenHash, createdAt: at });
  });
}

function savedAnswers(
  writes: Writes,
  { rows }: LoadedWorld,
  saved: { request: RequestRow; answers: readonly Answer[]; additions: Additions },
): AnswerRow[] {
  const { request, answers, additions } = saved;
  const known = rows.answers.filter(({ requestId }) => requestId === request.id);
  return answers.map((answer, number) => {
    const row = known.find((each) => each.number === number);
    if (row) return isSameAnswer(row, answer) ? row : writes.answer({ ...row, ...answerColumns(answer) });
    const { id = randomUUID(), reason = null } = additions.answer ?? {};
    return writes.answer({ id, requestId: request.id, number, ...answerColumns(answer), reason, hold: null });
  });
}

function isSameAnswer(row: AnswerRow, { at, isVoid }: Answer): boolean {
  return row.isVoid === isVoid && row.at.getTime() === at.atMs && row.healthyMs === Math.round(at.healthyMs);
}
