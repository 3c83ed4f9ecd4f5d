import { kindsWhileOpen } from '#server/features/delivery/delivery.dependencies.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { agreeingKind } from '#server/features/release-health/address-proposal-kinds.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { endProposals, giveUpWindows, requestsWithLiveProposals } from './address-proposals.repository.ts';

/**
 * Has all live proposals, of one owner or of all (`null`), begin anew. Part of what ends a freeze: one that came and went
 * between two looks must leave its trace, too. A question that was held names the day on which the old window would have
 * ended, so it is taken back before it can leave; the new window asks with the right one.
 */
export async function restartWindows(
  tx: Executor,
  notifications: Pick<Notifications, 'cancelFor'>,
  { userId, at }: { userId: string | null; at: Date },
): Promise<void> {
  await giveUpWindows(tx, { userId, at });
  await notifications.cancelFor(tx, requestsWithLiveProposals(tx, userId), [agreeingKind]);
}

/** A release is over, or undone: what was proposed in it ends, and mails that lead to its page are taken back. */
export async function endAskingForAddresses(
  tx: Executor,
  notifications: Pick<Notifications, 'cancelFor'>,
  { requestId, at }: { requestId: string; at: Date },
): Promise<void> {
  await endProposals(tx, requestId, at);
  await notifications.cancelFor(tx, requestId, [agreeingKind, ...kindsWhileOpen]);
}
