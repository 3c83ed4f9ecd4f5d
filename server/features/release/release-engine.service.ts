import { randomUUID } from 'node:crypto';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { HealthKeeper } from './health.service.ts';
import { type CycleRow, newCycleRow } from './release.repository.ts';
import { decide } from './release.rules.ts';
import { isQuorumMet } from './release-answers.rules.ts';
import { newCycle } from './release-cycle.rules.ts';
import { type Decision, recheckMs, type Step } from './release-decision.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { createEffects } from './release-effects.service.ts';
import type { EventResult } from './release-events.rules.ts';
import { type CycleFacts, nextWatchAtMs } from './release-facts.rules.ts';
import { brokenInvariant } from './release-invariants.rules.ts';
import type { Claim, Scene } from './release-scene.ts';
import { createReader, type Situation } from './release-situation.service.ts';
import { cycleColumns } from './release-state.ts';
import { createWrites, type Writes } from './release-writes.service.ts';
import { mustBeginAgain, windowsBeginAgain } from './restore.rules.ts';

/** A change that the rules have decided on. */
export type Change = Pick<EventResult, 'cycle' | 'closedAs' | 'effects'> & {
  /** What happened, for the audit log: `release.<action>`. */
  action: string;
  reason?: string;
  claim?: Claim;
  origin?: RequestOrigin;
  details?: Record<string, unknown>;
  /** When the early request that this change opens was made. */
  earlyAt?: Date;
};

export type Engine = {
  /** Locks the owner and reads everything; `null` where the account is gone. */
  read(tx: Executor, userId: string, at: Date): Promise<Situation | null>;
  /** Writes a change with its effects and its audit row. */
  apply(tx: Executor, situation: Situation, at: Date, change: Change): Promise<void>;
  /**
   * Takes every step that is due to these owners and says of each when to look again. Read together and written
   * together: the steps of many cost about as many statements as those of one.
   */
  moveOn(tx: Executor, userIds: readonly string[], at: Date): Promise<void>;
};

/** A step that the rules took and the promises forbid. Its message holds no content: the operator must see it. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

/** The rules never need more at once; a chain that does not end is a mistake in them, and stops here. */
const stepsAtOnceMax = 5;
/** These reach contacts or recipients, so leave is asked for them. */
const reachingSteps: readonly (Step | null)[] = ['ask', 'ask_late', 'release'];

/** Where a change is written. */
type Place = Pick<Scene, 'tx' | 'writes' | 'at'>;

/** Joins the pure rules to rows: read, decide, write, in the caller's transaction. */
export function createEngine(deps: ReleaseDependencies, health: HealthKeeper): Engine {
  const readAll = createReader(deps, health);
  const effects = createEffects(deps);

  async function make(place: Place, situation: Situation, change: Change): Promise<void> {
    const { owner, facts, contacts, invitations, reading } = situation;
    const { writes, at } = place;
    const broken = brokenInvariant(facts, change, { now: at.getTime(), healthyMs: reading.healthyMs });
    if (broken) throw new BrokenPromise(broken);

    const cycleId = writeCycle(writes, situation, at, change);
    const cycle = change.cycle ?? facts.cycle ?? newCycle(at.getTime(), 'silence', 'reminded');
    const { readyMessages } = facts;
    const { reason, claim } = change;
    const words = { ...(reason === undefined ? {} : { reason }), ...(claim ? { claim } : {}) };
    await effects.carryOut(
      { ...place, owner, cycleId, cycle, contacts, readyMessages, invitations, ...words },
      change.effects,
    );
    writes.entry({
      userId: owner.id,
      action: `release.${change.action}`,
      resource: 'release_cycle',
      resourceId: cycleId,
      details: { state: change.closedAs ?? change.cycle?.state ?? 'watching', round: cycle.round, ...change.details },
      origin: change.origin,
      at,
    });
  }

  /** Leave to take a step, and what it starts from; `null` where the owner waits and is looked at again. */
  async function granted(
    { tx, writes, at }: Place,
    situation: Situation,
    step: Step | null,
  ): Promise<Situation | null> {
    const { row, reading, facts, owner } = situation;
    if (reading.isClockBehind) return step === 'return' || step === null ? situation : null;
    if (!row || !reachingSteps.includes(step)) return situation;
    // Enough people have said so, or one of them has come back to the role: that is nothing a wrong clock can do.
    const isAlone = step === 'ask' || (step === 'release' && !isQuorumMet(facts, at.getTime()));
    const isBySilence = isAlone && !row.isExpected;
    const { countedOnDay } = row;
    const { email } = owner;
    const leave = await health.allowStep(tx, { at, isBySilence, countedOnDay, email, flush: writes.flush });
    if (!leave.isAllowed) return null;
    if (isBySilence && (countedOnDay !== leave.day || !row.bySilence)) {
      return { ...situation, row: writes.change(row, { countedOnDay: leave.day, bySilence: true }) };
    }
    const isConfirmed = step === 'release' && !isBySilence && row.bySilence;
    return isConfirmed ? { ...situation, row: writes.change(row, { bySilence: false }) } : situation;
  }

  /** Takes the step that is due; false where none is, and the owner waits from now on. */
  async function takeStep(place: Place, found: Situation): Promise<boolean> {
    const { writes, at } = place;
    const decision: Decision = decide(found.facts, at.getTime(), found.reading.healthyMs);
    const { step } = decision;
    const { restore, mark } = found.reading;
    if (restore && step !== 'return' && mustBeginAgain(found.facts.cycle, restore)) {
      await make(place, found, { ...windowsBeginAgain(found.facts, restore, mark), action: 'restored' });
      return true;
    }
    const situation = await granted(place, found, step);
    if (step && situation) await make(place, situation, { ...decision, action: step });
    // A nudge leaves the owner as they were, so deciding again would give another.
    if (step && situation && step !== 'nudge') return true;

    const nextStepAtMs = situation ? decision.nextStepAtMs : at.getTime() + recheckMs;
    writes.owner({ userId: found.owner.id, nextStepAt: new Date(nextStepAtMs), epochsEnded: 0 });
    return false;
  }

  return {
    async read(tx, userId, at) {
      const [situation] = await readAll(tx, [userId], at);
      return situation ?? null;
    },

    async apply(tx, situation, at, change) {
      const writes = createWrites(deps, tx);
      await make({ tx, writes, at }, situation, change);
      await writes.flush();
    },

    async moveOn(tx, userIds, at) {
      const writes = createWrites(deps, tx);
      let moving = userIds;
      for (let step = 0; step < stepsAtOnceMax && moving.length > 0; step += 1) {
        const goingOn: string[] = [];
        for (const situation of await readAll(tx, moving, at)) {
          if (await takeStep({ tx, writes, at }, situation)) goingOn.push(situation.owner.id);
        }
        await writes.flush();
        moving = goingOn;
      }
      for (const userId of moving) writes.owner({ userId, nextStepAt: at, epochsEnded: 0 });
      await writes.flush();
    },
  };
}

/** Gives the cycle that the change is about. */
function writeCycle(writes: Writes, { owner, facts, row }: Situation, at: Date, change: Change): string {
  const { cycle, closedAs } = change;
  if (closedAs) {
    if (!row) throw new Error('Only an open release can be closed.');
    const ended = {
      ...(closedAs === 'halted' ? { haltedAt: at } : {}),
      ...(closedAs === 'released' ? { releasedAt: row.releasedAt ?? at } : {}),
    };
    writes.change(row, { state: closedAs, closedAt: at, ...ended });
    const nextStepAt = new Date(nextWatchAtMs(facts.owner, at.getTime()));
    writes.owner({ userId: owner.id, nextStepAt, epochsEnded: 1 });
    return row.id;
  }
  if (!cycle) return row?.id ?? owner.id;

  const early = change.earlyAt === undefined ? {} : { earlyAt: change.earlyAt };
  const columns = { ...cycleColumns(cycle), ...milestones(cycle, row, at), ...early };
  if (row) return writes.change(row, columns).id;
  const opened = { id: randomUUID(), userId: owner.id, epoch: owner.releaseEpoch, openedAt: at };
  return writes.begin({ ...newCycleRow(opened), ...columns }).id;
}

function milestones(cycle: CycleFacts, row: CycleRow | null, at: Date) {
  const isNewly = (state: CycleFacts['state']) => cycle.state === state && row?.state !== state;
  return {
    ...(isNewly('releasing') ? { firstDispatchAt: at } : {}),
    ...(isNewly('released') ? { releasedAt: at } : {}),
  };
}
