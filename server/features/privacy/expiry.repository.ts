import { inArray, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { checkins, loginAttempts, sessions } from '#server/features/accounts/accounts.tables.ts';
import { payments } from '#server/features/billing/billing.tables.ts';
import { smsNotifications } from '#server/features/notifications/notifications.tables.ts';
import { checkinLinks } from '#server/features/release/release.tables.ts';
import type { Executor } from '#server/platform/db/database.ts';

/** Deletes at most `limit` rows that meet a condition, leaving those another worker has. Gives how many. */
async function deleteSome(executor: Executor, table: PgTable, key: PgColumn, where: SQL | undefined, limit: number) {
  const some = executor.select({ key }).from(table).where(where).limit(limit).for('update', { skipLocked: true });
  const gone = await executor.delete(table).where(inArray(key, some)).returning({ one: sql`1` });
  return gone.length;
}

/** What each kind of record is kept until; older ones go. */
export type Limits = { security: Date; payments: Date; texts: Date; now: Date };

/** One batch of everything that goes without being told of: records of the service and not what anybody wrote. */
export async function deleteExpired(executor: Executor, limits: Limits, limit: number): Promise<number> {
  const counts = [
    await deleteSome(executor, checkins, checkins.id, lt(checkins.createdAt, limits.security), limit),
    await deleteSome(executor, sessions, sessions.sid, lte(sessions.expire, limits.now), limit),
    await deleteSome(
      executor,
      loginAttempts,
      loginAttempts.emailHash,
      lt(loginAttempts.lastTriedAt, limits.security),
      limit,
    ),
    await deleteSome(executor, checkinLinks, checkinLinks.tokenHash, lt(checkinLinks.expiresAt, limits.now), limit),
    await deleteSome(
      executor,
      smsNotifications,
      smsNotifications.id,
      lt(smsNotifications.createdAt, limits.texts),
      limit,
    ),
    await deleteSome(executor, payments, payments.id, lt(payments.paidAt, limits.payments), limit),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}
