import { and, eq, gte, isNotNull, lt, min, ne } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { auditChains, auditLogs } from '#server/schema/audit.tables.ts';
import { installationChain } from './audit.rules.ts';
import type { AuditKeys } from './audit-keys.ts';

/** Takes the head of a chain: nothing is added to it until the end of the transaction. */
async function lockHead(tx: Executor, chain: string, { skipLocked = false } = {}) {
  const head = tx.select().from(auditChains).where(eq(auditChains.chain, chain));
  const [row] = await head.for('update', skipLocked ? { skipLocked } : {});
  return row ?? null;
}

/**
 * Empties the network address and browser of every row of a chain, and the salt with which their hash was made: what was
 * done, and when, stays as it was and verifies; from where goes.
 */
export async function emptyOrigins(tx: Executor, chain: string): Promise<void> {
  await tx
    .update(auditLogs)
    .set({ ipAddress: null, userAgent: null, originSalt: null })
    .where(and(eq(auditLogs.chain, chain), isNotNull(auditLogs.originHash)));
}

export type Pruning = { before: Date; limit: number; at: Date };
/** A chain that was removed with its last row. */
export type EndedChain = { chain: string; length: number; headHash: Buffer };

/**
 * Removes at most `limit` rows that are from before `before`. Gives how many went, and which chains have ended with them.
 *
 * The head of the installation's chain is taken first, because the caller goes on to record there, and every other one only
 * where nobody has it: so this never waits for a chain while it holds one, and cannot meet a writer who waits for it.
 * Its rows go first, too: an anchor goes before the rows that it was made of.
 */
export async function pruneChains(tx: Executor, keys: AuditKeys, { before, limit }: Omit<Pruning, 'at'>) {
  await lockHead(tx, installationChain);
  let pruned = 0;
  const ended: EndedChain[] = [];
  for (const chain of [installationChain, ...(await listChainsBefore(tx, before, limit))]) {
    if (pruned >= limit) break;
    const gone = await pruneChain(tx, keys, { chain, before, limit: limit - pruned });
    pruned += gone.rows;
    if (gone.ended) ended.push(gone.ended);
  }
  return { rows: pruned, ended };
}

/** Chains of owners that begin with a row from before `before`. */
async function listChainsBefore(executor: Executor, before: Date, limit: number): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ chain: auditLogs.chain })
    .from(auditLogs)
    .where(and(lt(auditLogs.createdAt, before), ne(auditLogs.chain, installationChain)))
    .limit(limit);
  return rows.map(({ chain }) => chain);
}

/**
 * Removes the rows of a chain that are from before `before`, from its beginning on and at most `limit`, and keeps
 * where the rest begins, so that it goes on to verify. A chain that is empty and whose owner is gone goes as a whole.
 * Gives how many rows went.
 */
async function pruneChain(
  tx: Executor,
  keys: AuditKeys,
  { chain, before, limit }: { chain: string; before: Date; limit: number },
): Promise<{ rows: number; ended?: EndedChain }> {
  const head = await lockHead(tx, chain, { skipLocked: true });
  if (!head) return { rows: 0 };
  const [kept] = await tx
    .select({ position: min(auditLogs.position) })
    .from(auditLogs)
    .where(and(eq(auditLogs.chain, chain), gte(auditLogs.createdAt, before)));
  const firstKept = Math.min(kept?.position ?? head.length + 1, head.prunedLength + 1 + limit);
  const [last] = await tx
    .select({ position: auditLogs.position, hash: auditLogs.hash, userId: auditLogs.userId })
    .from(auditLogs)
    .where(and(eq(auditLogs.chain, chain), eq(auditLogs.position, firstKept - 1)));
  if (!last) return { rows: 0 };

  await tx.delete(auditLogs).where(and(eq(auditLogs.chain, chain), lt(auditLogs.position, firstKept)));
  const rows = last.position - head.prunedLength;
  const isGone = last.position === head.length && last.userId === null && chain !== installationChain;
  if (isGone) {
    await tx.delete(auditChains).where(eq(auditChains.chain, chain));
    return { rows, ended: { chain, length: head.length, headHash: head.headHash } };
  }
  const pruned = { prunedLength: last.position, prunedHash: last.hash };
  const seal = keys.headSeal({ ...head, ...pruned });
  await tx
    .update(auditChains)
    .set({ ...pruned, seal })
    .where(eq(auditChains.chain, chain));
  return { rows };
}
