import { createHash } from 'node:crypto';
import { and, asc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { preparedSql } from '#server/platform/db/prepared.ts';
import { type AuditContent, canonicalContent, installationChain } from './audit.rules.ts';
import { auditChains, auditLogs } from './audit.tables.ts';

export type VerifiedChains = {
  ok: boolean;
  /** Rows that were read. */
  rows: number;
  /** The first place that does not fit. `position` counts from 1 within the chain. */
  firstBroken?: { chain: string; position: number };
};

type AuditRow = typeof auditLogs.$inferSelect;
type Head = Pick<typeof auditChains.$inferSelect, 'length' | 'headHash' | 'prunedLength' | 'prunedHash'>;

const rowsPerPage = 1_000;
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

/** Reads the log in the order of its chains, from one snapshot, so that what is written meanwhile confuses nothing. */
export function verifyChains(executor: Executor): Promise<VerifiedChains> {
  return executor.transaction(
    async (tx) => {
      const heads = await readHeads(tx);
      let rows = 0;
      let previous: AuditRow | undefined;

      for (;;) {
        const page = await readPage(tx, previous);
        for (const row of page) {
          const broken = placeThatDoesNotFit(row, previous, heads);
          if (broken) return { ok: false, rows: rows + 1, firstBroken: broken };
          rows += 1;
          previous = row;
        }
        if (page.length < rowsPerPage) break;
      }

      const unfinished = previous && endOf(previous, heads);
      if (unfinished) return { ok: false, rows, firstBroken: unfinished };
      // A chain whose rows are all gone was never come across above.
      const [emptied] = [...heads].filter(([, head]) => !head.seen && !isPrunedToTheEnd(head));
      if (!emptied) return { ok: true, rows };
      return { ok: false, rows, firstBroken: { chain: emptied[0], position: emptied[1].prunedLength + 1 } };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

type SeenHead = Head & { seen: boolean };

async function readHeads(tx: Executor): Promise<Map<string, SeenHead>> {
  const rows = await tx.select().from(auditChains);
  return new Map(rows.map(({ chain, ...head }) => [chain, { ...head, seen: false }]));
}

/** Every row was so old that it was removed, and what is kept of the last one is the end of the chain. */
function isPrunedToTheEnd({ length, headHash, prunedLength, prunedHash }: Head): boolean {
  return prunedLength === length && prunedHash !== null && prunedHash.equals(headHash);
}

function readPage(tx: Executor, after: AuditRow | undefined): Promise<AuditRow[]> {
  const { chain, position } = auditLogs;
  const rest = after && or(gt(chain, after.chain), and(eq(chain, after.chain), gt(position, after.position)));
  return tx.select().from(auditLogs).where(rest).orderBy(asc(chain), asc(position)).limit(rowsPerPage);
}

function placeThatDoesNotFit(row: AuditRow, previous: AuditRow | undefined, heads: Map<string, SeenHead>) {
  const { chain, position } = row;
  const isFirst = previous?.chain !== chain;
  if (isFirst && previous) {
    const unfinished = endOf(previous, heads);
    if (unfinished) return unfinished;
  }

  const head = heads.get(chain);
  if (head) head.seen = true;
  const expectedPosition = isFirst ? (head?.prunedLength ?? 0) + 1 : previous.position + 1;
  const expectedPrevious = isFirst ? (head?.prunedHash ?? firstPreviousHash) : previous.hash;
  const fits =
    position === expectedPosition &&
    row.previousHash.equals(expectedPrevious) &&
    row.hash.equals(hashOf(row)) &&
    belongsTo(row);
  return fits ? undefined : { chain, position: Math.min(position, expectedPosition) };
}

/** The last row that is there must be the one the head of its chain points to. */
function endOf({ chain, position, hash }: AuditRow, heads: ReadonlyMap<string, Head>) {
  const head = heads.get(chain);
  const isEnd = head?.length === position && head.headHash.equals(hash);
  return isEnd ? undefined : { chain, position: position + 1 };
}

/** The reference to an owner is emptied when the account goes; it never names somebody else. */
function belongsTo({ chain, userId }: AuditRow): boolean {
  return userId === null || (userId === chain && chain !== installationChain);
}

/** The hash that a row must have, by what it says and the hash before it. */
export function hashOf(row: AuditRow): Buffer {
  const text = canonicalContent({ ...row, createdAt: row.createdAt.toISOString() });
  return createHash('sha256').update(row.previousHash).update(`${row.position} ${text}`).digest();
}
