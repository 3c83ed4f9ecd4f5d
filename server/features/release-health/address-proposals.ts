import type { App } from '#server/app.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { endProposals, endWindows, requestsWithLiveProposals } from './address-proposals.repository.ts';

/**
 * Restarts the windows of all live proposals, of one owner or of all (`null`). Runs at the end of every freeze, since a
 * short freeze between two visits must have its effect too. A frozen question names the day on which the old window
 * would have ended. It is withdrawn before it can leave, and the new window asks with the right day.
 */
export async function restartWindows(
  app: App,
  tx: Executor,
  { userId, at }: { userId: string | null; at: Date },
): Promise<void> {
  await endWindows(tx, { userId, at });
  await cancelNotificationsFor(app, tx, requestsWithLiveProposals(tx, userId), 'proposal ended');
}

/** Ends the proposals of a release that has ended or was undone, and withdraws mails that lead to its page. */
export async function endAskingForAddresses(
  app: App,
  tx: Executor,
  { requestId, at }: { requestId: string; at: Date },
): Promise<void> {
  await endProposals(tx, requestId, at);
  await cancelNotificationsFor(app, tx, requestId, 'release ended');
}
