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
  const text = canonicalContent({ ...row, createdAt: row.createdAt.toISOString() });
  return createHash('sha256').update(row.previousHash).update(`${row.position} ${text}`).digest();
}
