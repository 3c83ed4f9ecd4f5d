import { isDeepStrictEqual } from 'node:util';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { decide } from '#server/features/release-core/decide.rules.ts';
import type { Event } from '#server/features/release-core/events.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import {
  earlyRequestsWindowMs,
  type Mark,
  type Notice,
  type World,
} from '#server/features/release-core/model.rules.ts';
import { isForgotten, isUnderWay } from '#server/features/release-core/notice-facts.rules.ts';
import { visit } from '#server/features/release-core/visit.rules.ts';
import { readWorld } from '#server/features/release-state/release.store.ts';
import type { Machine } from '#tests/simulation/machine.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import type { Written } from './step-book.ts';

type Options = { machine: Machine; userIds: readonly string[]; time: WorldTime; complain: (what: string) => void };

/**
 * Refinement: each transaction on the rows of a release is one step of the core. The rows before are loaded as a
 * world, the core decides again, and its result must equal the rows after. Between steps nothing changes them. Data
 * outside of the core, such as owners, contacts and letters, is left out.
 */
export function createRefinement({ machine, userIds, time, complain }: Options) {
  const { steps, onlooker } = machine;
  /** The worlds as the last steps have left them. */
  const known = new Map<string, World>();
  /** Notices that were closed when their rows were last read. */
  const closed = new Map<string, ReadonlySet<number>>();
  let lookedAtXid = '0';
  let checked = 0;

  /** Owners with a row that was written since the last check, by any process. */
  async function touchedSince(xid: string): Promise<string[]> {
    const rows = await machine.ask<{ user_id: string }>(
      'touched',
      `select distinct user_id from (
         select user_id, xmin from release_silences union all select user_id, xmin from release_requests
         union all select user_id, xmin from release_notices union all select user_id, xmin from release_asks
         union all select r.user_id, a.xmin from release_answers a join release_requests r on r.id = a.request_id
       ) as written where xmin::text::bigint >= $1`,
      [xid],
    );
    return rows.map(({ user_id }) => user_id);
  }

  async function committed(): Promise<Written[]> {
    const all = steps.written.splice(0);
    const xids = [...new Set(all.map(({ xid }) => xid))];
    if (xids.length === 0) return [];
    const rows = await machine.ask<{ xid: string; status: string }>(
      'statuses',
      `select xid, pg_xact_status(xid::xid8) as status from unnest($1::text[]) as xid`,
      [xids],
    );
    const done = new Set(rows.flatMap(({ xid, status }) => (status === 'committed' ? [xid] : [])));
    return all.filter(({ xid }) => done.has(xid));
  }

  function checkStep(step: Written, contacts: ReadonlySet<string>): void {
    const { userId, command, before, events, after, mark } = step;
    const now = { ...step.now, isBehind: time.isBehind() };
    const says = (what: string) => complain(`no step of the core: ${command.kind} of ${userId} ${what}`);
    checked += 1;
    const last = known.get(userId);
    const found = last && differenceOf(ownPart(last, contacts, now), ownPart(before, contacts, now));
    if (found) says(`met rows that no step had left: ${found}`);
    if (now.healthyMs > mark.healthyMs) says('counts more time than there can have been');
    if (!isDecided(step)) says(`came to ${kindsOf(events)}, and the core decides ${kindsOf(decidedOn(step))}`);
    const wrong = differenceOf(ownPart(evolve(before, events, mark), contacts, now), ownPart(after, contacts, now));
    if (wrong) says(`left another world than the core: ${wrong}`);
    known.set(userId, after);
  }

  /** The rows equal the result of the last step. An unneeded notice may be closed. */
  async function checkRows(userId: string, contacts: ReadonlySet<string>): Promise<void> {
    const at = new Date(time.wallMs());
    const owner = await findOwner(machine.control, userId);
    if (!owner) {
      known.delete(userId);
      return;
    }
    const { world, reading } = await readWorld(onlooker, machine.control, owner, at);
    const now = { atMs: at.getTime(), healthyMs: reading.healthyMs, isBehind: time.isBehind() };
    const expected = known.get(userId) ?? nothingOpen(world);
    const open = await machine.ask<{ number: number }>(
      'open notices',
      'select number from release_notices where closed_at is null and user_id = $1',
      [userId],
    );
    const numbers = new Set(open.map(({ number }) => number));
    const left = ownPart(expected, contacts, now);
    const read = ownPart(world, contacts, now);
    const stillOpen = (world: OwnPart) => ({ ...world, notices: world.notices.filter(({ id }) => numbers.has(id)) });
    const wrong = differenceOf(stillOpen(left), stillOpen(read));
    if (wrong) complain(`no step of the core has led to the rows of ${userId}: ${wrong}`);
    // Requests that were closed before may still be loaded for a day.
    const closedBefore = closed.get(userId) ?? new Set();
    closed.set(userId, new Set(read.notices.map(({ id }) => id).filter((id) => !numbers.has(id))));
    for (const notice of left.notices) {
      const isClosed = !numbers.has(notice.id) && !closedBefore.has(notice.id);
      if (isClosed && !isForgotten(expected, notice, { ...now, atMs: Number.POSITIVE_INFINITY }))
        complain(`no step of the core: notice ${notice.id} of ${userId} is closed, and something rests on it`);
    }
    known.set(userId, world);
  }

  return {
    /** After every moment, when all transactions have ended. `isThorough`: also owners in whose name nothing was written. */
    async look({ isThorough }: { isThorough: boolean }): Promise<void> {
      const since = lookedAtXid;
      const [snapshot] = await machine.ask<{ xid: string }>(
        'snapshot',
        'select (pg_snapshot_xmax(pg_current_snapshot()))::text as xid',
      );
      lookedAtXid = snapshot?.xid ?? '0';
      const contacts = new Set(
        (await machine.ask<{ id: string }>('contacts', 'select id from trusted_contacts')).map(({ id }) => id),
      );
      const written = await committed();
      for (const step of written) checkStep(step, contacts);
      const touched = isThorough ? userIds : [...written.map(({ userId }) => userId), ...(await touchedSince(since))];
      for (const userId of new Set(touched)) await checkRows(userId, contacts);
    },
    /** A backup has taken the place of all rows: the one thing besides steps that may write them. */
    async forget(): Promise<void> {
      await committed();
      known.clear();
      closed.clear();
      for (const userId of userIds) {
        const owner = await findOwner(machine.control, userId);
        if (owner)
          known.set(userId, (await readWorld(onlooker, machine.control, owner, new Date(time.wallMs()))).world);
      }
    },
    steps: () => checked,
  };
}

/** Expected decision of a step. The breaker may have stopped the steps of silence, which are then missing. */
function decidedOn(
  { command, before, now }: Written,
  isSilenceStopped = before.stops.isSilenceStopped,
): readonly Event[] {
  const world = { ...before, stops: { ...before.stops, isSilenceStopped } };
  return command.kind === 'visit' ? visit(world, now).events : decide(world, command, now).events;
}

function isDecided(step: Written): boolean {
  const isSame = (events: readonly Event[]) => isDeepStrictEqual(plain(events), plain(step.events));
  return isSame(decidedOn(step)) || (step.command.kind === 'visit' && isSame(decidedOn(step, true)));
}

const kindsOf = (events: readonly Event[]) => events.map(({ kind }) => kind).join(', ') || 'nothing';

/** While a clock that was set back catches up, week-old events seem younger. */
type Compared = Mark & { isBehind: boolean };

type OwnPart = Pick<World, 'silence' | 'request' | 'nextNotice' | 'past'> & {
  release: Omit<NonNullable<World['release']>, 'letters' | 'heard'> | null;
  notices: readonly Notice[];
};

/** The core's part of a world, as rows can hold it, without contacts whose traces were all deleted. */
function ownPart(world: World, contacts: ReadonlySet<string>, now: Compared): OwnPart {
  const { silence, release, nextNotice } = world;
  const isThere = (id: string) => id === 'owner' || contacts.has(id);
  const still = (id: string | null) => (id !== null && isThere(id) ? id : null);
  const requestOf = (request: NonNullable<World['request']>): NonNullable<World['request']> => ({
    ...request,
    askedBy: still(request.askedBy),
    asks: request.asks.filter(({ contactId }) => isThere(contactId)),
    answers: request.answers.filter(({ contactId }) => isThere(contactId)),
    phase: request.phase.name === 'paused' ? { ...request.phase, by: still(request.phase.by) ?? '' } : request.phase,
  });
  const kept = world.past.filter(
    ({ opened, stopped, contactId }) =>
      contacts.has(contactId) && (stopped !== null || now.atMs - opened.atMs < earlyRequestsWindowMs),
  );
  return plain({
    silence,
    request: world.request && requestOf(world.request),
    release: release && { ...release, request: requestOf(release.request), letters: undefined, heard: undefined },
    nextNotice,
    past: now.isBehind ? [] : kept,
    notices: world.notices.filter(({ to }) => isThere(to)),
  }) as OwnPart;
}

/** As rows hold it: healthy time in whole milliseconds, and nothing that is not there. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each: unknown) =>
      key === 'healthyMs' && typeof each === 'number' ? Math.round(each) : each,
    ),
  );
}

/** Difference in words. Unneeded notices may be on one side only. */
function differenceOf(one: OwnPart, other: OwnPart): string | null {
  for (const part of ['silence', 'request', 'release', 'past', 'nextNotice'] as const) {
    if (!isDeepStrictEqual(one[part], other[part])) return `${part} ${shown(one[part])} and ${shown(other[part])}`;
  }
  const others = new Map(other.notices.map((notice) => [notice.id, notice]));
  for (const notice of one.notices) {
    const found = others.get(notice.id);
    others.delete(notice.id);
    if (found ? !isDeepStrictEqual(notice, found) : isUnderWay(notice))
      return `notice ${shown(notice)} and ${shown(found)}`;
  }
  const extra = [...others.values()].find((notice) => isUnderWay(notice));
  return extra ? `notice ${shown(extra)} on one side alone` : null;
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

/** An owner without a known step has nothing open. */
function nothingOpen(world: World): World {
  return { ...world, silence: null, request: null, release: null, notices: [], past: [], nextNotice: 1 };
}
