import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { appendRows, holdsAction, type NewRow } from './audit.repository.ts';
import { type Anchor, chainEndedAction, installationChain, userAgentLengthMax, withoutContent } from './audit.rules.ts';
import { anchorHeads, findLastAnchor } from './audit-anchors.ts';
import { createAuditKeys, originHashOf } from './audit-keys.ts';
import { emptyOrigins, type Pruning, pruneChains } from './audit-upkeep.repository.ts';
import { type VerifiedLog, verifyLog } from './audit-verification.ts';

/** Where a request came from. Both are null for what the server does by itself. */
export type RequestOrigin = { ipAddress: string | null; userAgent: string | null };

export type AuditEntry = {
  /** The owner whose data it concerns; null for the installation. */
  userId: string | null;
  /** What was done, as `noun.verb`. */
  action: string;
  /** The kind of row it was done to. */
  resource: string;
  resourceId?: string | undefined;
  /** Ids, counts, dates and single words. Anything else is withheld: the log never holds content. */
  details?: Record<string, unknown> | undefined;
  origin?: RequestOrigin | undefined;
  at: Date;
};

const originSaltBytes = 16;

export type Audit = {
  /**
   * Adds a row to the owner's chain in the caller's transaction, with two statements. Other records of the same chain
   * wait until that transaction ends, so take the owner's lock before.
   */
  record(tx: Executor, entry: AuditEntry): Promise<void>;
  /** The same for several entries of any owners, in their order, with a few statements however many there are. */
  recordAll(tx: Executor, entries: readonly AuditEntry[]): Promise<void>;
  /** Whether an owner ever did one of these things. */
  hasRecorded(executor: Executor, userId: string, actions: readonly string[]): Promise<boolean>;
  /**
   * Keeps what an owner who is gone did and when, and forgets from where: network addresses and browsers are emptied, and
   * what the chain holds of them says nothing any more.
   */
  pseudonymise(tx: Executor, userId: string): Promise<void>;
  /**
   * Removes at most `limit` rows from before `before`, in the caller's transaction, which records that they went. Chains
   * that somebody is writing to are left for another time. Gives how many rows went.
   */
  prune(tx: Executor, pruning: Pruning): Promise<number>;
  /**
   * Adds up the heads of all chains as they stand, for somebody to keep elsewhere, and marks them as those of this day.
   * It counts for `verify` once it is recorded as `anchoredAction`. Not to be called in a transaction.
   */
  anchor(db: Database, day: string): Promise<Anchor>;
  /** The newest anchor that was recorded. */
  lastAnchor(executor: Executor): Promise<Anchor | null>;
  /**
   * Reads every chain and finds the first row that was removed, changed or moved, if there is one; and works out every
   * anchor anew, those that were recorded and those that are given.
   */
  verify(executor: Executor, anchors?: readonly Anchor[]): Promise<VerifiedLog>;
};

export function createAudit(serviceKeys: Pick<ServiceKeys, 'derive'>): Audit {
  const keys = createAuditKeys(serviceKeys);
  const recordAll: Audit['recordAll'] = (tx, entries) => appendRows(tx, keys, entries.map(rowOf));
  return {
    record: (tx, entry) => recordAll(tx, [entry]),
    recordAll,
    hasRecorded: holdsAction,
    pseudonymise: emptyOrigins,
    async prune(tx, pruning) {
      const { rows, ended } = await pruneChains(tx, keys, pruning);
      const entry = { userId: null, action: chainEndedAction, resource: 'audit', at: pruning.at };
      const ends = ended.map(({ chain, length, headHash }) => {
        return { ...entry, resourceId: chain, details: { length, head: headHash.toString('hex') } };
      });
      await recordAll(tx, ends);
      return rows;
    },
    anchor: (db, day) => anchorHeads(db, keys, day),
    lastAnchor: findLastAnchor,
    verify: (executor, anchors = []) => verifyLog(executor, keys, anchors),
  };
}

function rowOf({ userId, action, resource, resourceId, details, origin, at }: AuditEntry): NewRow {
  const ipAddress = origin?.ipAddress ?? null;
  const userAgent = storable(origin?.userAgent ?? null);
  const originSalt = ipAddress === null && userAgent === null ? null : randomBytes(originSaltBytes);
  return {
    id: randomUUIDv7(),
    chain: userId ?? installationChain,
    userId,
    action,
    resource,
    resourceId: resourceId ?? null,
    details: details ? withoutContent(details) : null,
    ipAddress,
    userAgent,
    originSalt,
    originHash: originSalt && originHashOf(originSalt, ipAddress, userAgent),
    createdAt: at.toISOString(),
  };
}

/** The browser names itself as it likes; what is kept has a length, and characters that PostgreSQL takes. */
function storable(userAgent: string | null): string | null {
  return userAgent?.replaceAll('\0', '').slice(0, userAgentLengthMax).toWellFormed() ?? null;
}
