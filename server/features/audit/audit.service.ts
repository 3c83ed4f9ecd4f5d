import { randomUUIDv7 } from 'node:crypto';
import type { Executor } from '#server/platform/db/database.ts';
import { appendRow, appendRows, holdsAction } from './audit.repository.ts';
import { installationChain, userAgentLengthMax, withoutContent } from './audit.rules.ts';
import { emptyOrigins, pruneChains } from './audit-upkeep.repository.ts';
import { type VerifiedChains, verifyChains } from './audit-verification.ts';

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

export type Audit = {
  /**
   * Adds a row to the owner's chain in the caller's transaction, with one statement. Other records of the same chain
   * wait until that transaction ends, so take the owner's lock before.
   */
  record(tx: Executor, entry: AuditEntry): Promise<void>;
  /** The same for several entries of any owners, in their order, with a few statements however many there are. */
  recordAll(tx: Executor, entries: readonly AuditEntry[]): Promise<void>;
  /** Whether an owner ever did one of these things. */
  hasRecorded(executor: Executor, userId: string, actions: readonly string[]): Promise<boolean>;
  /**
   * Keeps what an owner who is gone did and when, and forgets from where: network addresses and browsers are emptied
   * and their chain is hashed anew.
   */
  pseudonymise(tx: Executor, userId: string): Promise<void>;
  /**
   * Removes at most `limit` rows from before `before`, in the caller's transaction, which records that they went. Chains
   * that somebody is writing to are left for another time. Gives how many rows went.
   */
  prune(tx: Executor, before: Date, limit: number): Promise<number>;
  /** Reads every chain and finds the first row that was removed, changed or moved, if there is one. */
  verify(executor: Executor): Promise<VerifiedChains>;
};

export function createAudit(): Audit {
  return {
    record: (tx, entry) => appendRow(tx, entry.userId, contentOf(entry)),
    recordAll: (tx, entries) =>
      appendRows(
        tx,
        entries.map((entry) => ({ ...contentOf(entry), userId: entry.userId })),
      ),
    hasRecorded: holdsAction,
    pseudonymise: emptyOrigins,
    prune: pruneChains,
    verify: verifyChains,
  };
}

function contentOf({ userId, action, resource, resourceId, details, origin, at }: AuditEntry) {
  return {
    id: randomUUIDv7(),
    chain: userId ?? installationChain,
    action,
    resource,
    resourceId: resourceId ?? null,
    details: details ? withoutContent(details) : null,
    ipAddress: origin?.ipAddress ?? null,
    userAgent: storable(origin?.userAgent ?? null),
    createdAt: at.toISOString(),
  };
}

/** The browser names itself as it likes; what is kept has a length, and characters that PostgreSQL takes. */
function storable(userAgent: string | null): string | null {
  return userAgent?.replaceAll('\0', '').slice(0, userAgentLengthMax).toWellFormed() ?? null;
}
