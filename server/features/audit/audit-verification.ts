import { inArray, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { takesLong } from '#server/platform/db/limits.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { firstPreviousHash } from './audit.repository.ts';
import { type Anchor, type AuditContent, installationChain } from './audit.rules.ts';
import { type AnchorCheck, checkAnchors, type Segment } from './audit-anchors.ts';
import { type AuditKeys, type ChainEnd, originHashOf } from './audit-keys.ts';

export type VerifiedLog = {
  ok: boolean;
  /** Rows that were read. */
  rows: number;
  /** Anchors that were worked out anew. */
  anchors: number;
  /** The first place that does not fit. `position` counts from 1 within the chain. */
  firstBroken?: Place;
  /** The first anchored day whose heads are not those that were anchored. Only looked for where every row fits. */
  firstBrokenDay?: string;
};

type Place = { chain: string; position: number };

/** A row as the database says it. */
type WrittenRow = AuditContent & {
  position: number;
  userId: string | null;
  previousHash: Buffer;
  hash: Buffer;
  ipAddress: string | null;
  userAgent: string | null;
  originSalt: Buffer | null;
  anchoredOn: string | null;
};

/** The same as the driver gives it. */
type RowValues = Omit<WrittenRow, 'position' | 'createdAt'> & { position: string; at: string };
type HeadValues = Omit<ChainEnd, 'length' | 'prunedLength'> & { length: string; prunedLength: string; seal: Buffer };

/** Rows are a few hundred bytes, so two such pages are a few megabytes. */
const rowsPerPage = 1_000;
const idsPerQuestion = 1_000;

/**
 * Reads the log in the order of its chains, from one snapshot, so that what is written meanwhile confuses nothing. Heads
 * and rows are read side by side, page by page: memory does not grow with their number.
 *
 * The hashes are computed here, where the key is. While a page is hashed, the database reads the next one.
 */
export function verifyLog(executor: Executor, keys: AuditKeys, given: readonly Anchor[]): Promise<VerifiedLog> {
  return executor.transaction(
    async (tx) => {
      await tx.execute(takesLong);
      await tx.execute(sql`set local time zone 'UTC'`);
      const anchors = await checkAnchors(tx, keys, { given, prunedLength: await prunedOfInstallation(tx) });
      const heads = headsOf(tx);
      const walk = createWalk(keys, anchors, heads.next);
      let rows = 0;
      for await (const page of pagesOf<RowValues>(tx, 'audit_rows', rowsInOrder)) {
        for (const values of page) {
          rows += 1;
          const row = writtenRow(values);
          const broken = (walk.isIn(row.chain) ? null : await walk.enter(row)) ?? walk.read(row);
          if (broken) {
            await heads.stop();
            return { ok: false, rows, anchors: anchors.count, firstBroken: broken };
          }
        }
      }
      const firstBroken = (await walk.end()) ?? (await emptiedOfSomebodyThere(tx, walk.emptied));
      if (firstBroken) return { ok: false, rows, anchors: anchors.count, firstBroken };
      const firstBrokenDay = anchors.firstThatDiffers();
      return { ok: !firstBrokenDay, rows, anchors: anchors.count, ...(firstBrokenDay ? { firstBrokenDay } : {}) };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

const rowsInOrder = `
  select chain, position, user_id as "userId", previous_hash as "previousHash", hash, id, action, resource,
         resource_id as "resourceId", details, ip_address as "ipAddress", user_agent as "userAgent",
         origin_salt as "originSalt", origin_hash as "originHash", created_at as at, anchored_on::text as "anchoredOn"
  from audit_logs order by chain, position`;
const headsInOrder = `
  select chain, length, head_hash as "headHash", pruned_length as "prunedLength", pruned_hash as "prunedHash", seal
  from audit_chains order by chain`;

async function prunedOfInstallation(tx: Executor): Promise<number> {
  const { rows } = await tx.execute<{ length: string }>(
    sql`select pruned_length as length from audit_chains where chain = ${installationChain}`,
  );
  return Number(rows[0]?.length ?? 0);
}

/** The chain that is being read: its end as the head says it, and how far it has been read. */
type OpenChain = { end: SealedEnd; position: number; hash: Buffer; segments: Segment[] };
type SealedEnd = ChainEnd & { seal: Buffer };

/** Goes through heads and rows together. What gives a place has found it broken. */
function createWalk(keys: AuditKeys, anchors: AnchorCheck, nextHead: () => Promise<SealedEnd | null>) {
  let open: OpenChain | null = null;
  /** Chains without a word of where requests came from, which none but erased owners have. */
  const emptied = new Map<string, number>();

  /** The last row that is there must be the one the head of its chain points to. */
  function close(): Place | null {
    if (!open) return null;
    const { end, position, hash, segments } = open;
    open = null;
    const isEnd = end.length === position && end.headHash.equals(hash);
    if (!isEnd) return { chain: end.chain, position: position + 1 };
    if (!end.seal.equals(keys.headSeal(end))) return { chain: end.chain, position };
    anchors.passTo(end.chain);
    anchors.add(segments);
    return null;
  }

  function begin(end: SealedEnd): void {
    const { prunedLength: position, prunedHash } = end;
    const hash = prunedHash ?? firstPreviousHash;
    // Whatever was removed is older than every anchor that is left.
    open = { end, position, hash, segments: prunedHash ? [{ from: '', position, hash }] : [] };
  }

  return {
    emptied,
    isIn: (chain: string) => open?.end.chain === chain,

    /** Ends the chain that was read, and finds the head of this one; those between have no rows any more. */
    async enter({ chain, position }: Place): Promise<Place | null> {
      for (;;) {
        const unfinished = close();
        if (unfinished) return unfinished;
        const head = await nextHead();
        if (!head || head.chain > chain) return { chain, position };
        begin(head);
        if (head.chain === chain) return null;
      }
    },

    read(row: WrittenRow): Place | null {
      if (!open) return { chain: row.chain, position: row.position };
      if (!follows(keys, open, row)) return { chain: row.chain, position: Math.min(row.position, open.position + 1) };
      if (row.originHash && !row.originSalt && !emptied.has(row.chain)) emptied.set(row.chain, row.position);
      open.position = row.position;
      open.hash = row.hash;
      if (row.anchoredOn) open.segments.push({ from: row.anchoredOn, position: row.position, hash: row.hash });
      return null;
    },

    async end(): Promise<Place | null> {
      for (;;) {
        const unfinished = close();
        if (unfinished) return unfinished;
        const head = await nextHead();
        if (!head) break;
        begin(head);
      }
      anchors.passTo(null);
      return null;
    },
  };
}

/** Whether a row is the next one of its chain, and is as it was written. */
function follows(keys: AuditKeys, { position, hash }: OpenChain, row: WrittenRow): boolean {
  return (
    row.position === position + 1 &&
    row.previousHash.equals(hash) &&
    row.hash.equals(keys.rowHash(row.previousHash, row.position, row)) &&
    hasItsOrigin(row) &&
    belongsTo(row)
  );
}

/** The ends of all chains, one at each call; null after the last. */
function headsOf(tx: Executor) {
  const pages = pagesOf<HeadValues>(tx, 'audit_heads', headsInOrder);
  let page: HeadValues[] = [];
  let at = 0;
  const next = async (): Promise<SealedEnd | null> => {
    if (at >= page.length) {
      const { done, value } = await pages.next();
      if (done) return null;
      page = value;
      at = 0;
    }
    const values = page[at];
    at += 1;
    if (!values) return null;
    return { ...values, length: Number(values.length), prunedLength: Number(values.prunedLength) };
  };
  return { next, stop: () => pages.return(undefined) };
}

async function* pagesOf<Values extends Record<string, unknown>>(
  tx: Executor,
  cursor: string,
  text: string,
): AsyncGenerator<Values[]> {
  await tx.execute(sql.raw(`declare ${cursor} no scroll cursor for ${text}`));
  const fetched = async () => (await tx.execute(sql.raw(`fetch ${rowsPerPage} from ${cursor}`))).rows as Values[];
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
  const { position, at, ...row } = values;
  return { ...row, position: Number(position), createdAt: isoInstant(at) };
}

/** What PostgreSQL writes as `2026-03-01 09:30:00.12+00`, as it was hashed: `2026-03-01T09:30:00.120Z`. */
function isoInstant(text: string): string {
  const milliseconds = text.slice('2026-03-01 09:30:00.'.length, -'+00'.length).padEnd(3, '0');
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`;
}

/** Where it came from is what the chain holds the hash of, or has been emptied together with its owner. */
function hasItsOrigin({ ipAddress, userAgent, originSalt, originHash, userId }: WrittenRow): boolean {
  if (originSalt) return originHash === originHashOf(originSalt, ipAddress, userAgent);
  return ipAddress === null && userAgent === null && (originHash === null || userId === null);
}

/** The reference to an owner is emptied when the account goes; it never names somebody else. */
function belongsTo({ chain, userId }: WrittenRow): boolean {
  return userId === null || (userId === chain && chain !== installationChain);
}

/** Of chains that say no more where requests came from, the first whose owner is still there. */
async function emptiedOfSomebodyThere(tx: Executor, emptied: ReadonlyMap<string, number>): Promise<Place | null> {
  const chains = [...emptied.keys()];
  for (let from = 0; from < chains.length; from += idsPerQuestion) {
    const asked = chains.slice(from, from + idsPerQuestion).filter((chain) => chain !== installationChain);
    const [there] = await tx.select({ id: users.id }).from(users).where(inArray(users.id, asked)).limit(1);
    if (there) return { chain: there.id, position: emptied.get(there.id) ?? 1 };
  }
  return null;
}
