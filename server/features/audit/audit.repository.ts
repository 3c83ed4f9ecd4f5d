import { createHash } from 'node:crypto';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { preparedSql } from '#server/platform/db/prepared.ts';
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

const headLocked = preparedSql<{ length: string; head_hash: Buffer }>(
  'audit_head_locked',
  sql`
    insert into audit_chains as known (chain, length, previous_hash, head_hash)
    values (${place('chain')}::text, 0, ${place('first')}::bytea, ${place('first')}::bytea)
    on conflict (chain) do update set length = known.length
    returning length, head_hash`,
);

const rowsAppended = preparedSql(
  'audit_append_all',
  sql`
    with head as (
      update audit_chains set length = ${place('length')}::bigint, previous_hash = ${place('previousHash')}::bytea,
        head_hash = ${place('headHash')}::bytea
      where chain = ${place('chain')}::text
    )
    insert into audit_logs (id, user_id, action, resource, resource_id, details, ip_address, user_agent, created_at,
                            chain, position, previous_hash, hash)
    select id, ${place('userId')}::uuid, action, resource, resource_id, details::jsonb, ip_address, user_agent,
           created_at, ${place('chain')}::text, position, previous_hash, hash
    from unnest(${place('ids')}::uuid[], ${place('actions')}::text[], ${place('resources')}::text[],
                ${place('resourceIds')}::text[], ${place('details')}::text[], ${place('ipAddresses')}::text[],
                ${place('userAgents')}::text[], ${place('createdAts')}::timestamptz[], ${place('positions')}::bigint[],
                ${place('previousHashes')}::bytea[], ${place('hashes')}::bytea[])
      as fresh (id, action, resource, resource_id, details, ip_address, user_agent, created_at, position,
                previous_hash, hash)`,
);

/**
 * Appends rows of one chain, in their order, with two statements however many there are: the head is locked and read,
 * the hashes are made here, and all is written at once.
 */
export async function appendRows(
  tx: Executor,
  userId: string | null,
  contents: readonly AuditContent[],
): Promise<void> {
  const [first] = contents;
  if (!first) return;
  const { chain } = first;
  const [head] = await headLocked(tx, { chain, first: firstPreviousHash });
  if (!head) throw new Error('The head of a chain was locked and not given back.');

  const start = Number(head.length);
  let previousHash = head.head_hash;
  const rows = contents.map((content, index) => {
    const position = start + index + 1;
    const row = { ...content, position, previousHash, hash: hashAfterRow(previousHash, position, content) };
    previousHash = row.hash;
    return row;
  });
  const column = <Value>(read: (row: (typeof rows)[number]) => Value) => rows.map(read);
  await rowsAppended(tx, {
    chain,
    userId,
    length: start + rows.length,
    previousHash: rows.at(-1)?.previousHash,
    headHash: previousHash,
    ids: column(({ id }) => id),
    actions: column(({ action }) => action),
    resources: column(({ resource }) => resource),
    resourceIds: column(({ resourceId }) => resourceId),
    details: column(({ details }) => details && JSON.stringify(details)),
    ipAddresses: column(({ ipAddress }) => ipAddress),
    userAgents: column(({ userAgent }) => userAgent),
    createdAts: column(({ createdAt }) => createdAt),
    positions: column(({ position }) => position),
    previousHashes: column((row) => row.previousHash),
    hashes: column(({ hash }) => hash),
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
