import type { App } from '#server/app.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { channelsThat } from './channels/channels.ts';
import { readMailFlow } from './frozen-mail.repository.ts';
import { emptyPayloads, findNextDue, hasLaterMessage, hasOpenFor } from './notifications.repository.ts';

const purgeLimit = 1_000;
/** Days that a payload is kept after the end of its message: long enough to examine a failure. */
const payloadKeptDays = 30;
const dayMs = 24 * 60 * 60_000;

/** Time at which the next message falls due. Null if none waits, or if the waiting ones are frozen. */
export function nextDueAt(app: App): Promise<Date | null> {
  return findNextDue(app.db);
}

/** Time since which mail has been due and none was accepted. Null if mail is well or none is due. Frozen mail is not due. */
export async function mailTroubledSince(app: App, executor: Executor): Promise<Date | null> {
  const { dueSince, lastAcceptedAt } = await readMailFlow(executor, { now: await app.clock.now(executor) });
  if (!dueSince) return null;
  return lastAcceptedAt && lastAcceptedAt > dueSince ? lastAcceptedAt : dueSince;
}

/** True if a message of this kind about `subjectId` has not left yet. */
export function isWaiting(executor: Executor, subjectId: string, kind: MailKind): Promise<boolean> {
  return hasOpenFor(executor, subjectId, kind);
}

/** True if a message of the same kind and cause, written with this one or later, was accepted or is still to leave. */
export function isHeard(executor: Executor, id: string): Promise<boolean> {
  return hasLaterMessage(executor, id);
}

/** Empties payloads of messages 30 days after their end. Returns their number. */
export async function purgeEndedMessages(app: App, limit = purgeLimit): Promise<number> {
  const { db, clock } = app;
  const now = await clock.now();
  // The row of a message that never left this machine is its only copy.
  const channels = channelsThat('leave', app);
  return emptyPayloads(db, { channels, endedBefore: new Date(now.getTime() - payloadKeptDays * dayMs), limit });
}
