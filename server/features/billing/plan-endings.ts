import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { governing } from './billing.rules.ts';
import { sendEnded, sendLapsed } from './billing-letters.ts';
import { listSubscriptions, type SubscriptionRow } from './subscriptions.repository.ts';

/**
 * Emails the owner of a subscription that has just ended, after it is stored. An owner with another plan, bought or
 * given, lost nothing and gets no email. An owner who deletes the account was notified then, and gets none either.
 */
export async function sendPlanEnding(app: App, tx: Executor, row: SubscriptionRow, at: Date): Promise<void> {
  const owner = row.userId ? await findOwner(tx, row.userId) : null;
  if (owner) {
    const isGiven = owner.planGrantedAt !== null;
    const isBought = governing(await listSubscriptions(tx, owner.id)) !== null;
    if (isGiven || isBought || owner.deletionRequestedAt) return;
  }
  if (row.status === 'lapsed') await sendLapsed(app, tx, row, owner, at);
  else await sendEnded(app, tx, row, owner, at);
}
