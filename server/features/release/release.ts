import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { releaseStops } from '#server/features/billing/release-stops/release-stops.ts';
import { hasOldAddress } from '#server/features/messages/addresses.ts';
import { decide } from '#server/features/release-core/decide.rules.ts';
import { recheckMs } from '#server/features/release-core/draft.rules.ts';
import type { Event, Refusal } from '#server/features/release-core/events.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import { silentSinceMs } from '#server/features/release-core/facts.rules.ts';
import type { Mark } from '#server/features/release-core/model.rules.ts';
import { brokenPromise } from '#server/features/release-core/promises.rules.ts';
import { visit } from '#server/features/release-core/visit.rules.ts';
import { allowStep } from '#server/features/release-health/health.ts';
import { notifyOfStep, writeNudge, writeRestored } from '#server/features/release-mail/release.notify.ts';
import type { CommandContext } from '#server/features/release-state/command-context.ts';
import { nextReleaseNumber } from '#server/features/release-state/release.repository.ts';
import { type Additions, saveDifference } from '#server/features/release-state/release.save.ts';
import { type LoadedWorld, lockWorld, lockWorlds } from '#server/features/release-state/release.store.ts';
import { type Writing, withWrites } from '#server/features/release-state/release.writes.ts';
import { noteRestarted } from '#server/features/release-state/release-owners.repository.ts';
import { writeReturn } from '#server/features/release-state/returns.repository.ts';
import { stepListenersOf } from '#server/features/release-state/steps.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { reviewEarly } from './early-review.ts';
import { entriesOf } from './release.entries.ts';
import { applyToLetters } from './release.letters.ts';
import { nudgeOf } from './release-nudge.rules.ts';
import { returnOf } from './release-return.ts';
import { reportUnnotifiedOwner } from './unnotified-owner.ts';

/**
 * Connects the pure core to rows: locks, reads, decides, checks the promises, writes the changes, notifies people, logs.
 */

/** Step of the core that breaks a promise. Its message has no content, since the operator must see it. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

/**
 * Applies a command, and every step that is due after it, in the caller's transaction. Returns the reason for a refusal,
 * or null.
 * @throws BrokenPromise if the core's decision breaks a promise.
 */
export function runCommand(
  app: App,
  tx: Executor,
  loaded: LoadedWorld,
  context: CommandContext,
): Promise<Refusal | null> {
  const { at, command, check } = context;
  return withWrites(app, { tx, at }, async (writing) => {
    const { events, refused } = decide(loaded.world, command, nowOf(loaded, at));
    if (refused) return refused;
    let after = await takeSteps(app, writing, loaded, events, { context });
    if (check) {
      await writing.writes.flush();
      await check(tx, after);
      after = (await lockWorld(app, tx, { userId: after.owner.id, at })) ?? after;
    }
    // A closed account is not visited again. After "I am the owner" its activity follows immediately.
    const isFollowed = command.kind === 'close' || command.kind === 'is_owner';
    if (!isFollowed) await takeDueSteps(app, writing, after);
    return null;
  });
}

/**
 * Takes every due step of these owners and sets the time of each one's next visit. Reads and writes them together: the
 * steps of fifty owners cost about as many statements as those of one.
 */
export function visitOwners(
  app: App,
  { tx, at }: Pick<Writing, 'tx' | 'at'>,
  userIds: readonly string[],
): Promise<void> {
  return withWrites(app, { tx, at }, async (writing) => {
    for (const loaded of await lockWorlds(app, tx, { userIds, at })) await takeDueSteps(app, writing, loaded);
  });
}

async function takeSteps(
  app: App,
  writing: Writing,
  loaded: LoadedWorld,
  events: readonly Event[],
  rest: { context?: CommandContext; breaker?: Partial<Additions> } = {},
): Promise<LoadedWorld> {
  const { reading, world } = loaded;
  const broken = brokenPromise(world, events, nowOf(loaded, writing.at));
  if (broken) throw new BrokenPromise(broken);

  let after = loaded;
  for (const part of partsOf(events)) {
    const before = after;
    const { tokens, removalToken, additions } = await additionsOf(app, writing.tx, {
      about: before,
      events: part,
      context: rest.context,
    });
    const decided = { events: part, world: evolve(before.world, part, reading.mark), mark: reading.mark };
    after = saveDifference(writing.writes, before, decided, { ...additions, ...rest.breaker });
    const endsPlan = await followPlan(writing, loaded.owner.id, part);
    const step = { before, after, events: part, ...(rest.context ? { context: rest.context } : {}) };
    const halted = await applyToLetters(app, writing, step);
    notifyOfStep(app, writing, { ...step, endsPlan, tokens, removalToken, halted });
    for (const entry of entriesOf({ before, after, events: part, at: writing.at, ...rest }))
      writing.writes.entry(entry);
  }
  // Activity by SQL has no command context, and no page to show the report on.
  const heardAt = rest.context?.heardAt ?? loaded.owner.lastCheckinAt;
  const cameBack = rest.context && returnOf({ userId: loaded.owner.id, world, events, now: reading.mark, heardAt });
  if (cameBack) await writeReturn(writing.tx, cameBack);
  const command = rest.context?.command ?? { kind: 'visit' as const };
  const taken = { userId: loaded.owner.id, command, before: world, events, after: after.world };
  const now = nowOf(loaded, writing.at);
  for (const listener of stepListenersOf(app)) await listener(writing.tx, { ...taken, mark: reading.mark, now });
  return after;
}

/** Steps that are due now, without those that the breaker stops. */
async function dueSteps(app: App, writing: Writing, loaded: LoadedWorld) {
  const now = nowOf(loaded, writing.at);
  const found = visit(loaded.world, now);
  const silently = found.events.filter(isBySilence(loaded));
  if (silently.length === 0) {
    const isConfirmed = found.events.some(({ kind }) => kind === 'released') && loaded.rows.request?.bySilence;
    return { ...found, breaker: isConfirmed ? { bySilence: false } : {} };
  }
  const { silence } = loaded.rows;
  const counted = { at: writing.at, countedOnDay: silence?.countedOnDay ?? null, email: loaded.owner.email };
  const leave = silence?.isExpected
    ? { isAllowed: true, day: undefined }
    : await allowStep(app, writing.tx, { ...counted, isBySilence: true, flush: writing.writes.flush });
  if (leave.isAllowed) {
    return { ...found, breaker: { bySilence: true, ...(leave.day ? { countedOnDay: leave.day } : {}) } };
  }
  const stops = { ...loaded.world.stops, isSilenceStopped: true };
  return { ...visit({ ...loaded.world, stops }, now), breaker: {} };
}

/** Takes the due steps of one owner, and sets the time of the next visit. */
async function takeDueSteps(app: App, writing: Writing, found: LoadedWorld): Promise<void> {
  const { owner, reading } = found;
  let loaded = found;
  // Under a clock that is behind nothing goes forward.
  if (reading.isClockBehind) {
    writing.writes.visitAt(owner.id, new Date(writing.at.getTime() + recheckMs));
    return;
  }
  const { restore } = reading;
  if (restore && owner.releaseBegunAnewAt?.getTime() !== restore.atMs) {
    loaded = await restartAll(app, writing, loaded, restore);
  }
  loaded = await reviewEarly(app, writing, loaded);
  const { events, lookAgainAtMs, blockedBy, breaker } = await dueSteps(app, writing, loaded);
  if (events.length > 0) loaded = await takeSteps(app, writing, loaded, events, { breaker });
  if (blockedBy === 'owner_not_told') reportUnnotifiedOwner(app, writing, loaded);
  writing.writes.visitAt(owner.id, new Date(Math.min(lookAgainAtMs, await nudge(app, writing, loaded))));
}

/** Sends a friendly question at an interval before the first reminder. Returns the time of the next one. */
async function nudge(app: App, writing: Writing, loaded: LoadedWorld): Promise<number> {
  const { owner, world } = loaded;
  if (world.silence || world.request || world.release || world.stops.isClosing) return Number.POSITIVE_INFINITY;
  const sinceMs = silentSinceMs(world.owner);
  const { sequence, nextAtMs } = nudgeOf({ ...owner, sinceMs }, writing.at.getTime());
  const isStopped = world.stops.isFrozen || !owner.emailVerified;
  if (sequence !== null && !isStopped) {
    const hasOld = await hasOldAddress(writing.tx, owner.id, writing.at);
    writeNudge(app, writing, loaded, { sinceMs, sequence, hasOldAddress: hasOld });
  }
  return nextAtMs;
}

/** Restarts every window after a restore, because answers since the backup are lost, and notifies people. */
async function restartAll(
  app: App,
  writing: Writing,
  loaded: LoadedWorld,
  restore: { atMs: number; backupAtMs: number },
): Promise<LoadedWorld> {
  const { owner, world } = loaded;
  await noteRestarted(writing.tx, owner.id, new Date(restore.atMs));
  // A request or silence that began after the restore is complete.
  const openedAt = loaded.rows.request?.openedAt ?? loaded.rows.silence?.openedAt;
  const wasOpen = openedAt && openedAt.getTime() <= restore.atMs;
  if (!wasOpen && world.waitingLetters.length === 0) return loaded;
  const context: CommandContext = { at: writing.at, command: { kind: 'begin_anew' } };
  const { events } = decide(world, context.command, nowOf(loaded, writing.at));
  const after = await takeSteps(app, writing, loaded, events, { context });
  writeRestored(app, writing, after, restore);
  return after;
}

/** A release that is done stops the renewal of a paid plan, and a release that its owner closes undoes that. True if it stops one. */
async function followPlan({ tx, at }: Writing, userId: string, events: readonly Event[]): Promise<boolean> {
  const has = (wanted: Event['kind']) => events.some(({ kind }) => kind === wanted);
  if (has('release_closed')) await releaseStops.undo(tx, userId, at);
  return has('release_done') && releaseStops.stop(tx, userId, at);
}

/** Values that a decision adds to rows: hashes of links, and a contact's words, sealed. */
async function additionsOf(
  app: App,
  tx: Executor,
  { about, events, context }: { about: LoadedWorld; events: readonly Event[]; context: CommandContext | undefined },
): Promise<{ tokens: ReadonlyMap<number, string>; removalToken: string | null; additions: Additions }> {
  const { hashToken } = app.serviceKeys;
  const asked = events.flatMap((event) => (event.kind === 'contact_asked' ? [event.notice] : []));
  const tokens = new Map(asked.map((notice) => [notice, newToken()]));
  const tokenHashes = new Map([...tokens].map(([notice, token]) => [notice, hashToken(token)]));
  const isReleased = events.some(({ kind }) => kind === 'released');
  const numbered = isReleased ? { releaseNumber: await nextReleaseNumber(tx, about.owner.id) } : {};
  const removalToken = events.some(endsEarlyByOwner) ? newToken() : null;
  const removal = removalToken === null ? {} : { removalTokenHash: hashToken(removalToken) };
  const made = { tokenHashes, ...numbered, ...removal };
  const isAnswered = events.some(({ kind }) => kind === 'answer_given');
  if (!isAnswered || context?.reason === undefined) return { tokens, removalToken, additions: made };

  const id = randomUUID();
  const vault = await openVault(app, tx, about.owner.id);
  const sealContext = { table: 'release_answers', column: 'reason', rowId: id };
  // A damaged vault can't seal a reason. The decision counts without it.
  const reason = unlessBroken(() => vault.seal(sealContext, context.reason ?? ''));
  return { tokens, removalToken, additions: { ...made, answer: { id, reason } } };
}

/** True if the owner ended an early request: by a Stop, a sign-in or any other activity. */
function endsEarlyByOwner(event: Event): boolean {
  const isByOwner =
    (event.kind === 'request_ended' && event.why === 'owner_back') ||
    (event.kind === 'release_closed' && event.takesBack);
  return isByOwner && event.past !== null;
}

/** `healthyMs` is the least possible, for passed time. A new window begins at the most possible. */
function nowOf({ reading }: LoadedWorld, at: Date): Mark {
  return { atMs: at.getTime(), healthyMs: reading.healthyMs };
}

/** Steps that reach contacts or recipients because of silence alone. */
function isBySilence({ world }: LoadedWorld) {
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

/**
 * An end is written apart from earlier events, so that a request which opens and ends in one step still leaves its row.
 */
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
