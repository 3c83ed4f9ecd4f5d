import {
  closedMailboxRefusals,
  type DeliveryPolicy,
  patienceMs,
  refusalLimit,
  waitAfterRefusalMs,
} from './notifications.retry.rules.ts';

/** A mail that came back after it was accepted (RFC 3464). */
export type BounceFacts = {
  policy: DeliveryPolicy;
  /** It counts as a refusal of the mailbox; see mailbox-refusals.service.ts. */
  isOfMailbox: boolean;
  /** How often it was refused for good, this one counted where it speaks of the mailbox. */
  refusals: number;
  /** When the mail first became due, in milliseconds. */
  firstDueMs: number;
  nowMs: number;
};

export type StepAfterBounce = { status: 'bounced' } | { status: 'dead' } | { status: 'pending'; nextAttemptMs: number };

const dayMs = 86_400_000;

/** Later than this after it was accepted, a report says nothing any more that anybody could rest on. */
export const bounceCountsMs = 14 * dayMs;

/** What becomes of it: the same as after a refusal, but that a day passes before each new try, since another server has tried meanwhile. */
export function stepAfterBounce({ policy, isOfMailbox, refusals, firstDueMs, nowMs }: BounceFacts): StepAfterBounce {
  if (isOfMailbox && refusals >= refusalLimit[policy]) return { status: 'bounced' };
  const nextAttemptMs = nowMs + waitAfterRefusalMs;
  if (!isOfMailbox && nextAttemptMs - firstDueMs > patienceMs[policy]) return { status: 'dead' };
  return { status: 'pending', nextAttemptMs };
}

/** Tries that a mailbox has answered, and the time they took, after which it counts as closed whatever its domain does. */
export const closedAfterTries = 10;
export const closedAfterMs = 30 * dayMs;

export type ReportFacts = {
  /** Days on which a report counted as a refusal of the mailbox. */
  countedDays: number;
  /** Reports that speak of the mailbox or of a full one, whether or not they count, and the healthy time since the first try. */
  tries: number;
  healthyMs: number;
};

/** True if a mailbox that only reports speak of is closed. */
export function isMailboxClosed({ countedDays, tries, healthyMs }: ReportFacts): boolean {
  return countedDays >= closedMailboxRefusals || (tries >= closedAfterTries && healthyMs >= closedAfterMs);
}
