/** Patience for a message, and the effect of a permanent refusal on it. */
export type DeliveryPolicy = 'standard' | 'patient' | 'owner-reminder' | 'link-again' | 'brief';

export type AttemptOutcome = 'accepted' | 'temporary' | 'refused';

export type AttemptFacts = {
  policy: DeliveryPolicy;
  outcome: AttemptOutcome;
  /** Number of attempts, including this one. */
  attempts: number;
  /** Number of attempts in an outage of all mail, including this one. They use no patience. */
  attemptsInVain: number;
  /** Number of permanent refusals, including this one. */
  refusals: number;
  /** Time at which it first became due, in milliseconds. */
  firstDueMs: number;
  nowMs: number;
  /** True if other mail was accepted lately, so that a long refusal says something about this mailbox. */
  hasWitness: boolean;
};

export type NextStep =
  | { status: 'accepted' }
  | { status: 'bounced' }
  | { status: 'dead' }
  | { status: 'pending'; nextAttemptMs: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The first wait between two attempts; each is twice the one before, up to the longest. */
export const shortestWaitMs = minuteMs;
export const longestWaitMs = 6 * hourMs;
/** With this first wait, a brief message has five tries in its hour. */
const briefWaitMs = 4 * minuteMs;

/** For how long a message that is refused for now is tried again. */
export const patienceMs: Record<DeliveryPolicy, number> = {
  standard: 3 * dayMs,
  patient: 30 * dayMs,
  'owner-reminder': 30 * dayMs,
  'link-again': 3 * dayMs,
  brief: hourMs,
};

/**
 * Additional time of attempts if no acceptance shows that mail gets through: long enough for a mail to the operator to
 * find out. Only for policies whose end has consequences.
 */
const witnessWaitMs: Record<DeliveryPolicy, number> = {
  standard: 0,
  patient: dayMs,
  'owner-reminder': dayMs,
  'link-again': 0,
  brief: 0,
};

/** Number of refusals, each a day after the one before, that close a mailbox. */
export const closedMailboxRefusals = 3;
/** Number of permanent refusals that end a message: one only if no step and no letter rests on it. */
export const refusalLimit: Record<DeliveryPolicy, number> = {
  standard: 1,
  patient: closedMailboxRefusals,
  'owner-reminder': closedMailboxRefusals,
  'link-again': closedMailboxRefusals,
  brief: 1,
};

export const waitAfterRefusalMs = dayMs;

/** Time before a check that mail gets through: a server that is only busy accepts sooner. */
export const longRefusedMs = 12 * hourMs;

/** Next step of a message after an attempt. A message out of time is dead, a permanently refused one bounced. */
export function stepAfterAttempt(facts: AttemptFacts): NextStep {
  if (facts.outcome === 'accepted') return { status: 'accepted' };

  if (facts.outcome === 'refused') {
    if (facts.refusals >= refusalLimit[facts.policy]) return { status: 'bounced' };
    return { status: 'pending', nextAttemptMs: facts.nowMs + waitAfterRefusalMs };
  }

  const nextAttemptMs = facts.nowMs + waitAfterAttemptMs(facts.attempts, facts.policy);
  const longestMs = patienceMs[facts.policy] + (facts.hasWitness ? 0 : witnessWaitMs[facts.policy]);
  const triedMs = triedForMs(facts.attempts - facts.attemptsInVain, facts.policy);
  const isOutOfPatience = Math.min(nextAttemptMs - facts.firstDueMs, triedMs) > longestMs;
  if (isOutOfPatience) return { status: 'dead' };
  return { status: 'pending', nextAttemptMs };
}

/** True if it has been refused temporarily for half a day, by the clock and by its own attempts. */
export function isLongRefused({
  attempts,
  firstDueMs,
  nowMs,
}: Pick<AttemptFacts, 'attempts' | 'firstDueMs' | 'nowMs'>) {
  return Math.min(nowMs - firstDueMs, triedForMs(attempts)) >= longRefusedMs;
}

/** Time without any accepted mail after which a temporary refusal says nothing about a mailbox. */
export const nothingLeftMs = dayMs;

/** The wait after the n-th attempt: 1, 2, 4 … minutes, never more than six hours. */
export function waitAfterAttemptMs(attempts: number, policy: DeliveryPolicy = 'standard'): number {
  const doublings = Math.min(Math.max(attempts, 1) - 1, 30);
  const firstMs = policy === 'brief' ? briefWaitMs : shortestWaitMs;
  return Math.min(firstMs * 2 ** doublings, longestWaitMs);
}

/**
 * Time that this number of attempts takes with their waits. Patience counts the lesser of this and the time since
 * the message was due. So neither weeks of downtime nor a row of crashes use it up.
 */
export function triedForMs(attempts: number, policy: DeliveryPolicy = 'standard'): number {
  let totalMs = 0;
  let attempt = 1;
  for (; attempt <= attempts && waitAfterAttemptMs(attempt, policy) < longestWaitMs; attempt += 1) {
    totalMs += waitAfterAttemptMs(attempt, policy);
  }
  return totalMs + (attempts - attempt + 1) * longestWaitMs;
}
