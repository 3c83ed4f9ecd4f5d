import type { Executor } from '#server/platform/db/database.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { endNotification, keepQueued, postponeNotification, type TriedRow } from './attempts.repository.ts';
import type { Ended } from './mail-reactions.ts';
import { findTextSentAt, updateText } from './notifications.repository.ts';
import { longestWaitMs, refusalLimit, shortestWaitMs, waitAfterRefusalMs } from './notifications.retry.rules.ts';

/* A text counts as accepted once its provider reports it as delivered. Its id alone is a receipt of a queue. */

/** Longest wait for the report on a text. Twilio tries for ten hours at most, and some networks never report. */
export const reportMaxMs = 2 * dayMs;

/** Records that the provider has a text without a report. Returns its end if the wait for the report is over. */
export async function recordQueued(
  tx: Executor,
  row: TriedRow,
  { providerId, at }: { providerId: string; at: Date },
): Promise<Ended | null> {
  const isNew = row.providerId === null;
  // From now on an answer to it counts.
  if (isNew) await updateText(tx, row.id, { status: 'sent', sentAt: at });
  const sentAt = (isNew ? null : await findTextSentAt(tx, row.id)) ?? at;
  const waitedMs = at.getTime() - sentAt.getTime();
  const { refusals, lastReplyCode: replyCode } = row;
  if (waitedMs >= reportMaxMs) return giveUp(tx, row, { at, replyCode, refusals });
  // Each wait is as long as all before it together.
  const waitMs = Math.min(Math.max(waitedMs, shortestWaitMs), longestWaitMs);
  await keepQueued(tx, row.id, { providerId, nextAttemptAt: new Date(at.getTime() + waitMs) });
  return null;
}

/**
 * Records that a text was not delivered. It is handed over again a day later, as often as a mailbox is asked after a
 * refusal. Each time costs money.
 */
export async function recordUndelivered(
  tx: Executor,
  row: TriedRow,
  { replyCode, at }: { replyCode: number | null; at: Date },
): Promise<Ended | null> {
  const { id, attemptsInVain } = row;
  const refusals = row.refusals + 1;
  if (refusals >= refusalLimit[row.policy]) return giveUp(tx, row, { at, replyCode, refusals });
  const nextAttemptAt = new Date(at.getTime() + waitAfterRefusalMs);
  await postponeNotification(tx, id, { nextAttemptAt, replyCode, attemptsInVain, refusals, troubledAt: undefined });
  return null;
}

type LastAnswer = { at: Date; replyCode: number | null; refusals: number };

async function giveUp(tx: Executor, row: TriedRow, last: LastAnswer): Promise<Ended> {
  await endNotification(tx, row.id, { status: 'dead', ...last, troubledAt: undefined });
  return { row, outcome: 'dead', at: last.at };
}
