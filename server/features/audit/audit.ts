import type { App } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type Anchor, chainEndedAction } from './audit.rules.ts';
import { anchorHeads } from './audit-anchors.ts';
import { type Pruning, pruneChains } from './audit-upkeep.repository.ts';
import { type VerifiedLog, verifyLog } from './audit-verification.ts';
import { auditKeysOf, recordAudits } from './record.ts';

/**
 * Removes at most `limit` rows that are older than `before`, and records the ends of chains, in the caller's transaction.
 * Chains that another transaction is writing to stay for the next time. Returns the number of removed rows.
 */
export async function pruneAudit(app: App, tx: Executor, pruning: Pruning): Promise<number> {
  const { rows, ended } = await pruneChains(tx, auditKeysOf(app), pruning);
  const entry = { userId: null, action: chainEndedAction, resource: 'audit', at: pruning.at };
  const ends = ended.map(({ chain, length, headHash }) => {
    return { ...entry, resourceId: chain, details: { length, head: headHash.toString('hex') } };
  });
  await recordAudits(app, tx, ends);
  return rows;
}

/**
 * Sums up the current heads of all chains, so that the sum can be kept elsewhere, and marks them as the heads of this day.
 * The anchor counts for `verifyAudit` once it is recorded as `anchoredAction`. It must not run in a transaction.
 */
export function anchorAudit(app: App, day: string): Promise<Anchor> {
  return anchorHeads(app.db, auditKeysOf(app), day);
}

/**
 * Reads every chain, and finds the first row that was removed, changed or moved. Computes again every recorded anchor, and
 * the given ones.
 */
export function verifyAudit(app: App, anchors: readonly Anchor[] = []): Promise<VerifiedLog> {
  return verifyLog(app.db, auditKeysOf(app), anchors);
}
