import { and, asc, eq, gt, gte, lt, min, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { firstPreviousHash, hashOf } from './audit.repository.ts';
import { installationChain } from './audit.rules.ts';
import { auditChains, auditLogs } from './audit.tables.ts';

const rowsPerPage = 1_000;

/** Takes the head of a chain: nothing is added to it until the end of the transaction. */
async function lockHead(tx: Executor, chain: string, { skipLocked = false } = {}) {
  const head = tx.select().from(auditChains).where(eq(auditChains.chain, chain));
  const [row] = await head.for('update', skipLocked ? { skipLocked } : {});
  return row ?? null;
}

/**
 * Empties the network address and browser of every row of a chain, and hashes the chain anew: what was done, and when,
 * stays as it was and verifies; from where goes.
 */
export async function emptyOrigins(tx: Executor, chain: string): Promise<void> {
  const head = await lockHead(tx, chain);
  if (!head) return;
  let previousHash = head.prunedHash ?? firstPreviousHash;
  let lastHash = previousHash;
  let after = head.prunedLength;

  for (;;) {
    const rows = await tx
      .select()
      .from(auditLogs)
      .where(and(eq(auditLogs.chain, chain), gt(auditLogs.position, after)))
      .orderBy(asc(auditLogs.position))
      .limit(rowsPerPage);
    const links = rows.map((row) => {
      previousHash = lastHash;
      lastHash = hashOf({ ...row, previousHash, ipAddress: null, userAgent: null });
      return { id: row.id, previousHash, hash: lastHash };
    });
    await relink(tx, links);
    after = rows.at(-1)?.position ?? after;
    if (rows.length < rowsPerPage) break;
  }
  await tx.update(auditChains).set({ previousHash, headHash: lastHash }).where(eq(auditChains.chain, chain));
}

async function relink(tx: Executor, links: readonly { id: string; previousHash: Buffer; hash: Buffer }[]) {
  if (links.length === 0) return;
  const list = (values: readonly (string | Buffer)[]) =>
    sql.join(
      values.map((value) => sql`${value}`),
      sql`, `,
    );
  await tx.execute(sql`
    update ${auditLogs} set ip_address = null, user_agent = null, previous_hash = link.previous_hash, hash = link.hash
    from unnest(
      array[${list(links.map(({ id }) => id))}]::uuid[],
      array[${list(links.map((link) => link.previousHash))}]::bytea[],
      array[${list(links.map(({ hash }) => hash))}]::bytea[]
    ) as link(id, previous_hash, hash)
    where ${auditLogs.id} = link.id`);
}

/**
 * Removes at most `limit` rows that are from before `before`. Gives how many went.
 *
 * The head of the installation's chain is taken first, because the caller goes on to record there, and every other one only
 * where nobody has it: so this never waits for a chain while it holds one, and cannot meet a writer who waits for it.
 */
export async function pruneChains(tx: Executor, before: Date, limit: number): Promise<number> {
  await lockHead(tx, installationChain);
  let pruned = 0;
  for (const chain of await listChainsBefore(tx, before, limit)) {
    if (pruned >= limit) break;
    pruned += await pruneChain(tx, chain, before, limit - pruned);
  }
  return pruned;
}

/** Chains that begin with a row from before `before`. */
async function listChainsBefore(executor: Executor, before: Date, limit: number): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ chain: auditLogs.chain })
    .from(auditLogs)
    .where(lt(auditLogs.createdAt, before))
    .limit(limit);
  return rows.map(({ chain }) => chain);
}

/**
 * Removes the rows of a chain that are from before `before`, from its beginning on and at most `limit`, and keeps
 * where the rest begins, so that it goes on to verify. A chain that is empty and whose owner is gone goes as a whole.
 * Gives how many rows went.
 */
async function pruneChain(tx: Executor, chain: string, before: Date, limit: number): Promise<number> {
  const head = await lockHead(tx, chain, { skipLocked: true });
  if (!head) return 0;
  const [kept] = await tx
    .select({ position: min(auditLogs.position) })
    .from(auditLogs)
    .where(and(eq(auditLogs.chain, chain), gte(auditLogs.createdAt, before)));
  const firstKept = Math.min(kept?.position ?? head.length + 1, head.prunedLength + 1 + limit);
  const [last] = await tx
    .select({ position: auditLogs.position, hash: auditLogs.hash, userId: auditLogs.userId })
    .from(auditLogs)
    .where(and(eq(auditLogs.chain, chain), eq(auditLogs.position, firstKept - 1)));
  if (!last) return 0;

  await tx.delete(auditLogs).where(and(eq(auditLogs.chain, chain), lt(auditLogs.position, firstKept)));
  const isGone = last.position === head.length && last.userId === null && chain !== installationChain;
  if (isGone) await tx.delete(auditChains).where(eq(auditChains.chain, chain));
  else {
    const pruned = { prunedLength: last.position, prunedHash: last.hash };
    await tx.update(auditChains).set(pruned).where(eq(auditChains.chain, chain));
  }
  return last.position - head.prunedLength;
}
