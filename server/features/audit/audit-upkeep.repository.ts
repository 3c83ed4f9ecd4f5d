import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { auditChains, auditLogs } from '#server/schema/audit.tables.ts';
import { installationChain } from './audit.rules.ts';
import type { AuditKeys, ChainEnd } from './audit-keys.ts';

/** Takes the head of a chain: nothing is added to it until the end of the transaction. */
async function lockHead(tx: Executor, chain: string): Promise<void> {
  await tx.select().from(auditChains).where(eq(auditChains.chain, chain)).for('update');
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

/** The end of a chain whose rows go, the first row of it that stays, and the last that goes. */
type Cut = ChainEnd & { firstKept: number; lastHash: Buffer; isOwnerGone: boolean };

/**
 * Removes at most `limit` rows that are from before `before`. Gives how many went, and which chains have ended with them.
 *
 * The head of the installation's chain is taken first, because the caller goes on to record there, and every other one only
 * where nobody has it: so this never waits for a chain while it holds one, and cannot meet a writer who waits for it.
 * Its rows go first, too: an anchor goes before the rows that it was made of.
 */
export async function pruneChains(tx: Executor, keys: AuditKeys, { before, limit }: Omit<Pruning, 'at'>) {
  await lockHead(tx, installationChain);
  const own = await findCuts(tx, before, [{ chain: installationChain, rows: limit }]);
  const left = limit - rowsOf(own);
  const others = left > 0 ? await findCuts(tx, before, await listChainsBefore(tx, before, left)) : [];
  const cuts = [...own, ...others];
  if (cuts.length === 0) return { rows: 0, ended: [] };
  await tx.execute(sql`
    delete from audit_logs using ${unnested(cuts)} where audit_logs.chain = cut.chain and position < cut.first_kept`);
  const isEnded = ({ chain, firstKept, length, isOwnerGone }: Cut) =>
    firstKept > length && isOwnerGone && chain !== installationChain;
  const [ended, kept] = [cuts.filter(isEnded), cuts.filter((cut) => !isEnded(cut))];
  await tx.execute(sql`delete from audit_chains using ${unnested(ended)} where audit_chains.chain = cut.chain`);
  await tx.execute(sql`
    update audit_chains set pruned_length = cut.first_kept - 1, pruned_hash = cut.last_hash, seal = cut.seal
    from ${unnested(kept, keys)} where audit_chains.chain = cut.chain`);
  return { rows: rowsOf(cuts), ended };
}

function rowsOf(cuts: readonly Cut[]): number {
  return cuts.reduce((sum, { firstKept, prunedLength }) => sum + firstKept - 1 - prunedLength, 0);
}

/** Chains of owners that have some of the oldest `limit` rows from before `before`, with how many. */
async function listChainsBefore(executor: Executor, before: Date, limit: number) {
  const { rows } = await executor.execute<{ chain: string; rows: number }>(sql`
    select chain, count(*)::int as rows from (
      select chain from audit_logs where created_at < ${before.toISOString()}::timestamptz and chain <> ${installationChain}
      order by created_at limit ${limit}) oldest
    group by chain order by chain`);
  return rows;
}

/**
 * Takes the heads of those chains that nobody has, and gives where each is cut: before its first row that is not from before
 * `before`, and after so many rows at most. One of which nothing goes is left out.
 */
async function findCuts(
  tx: Executor,
  before: Date,
  wanted: readonly { chain: string; rows: number }[],
): Promise<Cut[]> {
  const chains = wanted.map(({ chain }) => chain);
  const counts = wanted.map(({ rows }) => rows);
  const { rows } = await tx.execute<StoredCut>(sql`
    with taken as (
      select head.*, wanted.most from audit_chains head
      join unnest(${sql.param(chains)}::text[], ${sql.param(counts)}::int[]) as wanted (chain, most) on wanted.chain = head.chain
      order by head.chain for update of head skip locked
    ), placed as (
      select taken.*, least(pruned_length + 1 + most, coalesce((
        select min(position) from audit_logs
        where audit_logs.chain = taken.chain and created_at >= ${before.toISOString()}::timestamptz), length + 1)) as first_kept
      from taken
    )
    select placed.chain, length, head_hash, pruned_length, first_kept, last.hash as last_hash, last.user_id is null as owner_gone
    from placed join audit_logs last on last.chain = placed.chain and last.position = placed.first_kept - 1`);
  return rows.map((row) => ({
    ...{ chain: row.chain, length: Number(row.length), headHash: row.head_hash },
    ...{ prunedLength: Number(row.pruned_length), prunedHash: null, firstKept: Number(row.first_kept) },
    ...{ lastHash: row.last_hash, isOwnerGone: row.owner_gone },
  }));
}

type StoredCut = {
  chain: string;
  length: string;
  head_hash: Buffer;
  pruned_length: string;
  first_kept: string;
  last_hash: Buffer;
  owner_gone: boolean;
};

/** Cuts as rows of a statement; sealed anew as their heads will stand, where the key for it is given. */
function unnested(cuts: readonly Cut[], keys?: AuditKeys) {
  const seals = cuts.map(
    (cut) => keys?.headSeal({ ...cut, prunedLength: cut.firstKept - 1, prunedHash: cut.lastHash }) ?? null,
  );
  const of = <Name extends keyof Cut>(name: Name) => sql.param(cuts.map((cut) => cut[name]));
  return sql`unnest(${of('chain')}::text[], ${of('firstKept')}::bigint[], ${of('lastHash')}::bytea[], ${sql.param(seals)}::bytea[])
    as cut (chain, first_kept, last_hash, seal)`;
}
