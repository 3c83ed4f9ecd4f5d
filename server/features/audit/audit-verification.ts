import { hash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { rowsAsArrays } from '#server/platform/db/prepared.ts';
import { firstPreviousHash } from './audit.repository.ts';
import { type AuditContent, canonicalContent, installationChain } from './audit.rules.ts';
import { auditChains } from './audit.tables.ts';

export type VerifiedChains = {
  ok: boolean;
  /** Rows that were read. */
  rows: number;
  /** The first place that does not fit. `position` counts from 1 within the chain. */
  firstBroken?: { chain: string; position: number };
};

/** The end of a chain as `audit_chains` has it, and whether a row of it was come across. */
type SeenHead = { length: number; headHash: string; prunedLength: number; prunedHash: string | null; seen: boolean };

/** A row as the database says it. Hashes are hexadecimal. */
type WrittenRow = AuditContent & { position: number; userId: string | null; previousHash: string; hash: string };

/** The same on its way here: an array is made in half the time of an object with names. */
type RowValues = [
  chain: string,
  position: string,
  userId: string | null,
  previousHash: string,
  hash: string,
  id: string,
  action: string,
  resource: string,
  resourceId: string | null,
  details: Record<string, unknown> | null,
  ipAddress: string | null,
  userAgent: string | null,
  at: string,
];

/** Rows are a few hundred bytes, so two such pages are a few megabytes. */
const rowsPerPage = 1_000;
/** Longer than a position, a space and what a row usually holds; whatever is longer gets memory of its own. */
const usualBytes = 8_192;

/**
 * Reads the log in the order of its chains, from one snapshot, so that what is written meanwhile confuses nothing.
 *
 * The hashes are computed here although PostgreSQL could do it as well: whoever changed rows in the database may have
 * changed what its functions say, too. While a page is hashed, the database reads the next one.
 */
export function verifyChains(executor: Executor): Promise<VerifiedChains> {
  return executor.transaction(
    async (tx) => {
      const heads = await readHeads(tx);
      let rows = 0;
      let previous: WrittenRow | undefined;

      for await (const page of pagesOf(tx)) {
        for (const values of page) {
          const row = writtenRow(values);
          const broken = placeThatDoesNotFit(row, previous, heads);
          if (broken) return { ok: false, rows: rows + 1, firstBroken: broken };
          rows += 1;
          previous = row;
        }
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

async function readHeads(tx: Executor): Promise<Map<string, SeenHead>> {
  const rows = await tx.select().from(auditChains);
  return new Map(
    rows.map(({ chain, length, headHash, prunedLength, prunedHash }) => {
      const hashes = { headHash: headHash.toString('hex'), prunedHash: prunedHash?.toString('hex') ?? null };
      return [chain, { length, prunedLength, ...hashes, seen: false }];
    }),
  );
}

async function* pagesOf(tx: Executor): AsyncGenerator<RowValues[]> {
  await tx.execute(sql`set local time zone 'UTC'`);
  await tx.execute(sql`
    declare audit_rows no scroll cursor for
    select chain, position, user_id, encode(previous_hash, 'hex'), encode(hash, 'hex'), id, action, resource,
           resource_id, details, ip_address, user_agent, created_at
    from audit_logs order by chain, position`);
  const fetched = rowsAsArrays<RowValues>(tx, `fetch ${rowsPerPage} from audit_rows`);
  let next = fetched();
  try {
    for (;;) {
      const page = await next;
      const isLast = page.length < rowsPerPage;
      if (!isLast) next = fetched();
      yield page;
      if (isLast) return;
    }
  } finally {
    // Whoever stops reading early leaves no answer behind that nobody waits for.
    await next;
  }
}

function writtenRow(values: RowValues): WrittenRow {
  const [chain, position, userId, previousHash, hashed, id, action, resource] = values;
  const [, , , , , , , , resourceId, details, ipAddress, userAgent, at] = values;
  const createdAt = isoInstant(at);
  const link = { chain, position: Number(position), userId, previousHash, hash: hashed };
  return { ...link, id, action, resource, resourceId, details, ipAddress, userAgent, createdAt };
}

/** What PostgreSQL writes as `2026-03-01 09:30:00.12+00`, as it was hashed: `2026-03-01T09:30:00.120Z`. */
function isoInstant(text: string): string {
  const milliseconds = text.slice('2026-03-01 09:30:00.'.length, -'+00'.length).padEnd(3, '0');
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`;
}

/** Every row was so old that it was removed, and what is kept of the last one is the end of the chain. */
function isPrunedToTheEnd({ length, headHash, prunedLength, prunedHash }: SeenHead): boolean {
  return prunedLength === length && prunedHash === headHash;
}

function placeThatDoesNotFit(row: WrittenRow, previous: WrittenRow | undefined, heads: Map<string, SeenHead>) {
  const { chain, position } = row;
  const isFirst = previous?.chain !== chain;
  if (isFirst && previous) {
    const unfinished = endOf(previous, heads);
    if (unfinished) return unfinished;
  }

  const head = isFirst ? heads.get(chain) : undefined;
  if (head) head.seen = true;
  const expectedPosition = isFirst ? (head?.prunedLength ?? 0) + 1 : previous.position + 1;
  const expectedPrevious = isFirst ? (head?.prunedHash ?? firstPreviousHash.toString('hex')) : previous.hash;
  const fits =
    position === expectedPosition &&
    row.previousHash === expectedPrevious &&
    row.hash === hashOfWritten(row) &&
    belongsTo(row);
  return fits ? undefined : { chain, position: Math.min(position, expectedPosition) };
}

/** The last row that is there must be the one the head of its chain points to. */
function endOf({ chain, position, hash: last }: WrittenRow, heads: ReadonlyMap<string, SeenHead>) {
  const head = heads.get(chain);
  const isEnd = head?.length === position && head.headHash === last;
  return isEnd ? undefined : { chain, position: position + 1 };
}

/** The reference to an owner is emptied when the account goes; it never names somebody else. */
function belongsTo({ chain, userId }: WrittenRow): boolean {
  return userId === null || (userId === chain && chain !== installationChain);
}

const scratch = Buffer.alloc(usualBytes);

/** The hash that a row must have, in hexadecimal, by what it says and the hash before it. */
function hashOfWritten(row: WrittenRow): string {
  const text = `${row.position} ${canonicalContent(row)}`;
  // No character of UTF-16 takes more than three bytes in UTF-8.
  const bytesMax = firstPreviousHash.length + text.length * 3;
  const bytes = bytesMax <= usualBytes ? scratch : Buffer.alloc(bytesMax);
  const start = bytes.write(row.previousHash, 'hex');
  return hash('sha256', bytes.subarray(0, start + bytes.write(text, start)));
}
