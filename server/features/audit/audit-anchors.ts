import { and, asc, desc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { takesLong } from '#server/platform/db/limits.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { type Anchor, anchoredAction, chainEndedAction, installationChain } from './audit.rules.ts';
import type { AuditKeys, HeadSum } from './audit-keys.ts';

const headsPerPage = 5_000;

type HeadRow = { chain: string; length: string; head_hash: Buffer; unmarked: string | null };

/**
 * Adds up all heads in one snapshot, page by page, so that any number of chains needs no more memory than one page. The
 * rows that were the last of their chains are marked apart from it: a mark without its anchor does no harm, since what
 * counts is the last row that was marked by that day.
 */
export function anchorHeads(db: Database, keys: AuditKeys, day: string): Promise<Anchor> {
  return db.transaction(
    async (tx) => {
      await tx.execute(takesLong);
      const sum = keys.sumHeads();
      for (let after = ''; ; ) {
        const { rows } = await tx.execute<HeadRow>(sql`
          select head.chain, head.length, head.head_hash, last.id as unmarked
          from audit_chains head left join audit_logs last
            on last.chain = head.chain and last.position = head.length and last.anchored_on is null
          where head.chain > ${after} order by head.chain limit ${headsPerPage}`);
        for (const { head_hash, length } of rows) sum.add(head_hash, Number(length));
        const unmarked = rows.flatMap((row) => row.unmarked ?? []);
        await db.update(auditLogs).set({ anchoredOn: day }).where(inArray(auditLogs.id, unmarked));
        after = rows.at(-1)?.chain ?? after;
        if (rows.length < headsPerPage) return { day, ...sum.total(day) };
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

export async function findLastAnchor(executor: Executor): Promise<Anchor | null> {
  const [row] = await executor
    .select({ details: auditLogs.details })
    .from(auditLogs)
    .where(and(eq(auditLogs.chain, installationChain), eq(auditLogs.action, anchoredAction)))
    .orderBy(desc(auditLogs.position))
    .limit(1);
  return (row?.details as Anchor | undefined) ?? null;
}

/** A row of a chain that may have been its last on an anchored day, from `from` on. */
export type Segment = { from: string; position: number; hash: Buffer };

export type AnchorCheck = {
  /** How many anchors are worked out anew. */
  count: number;
  /** Before the chain of this name is added: adds those before it that have ended. */
  passTo(chain: string | null): void;
  /** What a chain gives to each anchored day: the last of these, in their order, that is not after it. */
  add(segments: readonly Segment[]): void;
  /** The first day whose heads are no longer what they were. */
  firstThatDiffers(): string | null;
};

type Day = { anchor: Anchor; covered: number; sum: HeadSum };
type Ended = { chain: string; position: number; length: number; hash: Buffer };

/** Works out again what every anchor was made of. `given` come from elsewhere, such as a mail. */
export async function checkAnchors(
  executor: Executor,
  keys: AuditKeys,
  { given, prunedLength }: { given: readonly Anchor[]; prunedLength: number },
): Promise<AnchorCheck> {
  const told = await listTold(executor);
  const coveredOn = (day: string) =>
    told.findLast(({ anchoredOn }) => anchoredOn !== null && anchoredOn <= day)?.position ?? prunedLength;
  const recorded = told.flatMap(({ action, details }) =>
    action === anchoredAction && details ? [details as Anchor] : [],
  );
  const days = [...recorded, ...given]
    .sort((one, other) => (one.day < other.day ? -1 : 1))
    .map((anchor): Day => ({ anchor, covered: coveredOn(anchor.day), sum: keys.sumHeads() }));
  const ended = told
    .flatMap((row) => (row.action === chainEndedAction ? [endedOf(row)] : []))
    .sort((one, other) => (one.chain < other.chain ? -1 : 1));
  let passed = 0;

  return {
    count: days.length,
    passTo(chain) {
      for (let next = ended[passed]; next && (chain === null || next.chain < chain); next = ended[passed]) {
        for (const { covered, sum } of days) if (next.position > covered) sum.add(next.hash, next.length);
        passed += 1;
      }
    },
    add(segments) {
      let at = -1;
      for (const { anchor, sum } of days) {
        while (at + 1 < segments.length && (segments[at + 1]?.from ?? '') <= anchor.day) at += 1;
        const segment = segments[at];
        if (segment) sum.add(segment.hash, segment.position);
      }
    },
    firstThatDiffers() {
      const different = days.find(({ anchor: { day, chains, rows, mac }, sum }) => {
        const now = sum.total(day);
        return now.mac !== mac || now.chains !== chains || now.rows !== rows;
      });
      return different?.anchor.day ?? null;
    },
  };
}

type Told = Pick<typeof auditLogs.$inferSelect, 'position' | 'action' | 'resourceId' | 'details' | 'anchoredOn'>;

/** What the installation's chain says of the others, and how far each anchor covers it. */
function listTold(executor: Executor): Promise<Told[]> {
  const { position, action, resourceId, details, anchoredOn } = auditLogs;
  const isTold = or(inArray(action, [anchoredAction, chainEndedAction]), isNotNull(anchoredOn));
  return executor
    .select({ position, action, resourceId, details, anchoredOn })
    .from(auditLogs)
    .where(and(eq(auditLogs.chain, installationChain), isTold))
    .orderBy(asc(position));
}

function endedOf({ position, resourceId, details }: Told): Ended {
  // Whether the row is as it was written, its own chain says.
  const { length, head } = { length: 0, head: '', ...details } as { length: number; head: string };
  return { chain: resourceId ?? '', position, length, hash: Buffer.from(head, 'hex') };
}
