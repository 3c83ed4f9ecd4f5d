import { createHash } from 'node:crypto';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { preparedSql } from '#server/platform/db/prepared.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { type AuditContent, canonicalContent } from './audit.rules.ts';
import { auditLogs } from './audit.tables.ts';

type AuditRow = typeof auditLogs.$inferSelect;

export const firstPreviousHash = Buffer.alloc(32);

const place = sql.placeholder;

function hashAfter(previous: SQL, position: SQL): SQL {
  return sql`sha256(${previous} || convert_to(${position} || ' ' || ${place('text')}::text, 'UTF8'))`;
}

const rowAppended = preparedSql(
  'audit_append',
  sql`
    with head as (
      insert into audit_chains as known (chain, length, previous_hash, head_hash)
      values (${place('chain')}::text, 1, ${place('first')}::bytea, ${hashAfter(sql`${place('first')}::bytea`, sql`'1'`)})
      on conflict (chain) do update set
        length = known.length + 1,
        previous_hash = known.head_hash,
        head_hash = ${hashAfter(sql`known.head_hash`, sql`(known.length + 1)::text`)}
      returning length, previous_hash, head_hash
    )
    insert into audit_logs (id, user_id, action, resource, resource_id, details, ip_address, user_agent, created_at,
                            chain, position, previous_hash, hash)
    select ${place('id')}::uuid, ${place('userId')}::uuid, ${place('action')}, ${place('resource')},
           ${place('resourceId')}, ${place('details')}::jsonb, ${place('ipAddress')}, ${place('userAgent')},
           ${place('createdAt')}::timestamptz, ${place('chain')}::text, head.length, head.previous_hash, head.head_hash
    from head`,
);

/**
 * Moves the head of the chain on and writes the row that it now points to. The upsert locks the head, so two records
 * of one chain follow each other; PostgreSQL itself hashes, because only under that lock is the previous hash known.
 */
export async function appendRow(tx: Executor, userId: string | null, content: AuditContent): Promise<void> {
  const text = canonicalContent(content);
  const details = content.details && JSON.stringify(content.details);
  await rowAppended(tx, { ...content, details, userId, text, first: firstPreviousHash });
}

const headsLocked = preparedSql<{ chain: string; length: string; head_hash: Buffer }>(
  'audit_heads_locked',
  sql`
    insert into audit_chains as known (chain, length, previous_hash, head_hash)
    select chain, 0, ${place('first')}::bytea, ${place('first')}::bytea
    from unnest(${place('chains')}::text[]) as wanted (chain)
    order by chain
    on conflict (chain) do update set length = known.length
    returning chain, length, head_hash`,
);

const appended = recordSet(auditLogs, [
  'id',
  'userId',
  'action',
  'resource',
  'resourceId',
  'details',
  'ipAddress',
  'userAgent',
  'createdAt',
  'chain',
  'position',
  'previousHash',
  'hash',
]);

const rowsAppended = preparedSql(
  'audit_append_all',
  sql`
    with moved as (
      update audit_chains set length = head.length, previous_hash = head.previous_hash, head_hash = head.head_hash
      from unnest(${place('chains')}::text[], ${place('lengths')}::bigint[], ${place('previousHashes')}::bytea[],
                  ${place('headHashes')}::bytea[]) as head (chain, length, previous_hash, head_hash)
      where audit_chains.chain = head.chain
    )
    insert into audit_logs (${appended.names}) select ${appended.names} from ${appended.source}`,
);

type NewRow = AuditContent & { userId: string | null };
type Head = { length: number; previousHash: Buffer; headHash: Buffer };

/**
 * Appends rows, each to its chain and in their order, with two statements however many there are: the heads are
 * locked and read, the hashes are made here, and all is written at once.
 */
export async function appendRows(tx: Executor, contents: readonly NewRow[]): Promise<void> {
  if (contents.length === 0) return;
  const chains = [...new Set(contents.map(({ chain }) => chain))];
  const locked = await headsLocked(tx, { chains, first: firstPreviousHash });
  const heads = new Map<string, Head>(
    locked.map(({ chain, length, head_hash: headHash }) => [
      chain,
      { length: Number(length), previousHash: headHash, headHash },
    ]),
  );

  const rows = contents.map((content) => {
    const head = heads.get(content.chain);
    if (!head) throw new Error('The head of a chain was locked and not given back.');
    const position = head.length + 1;
    const previousHash = head.headHash;
    const hash = hashAfterRow(previousHash, position, content);
    heads.set(content.chain, { length: position, previousHash, headHash: hash });
    return { ...content, createdAt: new Date(content.createdAt), position, previousHash, hash };
  });
  const moved = chains.flatMap((chain) => heads.get(chain) ?? []);
  await rowsAppended(tx, {
    chains,
    lengths: moved.map(({ length }) => length),
    previousHashes: moved.map(({ previousHash }) => previousHash),
    headHashes: moved.map(({ headHash }) => headHash),
    rows: appended.encode(rows),
  });
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

/** The hash that a row must have, by what it says and the hash before it. */
export function hashOf(row: AuditRow): Buffer {
  return hashAfterRow(row.previousHash, row.position, { ...row, createdAt: row.createdAt.toISOString() });
}

function hashAfterRow(previousHash: Buffer, position: number, content: AuditContent): Buffer {
  return createHash('sha256')
    .update(previousHash)
    .update(`${position} ${canonicalContent(content)}`)
    .digest();
}
