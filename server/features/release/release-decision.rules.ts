import { dayMs } from '#shared/rules/inactivity.ts';
import type { Effect, EventResult } from './release-events.rules.ts';
import { type CycleFacts, isLastOvertaken, type ReleaseFacts } from './release-facts.rules.ts';

export type Step =
  | 'nudge'
  | 'first_reminder'
  | 'last_reminder'
  | 'withdraw_reminder'
  | 'ask'
  | 'ask_late'
  | 'hold'
  | 'unhold'
  | 'release'
  | 'resume'
  | 'return'
  | 'question_unanswered';

export type Blocker = 'email_not_verified' | 'frozen' | 'no_ready_message' | 'no_confirmed_contact';

export type Decision = {
  /** What happens now; `null` when nothing is due. */
  step: Step | null;
  /** The cycle as it stands afterwards. */
  cycle: CycleFacts | null;
  /** How the cycle closed, if it did. */
  closedAs: EventResult['closedAs'];
  effects: readonly Effect[];
  /** No step can be due before this, unless something happens: a hint for the sweep. */
  nextStepAtMs: number;
  /** What a step that is due waits for. */
  blockedBy: Blocker | null;
};

/** Where nothing tells us that a block has gone, we look again this often. */
export const recheckMs = dayMs;
/** A step that happens now; what follows it is decided afresh. */
export function taken(
  facts: ReleaseFacts,
  { step, now, effects }: { step: Step; now: number; effects: Effect[] },
): Decision {
  return { step, cycle: facts.cycle, closedAs: null, effects, nextStepAtMs: now, blockedBy: null };
}

/** Nothing is due before `atMs`; `null` where only an event can bring it. */
export function wait({ cycle }: ReleaseFacts, now: number, atMs: number | null): Decision {
  const nextStepAtMs = atMs ?? now + recheckMs;
  return { step: null, cycle, closedAs: null, effects: [], nextStepAtMs, blockedBy: null };
}

/** Something is due and may not happen. */
export function blocked(facts: ReleaseFacts, now: number, blockedBy: Blocker): Decision {
  return { ...wait(facts, now, null), blockedBy };
}

export function atLatest(decision: Decision, atMs: number | null): Decision {
  return atMs === null ? decision : { ...decision, nextStepAtMs: Math.min(decision.nextStepAtMs, atMs) };
}

/**
 * Takes the last reminder back where it has not left and came too soon; `null` where it did not. It is written again, with
 * the days that hold then, once the gap is whole.
 */
export function withdrawLast(facts: ReleaseFacts, now: number, healthyMs: number): Decision | null {
  const { cycle } = facts;
  if (!cycle || !isLastOvertaken(cycle, healthyMs)) return null;
  const state = cycle.state === 'warned' ? 'reminded' : cycle.state;
  const last = { sentAtMs: null, ended: null, tries: cycle.last.tries + 1 };
  const effects: Effect[] = [{ kind: 'withdraw_reminder' }];
  return taken({ ...facts, cycle: { ...cycle, state, last } }, { step: 'withdraw_reminder', now, effects });
}
