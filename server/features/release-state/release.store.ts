import { randomUUID } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import type { ConfirmedContact } from '#server/features/contacts/contacts.service.ts';
import { kindsToContacts } from '#server/features/delivery/delivery.dependencies.ts';
import type { Event } from '#server/features/release-core/events.rules.ts';
import { isForgotten } from '#server/features/release-core/facts.rules.ts';
import {
  type Answer,
  type Ask,
  type Contact,
  earlyRequestsWindowMs,
  type Mark,
  type World,
} from '#server/features/release-core/model.rules.ts';
import { listHeldContacts } from '#server/features/release-health/brake.repository.ts';
import type { HealthKeeper, Reading } from '#server/features/release-health/health.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { heardOf, lettersOf, readRows } from './release.repository.ts';
import {
  type AnswerRow,
  type AskRow,
  answerColumns,
  noticeColumns,
  noticeOf,
  pastRequestOf,
  type RequestRow,
  releaseColumns,
  releaseOf,
  requestColumns,
  requestOf,
  type SilenceRow,
  silenceColumns,
  silenceOf,
} from './release.rows.ts';
import type { Writes } from './release.writes.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';

/** Everything that one decision about one owner rests on, read under the owner's lock. */
export type Situation = {
  owner: OwnerRow;
  reading: Reading;
  contacts: readonly ConfirmedContact[];
  world: World;
  /** What the core does not know of: ids, hashes, sealed words, marks of the operator. */
  rows: {
    silence: SilenceRow | null;
    request: RequestRow | null;
    asks: readonly AskRow[];
    answers: readonly AnswerRow[];
  };
};

/** `notice`: one that is read too although nothing rests on it any more, since something has become of it. */
export type LoadOptions = { notice?: number };

export type Store = {
  /** Locks owners and reads their worlds, in their order and without those whose account is gone. */
  load(tx: Executor, userIds: readonly string[], at: Date, options?: LoadOptions): Promise<Situation[]>;
  /** The same without a lock, for looking at. */
  look(executor: Executor, owner: OwnerRow, at: Date): Promise<Situation>;
};

const none = 0;

/** Reads worlds from rows: one statement for each kind of row, however many owners there are. */
export function createStore(deps: ReleaseDependencies, health: Pick<HealthKeeper, 'read'>): Store {
  const { accounts, contacts, messages, documents } = deps;

  async function situationsOf(
    executor: Executor,
    owners: readonly OwnerRow[],
    at: Date,
    { notice = none }: LoadOptions = {},
  ): Promise<Situation[]> {
    if (owners.length === 0) return [];
    const userIds = owners.map(({ id }) => id);
    const openedAfter = new Date(at.getTime() - earlyRequestsWindowMs);
    const writtenAfter = new Date(at.getTime() - dayMs);
    const rows = await readRows(executor, { userIds, openedAfter, writtenAfter, notice });
    const confirmed = await contacts.confirmedContactsOf(executor, userIds);
    const ready = await messages.readyIdsOf(executor, userIds);
    const visible = await documents.countVisibleOf(executor, userIds);
    const reading = await health.read(executor, at);
    const requests = [...rows.requests.values()].flat();
    const released = requests.filter(({ closedAt, releasedAt }) => closedAt === null && releasedAt).map(({ id }) => id);
    const letters = await lettersOf(executor, released);
    const heard = await heardOf(executor, released, kindsToContacts);
    const isEarly = requests.some(({ closedAt, cause }) => closedAt === null && cause !== 'silence');
    const held = isEarly ? await listHeldContacts(executor, userIds) : new Set<string>();

    return owners.map((owner) => {
      const all = rows.requests.get(owner.id) ?? [];
      const row = all.find(({ closedAt }) => closedAt === null) ?? null;
      const silence = rows.silences.get(owner.id) ?? null;
      const asks = (row && rows.asks.get(row.id)) ?? [];
      const answers = (row && rows.answers.get(row.id)) ?? [];
      const request = row && requestOf(row, asks, answers);
      const release =
        row &&
        request &&
        releaseOf(row, request, { letters: letters.get(row.id) ?? [], heard: heard.get(row.id) ?? [] });
      const people = onceAnAddress(owner, confirmed.get(owner.id) ?? []);
      const world: World = {
        owner: ownerFacts(owner, deps),
        contacts: people.map((contact) => contactFacts(contact, at, reading, held)),
        readyLetters: ready.get(owner.id) ?? [],
        visibleDocuments: visible.get(owner.id) ?? 0,
        stops: {
          // Of an account that is being deleted nothing goes forward; should it be restored, silence counts from that day.
          isFrozen: reading.isFrozen || owner.releaseFrozenAt !== null || owner.deletionRequestedAt !== null,
          isSilenceStopped: reading.isSilenceStopped && !silence?.isExpected,
        },
        silence: silence && silenceOf(silence),
        request: release ? null : request,
        release,
        notices: (rows.notices.get(owner.id) ?? []).map(noticeOf),
        nextNotice: (rows.newest.get(owner.id) ?? 0) + 1,
        past: all.filter(({ closedAt }) => closedAt !== null).map(pastRequestOf),
      };
      return { owner, reading, contacts: people, world, rows: { silence, request: row, asks, answers } };
    });
  }

  return {
    async load(tx, userIds, at, options) {
      const owners = new Map((await accounts.lockOwners(tx, userIds)).map((owner) => [owner.id, owner]));
      const found = userIds.flatMap((id) => owners.get(id) ?? []);
      return situationsOf(tx, found, at, options);
    },

    async look(executor, owner, at) {
      const [situation] = await situationsOf(executor, [owner], at);
      if (!situation) throw new Error('What is known of an owner was not read.');
      return situation;
    },
  };
}

function ownerFacts(
  owner: OwnerRow,
  { answerDaysDefault, isTextingSetUp = false }: Pick<ReleaseDependencies, 'answerDaysDefault' | 'isTextingSetUp'>,
): World['owner'] {
  return {
    lastActivityMs: owner.lastCheckinAt.getTime(),
    awayUntilMs: owner.awayUntil?.getTime() ?? null,
    inactivityDays: owner.inactivityDays,
    method: owner.releaseMethod,
    quorum: owner.releaseQuorum,
    answerDays: owner.releaseAnswerDays ?? answerDaysDefault,
    waitingDays: owner.releaseWaitingDays,
    isVerified: owner.emailVerified,
    hasPhone: isTextingSetUp && provenPhone(owner) !== null,
  };
}

/** People are counted by their address, and the owner's own is nobody's. */
function onceAnAddress(owner: OwnerRow, contacts: readonly ConfirmedContact[]): ConfirmedContact[] {
  const seen = new Set([owner.email]);
  return contacts.filter(({ email }) => !seen.has(email) && seen.add(email));
}

function contactFacts(
  { id, confirmedAt, confirmedHealthyMs }: ConfirmedContact,
  at: Date,
  { healthyMs }: Reading,
  held: ReadonlySet<string>,
): Contact {
  // Where nobody wrote down how much healthy time there had been, all that has passed since counts.
  const sinceMs = confirmedHealthyMs ?? healthyMs - (at.getTime() - confirmedAt.getTime());
  const confirmed = { atMs: confirmedAt.getTime(), healthyMs: sinceMs };
  return { id, confirmed, ...(held.has(id) ? { isHeld: true } : {}) };
}

/** What a decision adds to rows that the core does not know of. */
export type Additions = {
  /** HMAC of the token in the link of each question that was written. */
  tokenHashes: ReadonlyMap<number, string>;
  /** A contact's own words about their answer, sealed, and the id of its row, to which they are bound. */
  answer?: { id: string; reason: string | null };
  bySilence?: boolean;
  isExpected?: boolean;
  countedOnDay?: string;
};

/**
 * Writes what has changed between two worlds, and nothing else; gives the situation as it stands from now on. What the core
 * says is what is stored.
 */
export function saveDifference(
  writes: Writes,
  before: Situation,
  decided: { events: readonly Event[]; world: World; mark: Mark },
  additions: Additions,
): Situation {
  const { events, world, mark } = decided;
  const at = new Date(mark.atMs);
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

function savedSilence(writes: Writes, before: Situation, { events, world, mark }: Decided, additions: Additions) {
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
  before: Situation,
  { events, world, mark }: Decided,
  { bySilence }: Additions,
): RequestRow | null {
  const row = before.rows.request;
  const at = new Date(mark.atMs);
  const end = events.find((event) => event.kind === 'request_ended' || event.kind === 'release_closed');
  if (row && end) writes.request({ ...row, closedAt: at, ...endColumns(end) });
  const request = world.request ?? world.release?.request;
  if (!request) return null;

  const isSame = row !== null && !end;
  const doneAt = (isSame ? row.doneAt : null) ?? at;
  const silently = bySilence === undefined ? {} : { bySilence };
  const columns = { ...requestColumns(request), ...releaseColumns(world.release, doneAt), ...silently };
  if (isSame) {
    const isUnchanged =
      before.world.request === world.request && before.world.release === world.release && bySilence === undefined;
    return isUnchanged ? row : writes.request({ ...row, ...columns });
  }
  const open = { closedAt: null, outcome: null, stoppedAt: null, stoppedHealthyMs: null, bySilence: false };
  return writes.request({ id: randomUUID(), userId: before.owner.id, ...open, ...columns });
}

function endColumns(end: Extract<Event, { kind: 'request_ended' | 'release_closed' }>) {
  if (end.kind === 'release_closed') return { outcome: end.takesBack ? 'taken_back' : 'left_as_it_is' } as const;
  const stopped = end.past?.stopped ?? null;
  return {
    outcome: end.why,
    stoppedAt: stopped && new Date(stopped.atMs),
    stoppedHealthyMs: stopped && Math.round(stopped.healthyMs),
  };
}

function savedAsks(
  writes: Writes,
  { owner, rows }: Situation,
  saved: { request: RequestRow; asks: readonly Ask[]; at: Date; additions: Additions },
): AskRow[] {
  const { request, asks, at, additions } = saved;
  return asks.map((ask) => {
    const row = rows.asks.find(({ notice, requestId }) => notice === ask.notice && requestId === request.id);
    if (row) return row.isDead === ask.isDead ? row : writes.ask({ ...row, isDead: ask.isDead });
    const tokenHash = additions.tokenHashes.get(ask.notice);
    if (!tokenHash) throw new Error('A question was written without a link.');
    return writes.ask({ userId: owner.id, requestId: request.id, ...ask, tokenHash, createdAt: at });
  });
}

function savedAnswers(
  writes: Writes,
  { rows }: Situation,
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
