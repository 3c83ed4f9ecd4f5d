import {
  closedMailboxRefusals,
  type DeliveryPolicy,
  patienceMs,
  refusalLimit,
  waitAfterRefusalMs,
} from './notifications.retry.rules.ts';

/** The tag of a return path has room for 65,535 series. */
export const laterSeries = 0xfffd;

/**
 * Number in the return path of a mail. Tries after temporary refusals share it: a greylist lets a mail pass only with the same
 * sender. A mail that came back after it was accepted gets another number.
 */
export function seriesOf(bouncedAtMs: number | null): number {
  return bouncedAtMs === null ? 1 : 2 + (Math.floor(bouncedAtMs / 1_000) % laterSeries);
}

/** A mail that came back after it was accepted (RFC 3464). */
export type BounceFacts = {
  policy: DeliveryPolicy;
  /** True if it counts as a refusal by the mailbox; see mailbox-refusals.service.ts. */
  isOfMailbox: boolean;
  /** Number of permanent refusals, including this one if it is about the mailbox. */
  refusals: number;
  /** Time at which the mail first became due, in milliseconds. */
  firstDueMs: number;
  nowMs: number;
};

export type StepAfterBounce = { status: 'bounced' } | { status: 'dead' } | { status: 'pending'; nextAttemptMs: number };

const dayMs = 86_400_000;

/** Time after the acceptance from which a report no longer counts. */
export const bounceCountsMs = 14 * dayMs;

/**
 * Next step after a bounce: as after a refusal, but with a day before each new try, since another server has tried
 * meanwhile.
 */
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
