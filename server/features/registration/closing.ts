import type { App } from '#server/app.ts';
import { throttlingKeyOf } from '#server/features/sessions/known-devices.ts';
import { endAllSessions } from '#server/features/sessions/sessions.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { deleteAccountRow, storeDeletionRequest, storeDisowned } from './closing.repository.ts';
import { deleteNotMeLinksOf } from './not-me-links.repository.ts';

export { listByHashedId, listClosing } from './closing.repository.ts';

/** Marks the account and signs its owner out everywhere. `healthyMs` is the healthy time at that moment. */
export async function markClosing(
  tx: Executor,
  userId: string,
  request: { at: Date; healthyMs: number },
): Promise<void> {
  await storeDeletionRequest(tx, userId, request);
  await endAllSessions(tx, userId);
}

export async function unmarkClosing(tx: Executor, userId: string): Promise<void> {
  await storeDeletionRequest(tx, userId, null);
}

/**
 * Voids every proof and every mailed link of a closing account, since a reader of its mailbox said that it is not theirs. Only a
 * new proof of the mailbox allows a restore. The account's row is locked.
 */
export async function disown(tx: Executor, userId: string): Promise<void> {
  await storeDisowned(tx, userId);
  await deleteNotMeLinksOf(tx, userId);
  await endAllSessions(tx, userId);
}

/** Destroys the key of the vault, and every row of the owner. The caller holds their lock. */
export async function eraseAccount(
  app: App,
  tx: Executor,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await deleteAccountRow(tx, id, throttlingKeyOf(app, email));
}
