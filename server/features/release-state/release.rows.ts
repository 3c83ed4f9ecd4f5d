import type {
  Answer,
  Ask,
  Channel,
  Mark,
  Notice,
  Outcome,
  PastRequest,
  Release,
  Request,
  Silence,
  Terms,
} from '#server/features/release-core/model.rules.ts';
import type {
  releaseAnswers,
  releaseAsks,
  releaseNotices,
  releaseRequests,
  releaseSilences,
} from '#server/schema/release.tables.ts';

export type SilenceRow = typeof releaseSilences.$inferSelect;
export type RequestRow = typeof releaseRequests.$inferSelect;
export type NoticeRow = typeof releaseNotices.$inferSelect;
export type AskRow = typeof releaseAsks.$inferSelect;
export type AnswerRow = typeof releaseAnswers.$inferSelect;

/** Turns rows into the parts of a world, and back. What the core does not know stays with the row. */

export function silenceOf(row: SilenceRow): Silence {
  return { terms: termsOf(row), firstNotice: row.firstNotice, lastNotice: row.lastNotice };
}

export function silenceColumns({ terms, firstNotice, lastNotice }: Silence) {
  return { ...terms, firstNotice, lastNotice } satisfies Partial<SilenceRow>;
}

export function requestOf(row: RequestRow, asks: readonly AskRow[], answers: readonly AnswerRow[]): Request {
  const shrunk = markOf(row.shrunkAt, row.shrunkHealthyMs);
  return {
    cause: row.cause,
    terms: termsOf(row),
    opened: mark(row.openedAt, row.openedHealthyMs),
    isSilenceOver: row.isSilenceOver,
    askedBy: row.askedBy,
    silenceAsks: markOf(row.silenceAsksAt, row.silenceAsksHealthyMs),
    answerTime: answerTimeOf(row),
    toldUntilMs: row.toldUntil?.getTime() ?? null,
    asks: asks.map(askOf),
    answers: answers.map(answerOf),
    ownerNotice: row.ownerNotice,
    shrunk: shrunk && { since: shrunk, notice: row.shrunkNotice },
    phase: phaseOf(row),
  };
}

function answerTimeOf({ answerTimeAt, answerTimeHealthyMs, answerTimeUsedMs }: RequestRow): Request['answerTime'] {
  const at = markOf(answerTimeAt, answerTimeHealthyMs);
  if (!at) return null;
  return answerTimeUsedMs === null ? { name: 'resumed', from: at } : { name: 'stopped', at, usedMs: answerTimeUsedMs };
}

function answerTimeColumns(time: Request['answerTime']) {
  const at = time && (time.name === 'stopped' ? time.at : time.from);
  return {
    answerTimeAt: dateOf(at?.atMs),
    answerTimeHealthyMs: wholeMs(at),
    answerTimeUsedMs: time?.name === 'stopped' ? time.usedMs : null,
  };
}

function phaseOf({ phase, phaseAt, phaseHealthyMs, phaseDays, pausedBy, waitNotice }: RequestRow): Request['phase'] {
  const from = markOf(phaseAt, phaseHealthyMs);
  const days = phaseDays ?? 0;
  if (phase === 'holding') return { name: 'holding', notice: waitNotice ?? 0, days, from };
  if (!from) throw new Error(`A request that is ${phase} has been so since some time.`);
  return phase === 'asking'
    ? { name: 'asking', began: from }
    : { name: 'paused', by: pausedBy ?? '', pause: { from, days } };
}

export function requestColumns(request: Request) {
  const { cause, terms, opened, isSilenceOver, askedBy, silenceAsks, ownerNotice, shrunk } = request;
  return {
    cause,
    ...terms,
    openedAt: dateOf(opened.atMs),
    openedHealthyMs: wholeMs(opened),
    isSilenceOver,
    askedBy,
    silenceAsksAt: dateOf(silenceAsks?.atMs),
    silenceAsksHealthyMs: wholeMs(silenceAsks),
    ...answerTimeColumns(request.answerTime),
    toldUntil: dateOf(request.toldUntilMs),
    ownerNotice,
    shrunkAt: dateOf(shrunk?.since.atMs),
    shrunkHealthyMs: wholeMs(shrunk?.since ?? null),
    shrunkNotice: shrunk?.notice ?? null,
    ...phaseColumns(request.phase),
  } satisfies Partial<RequestRow>;
}

function phaseColumns(phase: Request['phase']) {
  const of = (since: Mark | null) => ({ phaseAt: dateOf(since?.atMs), phaseHealthyMs: wholeMs(since) });
  const nothing = { phase: phase.name, phaseDays: null, pausedBy: null, waitNotice: null };
  switch (phase.name) {
    case 'asking':
      return { ...nothing, ...of(phase.began) };
    case 'paused':
      return { ...nothing, ...of(phase.pause.from), phaseDays: phase.pause.days, pausedBy: phase.by || null };
    case 'holding':
      return { ...nothing, ...of(phase.from), phaseDays: phase.days, waitNotice: phase.notice };
  }
}

type Letters = Pick<Release, 'letters' | 'heard'>;

/** The release that a request has led to; null while it has led to none. */
export function releaseOf(row: RequestRow, request: Request, { letters, heard }: Letters): Release | null {
  const began = markOf(row.releasedAt, row.releasedHealthyMs);
  if (!began) return null;
  const question = markOf(row.questionAt, row.questionHealthyMs);
  const isDone = row.doneAt !== null;
  return { began, request, letters, question, isDone, heard };
}

/** Keeps an earlier `doneAt`. */
export function releaseColumns(release: Release | null, doneAt: Date | null) {
  return {
    releasedAt: dateOf(release?.began.atMs),
    releasedHealthyMs: wholeMs(release?.began ?? null),
    questionAt: dateOf(release?.question?.atMs),
    questionHealthyMs: wholeMs(release?.question ?? null),
    doneAt: release?.isDone ? doneAt : null,
  } satisfies Partial<RequestRow>;
}

function askOf({ contactId, notice, isRepeat, isRevoked }: AskRow): Ask {
  return { contactId, notice, isRepeat, isRevoked };
}

function answerOf({ contactId, says, at, healthyMs, notice, isVoid }: AnswerRow): Answer {
  return { contactId, says, at: mark(at, healthyMs), notice, isVoid };
}

export function answerColumns({ contactId, says, at, notice, isVoid }: Answer) {
  const when = { at: dateOf(at.atMs), healthyMs: wholeMs(at) };
  return { contactId, says, ...when, notice, isVoid } satisfies Partial<AnswerRow>;
}

export function noticeOf(row: NoticeRow): Notice {
  const { emailOutcome, emailAt, emailHealthyMs, textOutcome, textAt, textHealthyMs } = row;
  const email = outcomeOf(emailOutcome, markOf(emailAt, emailHealthyMs), row.hasEmailBounced);
  const text = outcomeOf(textOutcome, markOf(textAt, textHealthyMs), false);
  const channels: Channel[] = row.isTexted ? ['email', 'text'] : ['email'];
  return {
    id: row.number,
    to: row.contactId ?? 'owner',
    topic: row.topic as Notice['topic'],
    channels,
    written: mark(row.writtenAt, row.writtenHealthyMs),
    outcomes: { ...(email ? { email } : {}), ...(text ? { text } : {}) },
    ...(row.isDayless ? { isDayless: true } : {}),
  };
}

function outcomeOf(kind: Outcome['kind'] | null, at: Mark | null, hasBounced: boolean): Outcome | null {
  return kind && at && { kind, at, ...(hasBounced ? { isBounced: true } : {}) };
}

export function noticeColumns({ id, to, topic, channels, written, outcomes, isDayless }: Notice) {
  const { email, text } = outcomes;
  return {
    number: id,
    contactId: to === 'owner' ? null : to,
    topic,
    isTexted: channels.includes('text'),
    isDayless: isDayless ?? false,
    writtenAt: dateOf(written.atMs),
    writtenHealthyMs: wholeMs(written),
    emailOutcome: email?.kind ?? null,
    emailAt: dateOf(email?.at.atMs),
    emailHealthyMs: wholeMs(email?.at ?? null),
    hasEmailBounced: email?.isBounced ?? false,
    textOutcome: text?.kind ?? null,
    textAt: dateOf(text?.at.atMs),
    textHealthyMs: wholeMs(text?.at ?? null),
  } satisfies Partial<NoticeRow>;
}

/** Ended early request, with the fields that limit the next one. */
export function pastRequestOf(row: RequestRow): PastRequest {
  return {
    contactId: row.askedBy ?? '',
    opened: mark(row.openedAt, row.openedHealthyMs),
    wasForeign: row.outcome === 'did_not_ask',
    stopped: markOf(row.stoppedAt, row.stoppedHealthyMs),
  };
}

function termsOf({ inactivityDays, needed, answerDays, waitingDays }: SilenceRow | RequestRow): Terms {
  return { inactivityDays, needed, answerDays, waitingDays };
}

function mark(at: Date, healthyMs: number): Mark {
  return { atMs: at.getTime(), healthyMs };
}

function markOf(at: Date | null, healthyMs: number | null): Mark | null {
  return at && healthyMs !== null ? mark(at, healthyMs) : null;
}

/** Healthy time in the form of rows: whole milliseconds. */
function wholeMs(at: Mark): number;
function wholeMs(at: Mark | null): number | null;
function wholeMs(at: Mark | null): number | null {
  return at && Math.round(at.healthyMs);
}

/** Time in the form of answers and rows, from milliseconds. */
export function dateOf(ms: number): Date;
export function dateOf(ms: number | null | undefined): Date | null;
export function dateOf(ms: number | null | undefined): Date | null {
  return ms === null || ms === undefined ? null : new Date(ms);
}
