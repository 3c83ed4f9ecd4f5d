import { type DeliveryPolicy, patienceMs, refusalLimit, waitAfterRefusalMs } from './notifications.retry.rules.ts';

/** A mail that came back after it was accepted (RFC 3464). */
export type BounceFacts = {
  policy: DeliveryPolicy;
  /** It says that the mailbox is closed, and not that we, the message or the way are in trouble. */
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

/** So many mailboxes may close in a day; where more mails come back, they say something of us. */
const closedInADayMax = 3;
const closedShareMax = 0.05;

/** Whether so much of a day's mail has come back that no single mailbox is to be blamed. */
export function isMassBounce(day: { bounced: number; accepted: number }): boolean {
  return day.bounced > closedInADayMax && day.bounced > (day.bounced + day.accepted) * closedShareMax;
}
