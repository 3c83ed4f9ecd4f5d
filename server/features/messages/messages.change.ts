import type { App } from '#server/app.ts';
import { changeInVault } from '#server/features/accounts/change-in-vault.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { removeFreed } from '#server/features/files/stored-files.ts';
import { detailsOf, type ReadyChange } from '#server/features/ready-changes/ready-changes.rules.ts';
import { noteReadyChange } from '#server/features/ready-changes/ready-changes.service.ts';
import type { Proved } from '#server/features/sessions/fresh-sign-in.ts';
import type { WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { cancelWaitingLetters, type LockedMessage, lockMessage } from './messages.repository.ts';
import { requireChangeable } from './messages.rules.ts';

/** An owner's request, and the key of the change if it has one. */
export type OwnersCall = {
  principal: Proved & { plan: PlanName; vaultKey: WrappedKey };
  origin: RequestOrigin;
  changeKey?: string | undefined;
};
export type OwnersMessageCall = OwnersCall & { params: { id: string } };

/** Result of a change of one message. */
export type Done<Result> = {
  result: Result;
  /** Null for a repeated request: nothing changed, so nothing is recorded. */
  action: string | null;
  id: string;
  /** Paths of files that lost their last reference. */
  freedPaths?: readonly string[];
  /** For the daily email to the owner; null if no ready message changed. */
  ready: ReadyChange | null;
};

/**
 * Runs a change of a message in the owner's vault, then removes freed files. The sign of life comes first: it ends an open
 * release and cancels unsent mails while message and delivery still exist.
 */
export async function changeMessage<Result>(
  app: App,
  { principal, origin }: OwnersCall,
  act: (tx: Executor, at: Date, plan: PlanName) => Promise<Done<Result>>,
): Promise<Result> {
  const { result, freedPaths = [] } = await changeInVault(app, { principal, origin }, async (tx, at, { plan }) => {
    const done = await act(tx, at, plan);
    const { action, id, ready } = done;
    if (ready) await noteReadyChange(tx, principal.userId, at);
    if (action === null) return { result: done };
    const details = ready ? detailsOf(ready) : undefined;
    return { result: done, audit: { action, resource: 'message', resourceId: id, details } };
  });
  await removeFreed(app, freedPaths);
  return result;
}

/**
 * Locks a message for a change. Letters that wait for their day are cancelled: the changed message belongs to the next release.
 * @throws AppError `NOT_FOUND`, or `CONFLICT` if a reader has the message.
 */
export async function lockToChange(
  app: App,
  tx: Executor,
  { principal: { userId }, params: { id }, origin }: OwnersMessageCall,
  at: Date,
): Promise<LockedMessage> {
  const known = await lockMessage(tx, userId, id);
  if (!known) throw notFound();
  requireChangeable({ ...known, hasReader: known.deliveredAt !== null });
  if (await cancelWaitingLetters(tx, id, at)) {
    const entry = { userId, action: 'delivery.cancelled', resource: 'message', resourceId: id };
    await recordAudit(app, tx, { ...entry, origin, at });
  }
  return known;
}
