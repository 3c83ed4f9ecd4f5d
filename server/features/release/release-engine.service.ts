import { randomUUID } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { HealthKeeper, Reading } from './health.service.ts';
import {
  type CycleRow,
  findOpenCycle,
  type InvitationRow,
  insertCycle,
  listInvitations,
  raiseEpoch,
  setNextStepAt,
  updateCycle,
} from './release.repository.ts';
import { decide } from './release.rules.ts';
import { newCycle } from './release-cycle.rules.ts';
import { type Decision, recheckMs, type Step } from './release-decision.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { createEffects } from './release-effects.service.ts';
import type { EventResult } from './release-events.rules.ts';
import { type CycleFacts, nextWatchAtMs, type ReleaseFacts } from './release-facts.rules.ts';
import { brokenInvariant } from './release-invariants.rules.ts';
import type { Claim, Contact } from './release-scene.ts';
import { cycleColumns, cycleFacts, ownerFacts } from './release-state.ts';

/** Everything that one decision about one owner rests on, read under the owner's lock. */
export type Situation = {
  owner: OwnerRow;
  reading: Reading;
  facts: ReleaseFacts;
  row: CycleRow | null;
  invitations: readonly InvitationRow[];
  contacts: readonly Contact[];
};

/** A change that the rules have decided on. */
export type Change = Pick<EventResult, 'cycle' | 'closedAs' | 'effects'> & {
  /** What happened, for the audit log: `release.<action>`. */
  action: string;
  reason?: string;
  claim?: Claim;
  origin?: RequestOrigin;
  details?: Record<string, unknown>;
};

export type Engine = {
  /** Locks the owner and reads everything; `null` where the account is gone. */
  read(tx: Executor, userId: string, at: Date): Promise<Situation | null>;
  /** Writes a change with its effects and its audit row. */
  apply(tx: Executor, situation: Situation, at: Date, change: Change): Promise<void>;
  /** Takes every step that is due and says when to look again. Gives the steps taken. */
  moveOn(tx: Executor, userId: string, at: Date): Promise<Step[]>;
};

/** A step that the rules took and the promises forbid. Its message holds no content: the operator must see it. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

/** The rules never need more at once; a chain that does not end is a mistake in them, and stops here. */
const stepsAtOnceMax = 5;
/** These reach contacts or recipients, so the breaker counts them. */
const countedSteps: readonly (Step | null)[] = ['ask', 'ask_late', 'release'];

/** Joins the pure rules to rows: read, decide, write, in the caller's transaction. */
export function createEngine(deps: ReleaseDependencies, health: HealthKeeper): Engine {
  const { accounts, contacts: contactsService, messages, audit, answerDaysDefault } = deps;
  const effects = createEffects(deps);

  async function read(tx: Executor, userId: string, at: Date): Promise<Situation | null> {
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) return null;
    const row = await findOpenCycle(tx, userId);
    const invitations = row ? await listInvitations(tx, row.id) : [];
    const contacts = await contactsService.confirmedContacts(tx, userId);
    const reading = await health.read(tx, at);
    const facts: ReleaseFacts = {
      owner: ownerFacts(owner, answerDaysDefault),
      isInstallationFrozen: reading.isFrozen,
      readyMessages: await messages.countReady(tx, userId),
      contacts: contacts.map(({ id, confirmedAt }) => ({ id, confirmedAtMs: confirmedAt.getTime() })),
      cycle: row ? cycleFacts(row, invitations) : null,
    };
    return { owner, reading, facts, row, invitations, contacts };
  }

  async function write(tx: Executor, situation: Situation, at: Date, change: Change): Promise<string> {
    const { owner, row } = situation;
    const { cycle, closedAs } = change;
    if (closedAs) {
      if (!row) throw new Error('Only an open release can be closed.');
      await updateCycle(tx, row, { state: closedAs, closedAt: at, ...(closedAs === 'halted' ? { haltedAt: at } : {}) });
      await raiseEpoch(tx, owner.id, new Date(nextWatchAtMs(situation.facts.owner, at.getTime())));
      return row.id;
    }
    if (!cycle) return row?.id ?? owner.id;

    const columns = { ...cycleColumns(cycle), ...milestones(cycle, row, at) };
    if (row) {
      await updateCycle(tx, row, columns);
      return row.id;
    }
    const id = randomUUID();
    await insertCycle(tx, { id, userId: owner.id, epoch: owner.releaseEpoch, openedAt: at, ...columns });
    return id;
  }

  async function apply(tx: Executor, situation: Situation, at: Date, change: Change): Promise<void> {
    const { owner, facts, contacts, invitations, reading } = situation;
    const broken = brokenInvariant(facts, change, { now: at.getTime(), healthyMs: reading.healthyMs });
    if (broken) throw new BrokenPromise(broken);

    const cycleId = await write(tx, situation, at, change);
    const cycle = change.cycle ?? facts.cycle ?? newCycle(at.getTime(), 'silence', 'reminded');
    const { reason, claim } = change;
    const words = { ...(reason === undefined ? {} : { reason }), ...(claim ? { claim } : {}) };
    const scene = { tx, at, owner, cycleId, cycle, contacts, invitations, ...words };
    await effects.carryOut(scene, change.effects);
    await audit.record(tx, {
      userId: owner.id,
      action: `release.${change.action}`,
      resource: 'release_cycle',
      resourceId: cycleId,
      details: { state: change.closedAs ?? change.cycle?.state ?? 'watching', round: cycle.round, ...change.details },
      origin: change.origin,
      at,
    });
  }

  /** Leave to take a step; without it the owner waits and is looked at again. */
  async function mayTake(tx: Executor, { row, reading }: Situation, { step }: Decision, at: Date): Promise<boolean> {
    if (reading.isClockBehind) return step === 'return' || step === null;
    if (!row || !countedSteps.includes(step)) return true;
    const { isAllowed, day } = await health.allowStep(tx, { at, countedOnDay: row.countedOnDay });
    if (isAllowed && row.countedOnDay !== day) {
      await updateCycle(tx, row, { countedOnDay: day });
      row.version += 1;
    }
    return isAllowed;
  }

  return {
    read,
    apply,
    async moveOn(tx, userId, at) {
      const taken: Step[] = [];
      while (taken.length < stepsAtOnceMax) {
        const situation = await read(tx, userId, at);
        if (!situation) return taken;
        const decision = decide(situation.facts, at.getTime(), situation.reading.healthyMs);
        const mayGo = await mayTake(tx, situation, decision, at);
        const { step } = decision;
        if (!step || !mayGo) {
          const nextStepAtMs = mayGo ? decision.nextStepAtMs : at.getTime() + recheckMs;
          await setNextStepAt(tx, userId, new Date(nextStepAtMs));
          return taken;
        }
        await apply(tx, situation, at, { ...decision, action: step });
        taken.push(step);
        // A nudge leaves the owner as they were, so deciding again would give another.
        if (step === 'nudge') {
          await setNextStepAt(tx, userId, new Date(decision.nextStepAtMs));
          return taken;
        }
      }
      await setNextStepAt(tx, userId, at);
      return taken;
    },
  };
}

function milestones(cycle: CycleFacts, row: CycleRow | null, at: Date) {
  const isNewly = (state: CycleFacts['state']) => cycle.state === state && row?.state !== state;
  return {
    ...(isNewly('releasing') ? { firstDispatchAt: at } : {}),
    ...(isNewly('released') ? { releasedAt: at } : {}),
  };
}
