import { createHash } from 'node:crypto';
import { and, asc, eq, gt, or, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
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
type Head = { length: number; headHash: Buffer };

const rowsPerPage = 1_000;
const firstPreviousHash = Buffer.alloc(32);

/**
 * Moves the head of the chain on and writes the row that it now points to. The upsert locks the head, so two records
 * of one chain follow each other; PostgreSQL itself hashes, because only under that lock is the previous hash known.
 */
export async function appendRow(tx: Executor, userId: string | null, content: AuditContent): Promise<void> {
  const { id, chain, action, resource, resourceId, details, ipAddress, userAgent, createdAt } = content;
  const text = canonicalContent(content);
  const hash = (previous: ReturnType<typeof sql>, position: ReturnType<typeof sql>) =>
    sql`sha256(${previous} || convert_to(${position} || ' ' || ${text}::text, 'UTF8'))`;

  await tx.execute(sql`
    with head as (
      insert into audit_chains as known (chain, length, previous_hash, head_hash)
      values (${chain}, 1, ${firstPreviousHash}::bytea, ${hash(sql`${firstPreviousHash}::bytea`, sql`'1'`)})
      on conflict (chain) do update set
        length = known.length + 1,
        previous_hash = known.head_hash,
        head_hash = ${hash(sql`known.head_hash`, sql`(known.length + 1)::text`)}
      returning length, previous_hash, head_hash
    )
    insert into audit_logs (id, user_id, action, resource, resource_id, details, ip_address, user_agent, created_at,
                            chain, position, previous_hash, hash)
    select ${id}::uuid, ${userId}::uuid, ${action}, ${resource}, ${resourceId},
           ${details && JSON.stringify(details)}::jsonb, ${ipAddress}, ${userAgent}, ${createdAt}::timestamptz,
           ${chain}, head.length, head.previous_hash, head.head_hash
    from head`);
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
      const [emptied] = [...heads].filter(([, head]) => !head.seen);
      return emptied ? { ok: false, rows, firstBroken: { chain: emptied[0], position: 1 } } : { ok: true, rows };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

type SeenHead = Head & { seen: boolean };

async function readHeads(tx: Executor): Promise<Map<string, SeenHead>> {
  const rows = await tx.select().from(auditChains);
  return new Map(rows.map(({ chain, length, headHash }) => [chain, { length, headHash, seen: false }]));
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
  const expectedPosition = isFirst ? 1 : previous.position + 1;
  const expectedPrevious = isFirst ? firstPreviousHash : previous.hash;
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

function hashOf(row: AuditRow): Buffer {
  const text = canonicalContent({ ...row, createdAt: row.createdAt.toISOString() });
  return createHash('sha256').update(row.previousHash).update(`${row.position} ${text}`).digest();
}
