import { and, eq, inArray, is, sql } from 'drizzle-orm';
import { PgTransaction } from 'drizzle-orm/pg-core';
import type { Executor } from '#server/platform/db/database.ts';
import { statement } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import type { AuditContent } from './audit.rules.ts';
import type { AuditKeys, ChainEnd } from './audit-keys.ts';

export const firstPreviousHash = Buffer.alloc(32);

type StoredHead = {
  chain: string;
  length: string;
  head_hash: Buffer;
  pruned_length: string;
  pruned_hash: Buffer | null;
};

const headsLocked = statement<StoredHead>(sql`
  select chain, length, head_hash, pruned_length, pruned_hash from audit_chains
  where chain = any(${sql.placeholder('chains')}::text[]) order by chain for update`);

/** Chains that are there already are locked and given, too. */
const chainsBegun = statement<StoredHead>(sql`
  insert into audit_chains as known (chain, length, head_hash, seal)
  select chain, 0, ${sql.placeholder('firstPreviousHash')}::bytea, ''
  from unnest(${sql.placeholder('chains')}::text[]) as wanted (chain)
  order by chain
  on conflict (chain) do update set length = known.length
  returning chain, length, head_hash, pruned_length, pruned_hash`);

/** Takes the heads of chains, and begins those that are new, in one order: whoever takes several waits for nobody for ever. */
async function lockHeads(tx: Executor, chains: readonly string[]): Promise<Map<string, ChainEnd>> {
  const known = await headsLocked(tx, { chains });
  const heads = known.length === chains.length ? known : await chainsBegun(tx, { chains, firstPreviousHash });
  return new Map(heads.map((head) => [head.chain, endOf(head)]));
}

function endOf({ chain, length, head_hash: headHash, pruned_length, pruned_hash: prunedHash }: StoredHead): ChainEnd {
  return { chain, length: Number(length), headHash, prunedLength: Number(pruned_length), prunedHash };
}

const appended = recordSet(auditLogs, [
  'id',
  'userId',
  'action',
  'resource',
  'resourceId',
  'details',
  'ipAddress',
  'userAgent',
  'originSalt',
  'originHash',
  'createdAt',
  'chain',
  'position',
  'previousHash',
  'hash',
]);

const rowsAppended = statement(sql`
  with moved as (
    update audit_chains set length = head.length, head_hash = head.head_hash, seal = head.seal
    from unnest(${sql.placeholder('chains')}::text[], ${sql.placeholder('lengths')}::bigint[],
                ${sql.placeholder('headHashes')}::bytea[], ${sql.placeholder('seals')}::bytea[])
      as head (chain, length, head_hash, seal)
    where audit_chains.chain = head.chain
  )
  insert into audit_logs (${appended.names}) select ${appended.names} from ${appended.source}`);

/** What is written of a request besides what its hash covers. */
export type NewRow = AuditContent & {
  userId: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  originSalt: Buffer | null;
};

/**
 * Appends rows, each to its chain and in their order, with two statements however many there are: the heads are locked and
 * read, the hashes are made here, where the key is, and all is written at once. Whoever holds a head is waited for. In the
 * caller's transaction; outside of any, in one of its own.
 */
export async function appendRows(executor: Executor, keys: AuditKeys, contents: readonly NewRow[]): Promise<void> {
  if (contents.length === 0) return;
  if (is(executor, PgTransaction)) await appendIn(executor, keys, contents);
  else await executor.transaction((tx) => appendIn(tx, keys, contents));
}

async function appendIn(tx: Executor, keys: AuditKeys, contents: readonly NewRow[]): Promise<void> {
  const chains = [...new Set(contents.map(({ chain }) => chain))];
  const heads = await lockHeads(tx, chains);

  const rows = contents.map((content) => {
    const head = heads.get(content.chain);
    if (!head) throw new Error('The head of a chain was locked and not given back.');
    const position = head.length + 1;
    const previousHash = head.headHash;
    const hash = keys.rowHash(previousHash, position, content);
    heads.set(content.chain, { ...head, length: position, headHash: hash });
    return { ...content, createdAt: new Date(content.createdAt), position, previousHash, hash };
  });
  const moved = chains.flatMap((chain) => heads.get(chain) ?? []);
  const lengths = moved.map(({ length }) => length);
  const headHashes = moved.map(({ headHash }) => headHash);
  const seals = moved.map((end) => keys.headSeal(end));
  await rowsAppended(tx, { chains, lengths, headHashes, seals, rows: appended.encode(rows) });
}

/** Whether the log of an owner holds one of these actions. */
export async function holdsAction(executor: Executor, userId: string, actions: readonly string[]): Promise<boolean> {
  const [row] = await executor
    .select({ id: auditLogs.id })
    .from(auditLogs)
    .where(and(eq(auditLogs.userId, userId), inArray(auditLogs.action, [...actions])))
    .limit(1);
  return row !== undefined;
}
