import { randomUUID } from 'node:crypto';
import { decide } from '#server/features/release-core/decide.rules.ts';
import { recheckMs } from '#server/features/release-core/draft.rules.ts';
import type { Event, Refusal } from '#server/features/release-core/events.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import { silentSinceMs } from '#server/features/release-core/facts.rules.ts';
import type { Mark } from '#server/features/release-core/model.rules.ts';
import { brokenPromise } from '#server/features/release-core/promises.rules.ts';
import { visit } from '#server/features/release-core/visit.rules.ts';
import type { HealthKeeper } from '#server/features/release-health/health.service.ts';
import { createNotify, type GivenUp } from '#server/features/release-mail/release.notify.ts';
import type { Deed } from '#server/features/release-state/deed.ts';
import { nextReleaseNumber } from '#server/features/release-state/release.repository.ts';
import { type Additions, saveDifference } from '#server/features/release-state/release.save.ts';
import {
  createStore,
  type LoadOptions,
  type Situation,
  type Store,
} from '#server/features/release-state/release.store.ts';
import { createWrites, type Writes } from '#server/features/release-state/release.writes.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { noteBegunAnew } from '#server/features/release-state/release-owners.repository.ts';
import { writeReturn } from '#server/features/release-state/returns.repository.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { reviewEarly } from './early-review.service.ts';
import { entriesOf } from './release.entries.ts';
import { createLetters } from './release.letters.ts';
import { nudgeOf } from './release-nudge.rules.ts';
import { returnOf } from './release-return.ts';
import { tellOfUntoldOwner } from './untold-owner.ts';

export type Process = Pick<Store, 'look' | 'lookAt'> & {
  /** Locks the owner and reads everything; `null` where the account is gone. */
  read(tx: Executor, userId: string, at: Date, options?: LoadOptions): Promise<Situation | null>;
  /**
   * Takes a command, and every step that is due after it, in the caller's transaction. Gives why nothing came of it, or null.
   *
   * @throws BrokenPromise where the core decided what the promises forbid.
   */
  act(tx: Executor, situation: Situation, at: Date, deed: Deed): Promise<Refusal | null>;
  /**
   * Takes every step that is due to these owners and says of each when to look again. Read together and written
   * together: the steps of many cost about as many statements as those of one.
   */
  visit(tx: Executor, userIds: readonly string[], at: Date): Promise<void>;
  /** Writes a mail to the owner once more that was given up for our sake. */
  writeAgain(tx: Executor, situation: Situation, at: Date, mail: GivenUp): Promise<void>;
};

/** A step that the core took and the promises forbid. Its message holds no content: the operator must see it. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

/** Where steps are written. */
type Place = { tx: Executor; writes: Writes; at: Date };

/** Joins the pure core to rows: lock, read, decide, ask the promises, write what has changed, tell people, log. */
export function createProcess(deps: ReleaseDependencies, health: HealthKeeper): Process {
  const store = createStore(deps, health);
  const notify = createNotify(deps);
  const carryOutLetters = createLetters(deps);

  async function carryOut(
    place: Place,
    situation: Situation,
    events: readonly Event[],
    rest: { deed?: Deed; breaker?: Partial<Additions> } = {},
  ): Promise<Situation> {
    const { reading, world } = situation;
    const broken = brokenPromise(world, events, nowOf(situation, place.at));
    if (broken) throw new BrokenPromise(broken);

    let after = situation;
    for (const part of partsOf(events)) {
      const before = after;
      const { tokens, removalToken, additions } = await additionsOf(deps, place, {
        about: before,
        events: part,
        deed: rest.deed,
      });
      const decided = { events: part, world: evolve(before.world, part, reading.mark), mark: reading.mark };
      after = saveDifference(place.writes, before, decided, { ...additions, ...rest.breaker });
      const endsPlan = await followPlan(deps, place, situation.owner.id, part);
      const step = { before, after, events: part, ...(rest.deed ? { deed: rest.deed } : {}) };
      notify(place, { ...step, endsPlan, tokens, removalToken, halted: await carryOutLetters(place, step) });
      for (const entry of entriesOf({ before, after, events: part, at: place.at, ...rest })) place.writes.entry(entry);
    }
    // A sign of life that came by SQL has no deed, and nobody who reads a page.
    const heardAt = rest.deed?.heardAt ?? situation.owner.lastCheckinAt;
    const cameBack = rest.deed && returnOf({ userId: situation.owner.id, world, events, now: reading.mark, heardAt });
    if (cameBack) await writeReturn(place.tx, cameBack);
    const command = rest.deed?.command ?? { kind: 'visit' as const };
    const taken = { userId: situation.owner.id, command, before: world, events, after: after.world };
    await deps.onStep?.(place.tx, { ...taken, mark: reading.mark, now: nowOf(situation, place.at) });
    return after;
  }

  /** What time brings about now, and what the breaker lets of it. */
  async function due(place: Place, situation: Situation) {
    const now = nowOf(situation, place.at);
    const found = visit(situation.world, now);
    const silently = found.events.filter(isBySilence(situation));
    if (silently.length === 0) {
      const isConfirmed = found.events.some(({ kind }) => kind === 'released') && situation.rows.request?.bySilence;
      return { ...found, breaker: isConfirmed ? { bySilence: false } : {} };
    }
    const { silence } = situation.rows;
    const counted = { at: place.at, countedOnDay: silence?.countedOnDay ?? null, email: situation.owner.email };
    const leave = silence?.isExpected
      ? { isAllowed: true, day: undefined }
      : await health.allowStep(place.tx, { ...counted, isBySilence: true, flush: place.writes.flush });
    if (leave.isAllowed) {
      return { ...found, breaker: { bySilence: true, ...(leave.day ? { countedOnDay: leave.day } : {}) } };
    }
    const stops = { ...situation.world.stops, isSilenceStopped: true };
    return { ...visit({ ...situation.world, stops }, now), breaker: {} };
  }

  /** Takes what is due to one owner, and says when to look again. */
  async function moveOn(place: Place, found: Situation): Promise<void> {
    const { owner, reading } = found;
    let situation = found;
    // Under a clock that is behind nothing goes forward.
    if (reading.isClockBehind) {
      place.writes.lookAt(owner.id, new Date(place.at.getTime() + recheckMs));
      return;
    }
    const { restore } = reading;
    if (restore && owner.releaseBegunAnewAt?.getTime() !== restore.atMs) {
      situation = await begunAnew(place, situation, restore);
    }
    situation = await reviewEarly(deps, place, situation);
    const { events, lookAgainAtMs, blockedBy, breaker } = await due(place, situation);
    if (events.length > 0) situation = await carryOut(place, situation, events, { breaker });
    if (blockedBy === 'owner_not_told') tellOfUntoldOwner(deps, place, situation);
    place.writes.lookAt(owner.id, new Date(Math.min(lookAgainAtMs, await nudge(place, situation))));
  }

  /** Before the first reminder there is a friendly question every so many days. Gives when the next one may be due. */
  async function nudge(place: Place, situation: Situation): Promise<number> {
    const { owner, world } = situation;
    if (world.silence || world.request || world.release || world.stops.isClosing) return Number.POSITIVE_INFINITY;
    const sinceMs = silentSinceMs(world.owner);
    const { sequence, nextAtMs } = nudgeOf({ ...owner, sinceMs }, place.at.getTime());
    const isStopped = world.stops.isFrozen || !owner.emailVerified;
    if (sequence !== null && !isStopped) {
      const hasOldAddress = await deps.messages.hasOldAddress(place.tx, owner.id, place.at);
      notify.nudge(place, situation, { sinceMs, sequence, hasOldAddress });
    }
    return nextAtMs;
  }

  /** After a restore nobody knows what was answered since the backup: every window is whole again, and people are told. */
  async function begunAnew(place: Place, situation: Situation, restore: { atMs: number; backupAtMs: number }) {
    const { owner, world } = situation;
    await noteBegunAnew(place.tx, owner.id, new Date(restore.atMs));
    // What was begun since knows all that there is to know.
    const openedAt = situation.rows.request?.openedAt ?? situation.rows.silence?.openedAt;
    const wasOpen = openedAt && openedAt.getTime() <= restore.atMs;
    if (!wasOpen && world.waitingLetters.length === 0) return situation;
    const deed: Deed = { command: { kind: 'begin_anew' } };
    const { events } = decide(world, deed.command, nowOf(situation, place.at));
    const after = await carryOut(place, situation, events, { deed });
    notify.ofRestore(place, after, restore);
    return after;
  }

  async function withWrites<Result>(tx: Executor, at: Date, work: (place: Place) => Promise<Result>): Promise<Result> {
    const writes = createWrites(deps, tx);
    const result = await work({ tx, writes, at });
    await writes.flush();
    return result;
  }

  return {
    look: store.look,
    lookAt: store.lookAt,

    async read(tx, userId, at, options) {
      const [situation] = await store.load(tx, [userId], at, options);
      return situation ?? null;
    },

    act: (tx, situation, at, deed) =>
      withWrites(tx, at, async (place) => {
        const { events, refused } = decide(situation.world, deed.command, nowOf(situation, at));
        if (refused) return refused;
        let after = await carryOut(place, situation, events, { deed });
        if (deed.lookAt) {
          await place.writes.flush();
          await deed.lookAt(tx, after);
          after = (await store.load(tx, [after.owner.id], at))[0] ?? after;
        }
        // After the account's own end nothing of it is looked at; after "I am the owner" a sign of life follows at once.
        const isFollowed = deed.command.kind === 'close' || deed.command.kind === 'is_owner';
        if (!isFollowed) await moveOn(place, after);
        return null;
      }),

    writeAgain: (tx, situation, at, mail) => withWrites(tx, at, async (place) => notify.again(place, situation, mail)),

    visit: (tx, userIds, at) =>
      withWrites(tx, at, async (place) => {
        for (const situation of await store.load(tx, userIds, at)) await moveOn(place, situation);
      }),
  };
}

/** A release that is done stops the renewal of a paid plan, and a release that its owner closes undoes that. True if it stops one. */
async function followPlan(
  { renewals }: Pick<ReleaseDependencies, 'renewals'>,
  { tx, at }: Place,
  userId: string,
  events: readonly Event[],
): Promise<boolean> {
  const has = (wanted: Event['kind']) => events.some(({ kind }) => kind === wanted);
  if (has('release_closed')) await renewals?.undo(tx, userId, at);
  return has('release_done') && ((await renewals?.stop(tx, userId, at)) ?? false);
}

/** What a decision adds to rows: links, which are known by their hash, and a contact's words, sealed. */
async function additionsOf(
  { hashToken, accounts }: Pick<ReleaseDependencies, 'hashToken' | 'accounts'>,
  { tx }: Place,
  { about, events, deed }: { about: Situation; events: readonly Event[]; deed: Deed | undefined },
): Promise<{ tokens: ReadonlyMap<number, string>; removalToken: string | null; additions: Additions }> {
  const asked = events.flatMap((event) => (event.kind === 'contact_asked' ? [event.notice] : []));
  const tokens = new Map(asked.map((notice) => [notice, newToken()]));
  const tokenHashes = new Map([...tokens].map(([notice, token]) => [notice, hashToken(token)]));
  const isReleased = events.some(({ kind }) => kind === 'released');
  const numbered = isReleased ? { releaseNumber: await nextReleaseNumber(tx, about.owner.id) } : {};
  const isStopped = events.some((event) => 'past' in event && event.past?.stopped);
  const removalToken = isStopped ? newToken() : null;
  const removal = removalToken === null ? {} : { removalTokenHash: hashToken(removalToken) };
  const made = { tokenHashes, ...numbered, ...removal };
  const isAnswered = events.some(({ kind }) => kind === 'answer_given');
  if (!isAnswered || deed?.reason === undefined) return { tokens, removalToken, additions: made };

  const id = randomUUID();
  const vault = await accounts.openVault(tx, about.owner.id);
  const place = { table: 'release_answers', column: 'reason', rowId: id };
  // In a vault that is damaged there is no place for a reason; what was decided counts without it.
  const reason = unlessBroken(() => vault.seal(place, deed.reason ?? ''));
  return { tokens, removalToken, additions: { ...made, answer: { id, reason } } };
}

/** What has passed is measured at the least there can have been; what begins, begins at the most. */
function nowOf({ reading }: Situation, at: Date): Mark {
  return { atMs: at.getTime(), healthyMs: reading.healthyMs };
}

/** Steps that reach contacts or recipients because of silence alone. */
function isBySilence({ world }: Situation) {
  return (event: Event): boolean => {
    if (event.kind === 'request_opened') return event.cause === 'silence';
    if (event.kind === 'request_taken_over') return true;
    if (event.kind !== 'released' || !world.request) return false;
    const { answers, terms } = world.request;
    const yeses = new Set(
      answers.flatMap(({ says, isVoid, contactId }) => (says === 'yes' && !isVoid ? contactId : [])),
    );
    return yeses.size < terms.needed;
  };
}

/** An end is written apart from what came before it: a request that opens and ends at once leaves its row all the same. */
function partsOf(events: readonly Event[]): Event[][] {
  const parts: Event[][] = [];
  for (const event of events) {
    const isEnd = event.kind === 'request_ended' || event.kind === 'release_closed';
    const last = parts.at(-1);
    if (!last || (isEnd && last.length > 0)) parts.push([event]);
    else last.push(event);
  }
  return parts;
}
