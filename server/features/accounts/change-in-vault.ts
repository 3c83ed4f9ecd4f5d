import type { App } from '#server/app.ts';
import { type AuditEntry, type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { lockOwnerRow, type OwnerRow } from './accounts.repository.ts';
import { recordActivity } from './activity.ts';

/** Result of a change, and its line in the owner's audit log, if it has one. */
export type Change<Result> = { result: Result; audit?: Omit<AuditEntry, 'userId' | 'origin' | 'at'> };

/** An owner's request. `lockFirst` locks other rows together with the owner's row, in an order that avoids deadlocks. */
type OwnersRequest = {
  principal: { userId: string };
  origin: RequestOrigin;
  lockFirst?: (tx: Executor) => Promise<void>;
};

/**
 * Frame of every change that an owner makes. One transaction locks the owner's row, counts a sign of life, acts, and
 * writes the audit entry.
 * @throws AppError `NOT_FOUND` if the account is gone.
 */
export function changeInVault<Result>(
  app: App,
  { principal, origin, lockFirst }: OwnersRequest,
  act: (tx: Executor, at: Date, owner: OwnerRow) => Promise<Change<Result>>,
): Promise<Result> {
  const { userId } = principal;
  return app.db.transaction(async (tx) => {
    await lockFirst?.(tx);
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw notFound();
    const at = await app.clock.now(tx);
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
    const { result, audit } = await act(tx, at, owner);
    if (audit) await recordAudit(app, tx, { ...audit, userId, origin, at });
    return result;
  });
}
