import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { type App, perApp } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { appendRows, holdsAction, type NewRow } from './audit.repository.ts';
import { installationChain, userAgentLengthMax, withoutContent } from './audit.rules.ts';
import { createAuditKeys, originHashOf } from './audit-keys.ts';
import { emptyOrigins } from './audit-upkeep.repository.ts';

/** Source of a request. Both are null if the server acts without a request. */
export type RequestOrigin = { ipAddress: string | null; userAgent: string | null };

export type AuditEntry = {
  /** Owner whose data it concerns. Null for the installation. */
  userId: string | null;
  /** Action as `noun.verb`. */
  action: string;
  /** Kind of the row that was changed. */
  resource: string;
  resourceId?: string | undefined;
  /** Ids, counts, dates and single words. Other values are withheld, since the log never holds content. */
  details?: Record<string, unknown> | undefined;
  origin?: RequestOrigin | undefined;
  at: Date;
};

const originSaltBytes = 16;

/** Keys of the audit log, derived once for each `App`. */
export const auditKeysOf = perApp((app) => createAuditKeys(app.serviceKeys));

/**
 * Adds a row to the owner's chain in the caller's transaction, with two statements. Other records of the chain wait until
 * that transaction ends, so take the owner's lock first.
 */
export async function recordAudit(app: App, tx: Executor, entry: AuditEntry): Promise<void> {
  await recordAudits(app, tx, [entry]);
}

/** Adds rows for entries of any owners in their order. The number of statements does not depend on the number of entries. */
export async function recordAudits(app: App, tx: Executor, entries: readonly AuditEntry[]): Promise<void> {
  await appendRows(tx, auditKeysOf(app), entries.map(auditRowOf));
}

/** True if the log holds one of these actions of an owner. */
export function hasRecorded(executor: Executor, userId: string, actions: readonly string[]): Promise<boolean> {
  return holdsAction(executor, userId, actions);
}

/** Removes network addresses and browsers from the log of an account that is gone. Actions and times stay. */
export async function pseudonymise(tx: Executor, userId: string): Promise<void> {
  await emptyOrigins(tx, userId);
}

/** Row of an entry, before it has a place in its chain. */
export function auditRowOf({ userId, action, resource, resourceId, details, origin, at }: AuditEntry): NewRow {
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

/** Cuts a browser's name to the longest that we store, and removes characters that PostgreSQL refuses. */
function storable(userAgent: string | null): string | null {
  return userAgent?.replaceAll('\0', '').slice(0, userAgentLengthMax).toWellFormed() ?? null;
}
