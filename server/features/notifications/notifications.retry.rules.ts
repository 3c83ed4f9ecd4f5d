/** How long a message is tried, and what a refusal for good means for it. */
export type DeliveryPolicy = 'standard' | 'patient' | 'owner-reminder' | 'link-again';

export type AttemptOutcome = 'accepted' | 'temporary' | 'refused';

export type AttemptFacts = {
  policy: DeliveryPolicy;
  outcome: AttemptOutcome;
  /** How many times it was tried, this one counted. */
  attempts: number;
  /** How many of these were made while nothing left us at all, this one counted: they use up no patience. */
  attemptsInVain: number;
  /** How often it was refused for good, this one counted. */
  refusals: number;
  /** When it first became due, in milliseconds. */
  firstDueMs: number;
  nowMs: number;
  /** Whether other mail was accepted lately, so that what was refused for so long says something of this mailbox. */
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

/** For how long a message that is refused for now is tried again. */
export const patienceMs: Record<DeliveryPolicy, number> = {
  standard: 3 * dayMs,
  patient: 30 * dayMs,
  'owner-reminder': 30 * dayMs,
  'link-again': 3 * dayMs,
};

/**
 * How much longer it is tried where nothing says that mail gets through at all: long enough for a mail to the operator to
 * find out. Only where something follows from the end.
 */
const witnessWaitMs: Record<DeliveryPolicy, number> = {
  standard: 0,
  patient: dayMs,
  'owner-reminder': dayMs,
  'link-again': 0,
};

/** Number of refusals, each a day after the one before, that close a mailbox. */
export const closedMailboxRefusals = 3;
/** Number of permanent refusals that end a message: one only if no step and no letter rests on it. */
export const refusalLimit: Record<DeliveryPolicy, number> = {
  standard: 1,
  patient: closedMailboxRefusals,
  'owner-reminder': closedMailboxRefusals,
  'link-again': closedMailboxRefusals,
};

export const waitAfterRefusalMs = dayMs;

/** So long before anybody asks whether mail gets through: a server that is only busy takes it sooner. */
export const longRefusedMs = 12 * hourMs;

/** What becomes of a message after an attempt. A message that ran out of time is dead, one refused for good bounced. */
export function stepAfterAttempt(facts: AttemptFacts): NextStep {
  if (facts.outcome === 'accepted') return { status: 'accepted' };

  if (facts.outcome === 'refused') {
    if (facts.refusals >= refusalLimit[facts.policy]) return { status: 'bounced' };
    return { status: 'pending', nextAttemptMs: facts.nowMs + waitAfterRefusalMs };
  }

  const nextAttemptMs = facts.nowMs + waitAfterAttemptMs(facts.attempts);
  const longestMs = patienceMs[facts.policy] + (facts.hasWitness ? 0 : witnessWaitMs[facts.policy]);
  const triedMs = triedForMs(facts.attempts - facts.attemptsInVain);
  const isOutOfPatience = Math.min(nextAttemptMs - facts.firstDueMs, triedMs) > longestMs;
  if (isOutOfPatience) return { status: 'dead' };
  return { status: 'pending', nextAttemptMs };
}

/** Whether it has been refused for now for half a day, by the clock and by its own attempts. */
export function isLongRefused({
  attempts,
  firstDueMs,
  nowMs,
}: Pick<AttemptFacts, 'attempts' | 'firstDueMs' | 'nowMs'>) {
  return Math.min(nowMs - firstDueMs, triedForMs(attempts)) >= longRefusedMs;
}

/** Where no mail at all has left us for so long, what is refused for now says nothing of a mailbox any more. */
export const nothingLeftMs = dayMs;

/** The wait after the n-th attempt: 1, 2, 4 … minutes, never more than six hours. */
export function waitAfterAttemptMs(attempts: number): number {
  const doublings = Math.min(Math.max(attempts, 1) - 1, 30);
  return Math.min(shortestWaitMs * 2 ** doublings, longestWaitMs);
}

/**
 * How long so many attempts take when each comes after its wait. Patience is measured by this as well as by the time
 * since the message was due: neither weeks in which we were down, nor a row of crashes, eat it up.
 */
export function triedForMs(attempts: number): number {
  let totalMs = 0;
  let attempt = 1;
  for (; attempt <= attempts && waitAfterAttemptMs(attempt) < longestWaitMs; attempt += 1) {
    totalMs += waitAfterAttemptMs(attempt);
  }
  return totalMs + (attempts - attempt + 1) * longestWaitMs;
}
