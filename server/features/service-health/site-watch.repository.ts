import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { siteWatch } from '#server/schema/service-health.tables.ts';
import type { SiteRecord } from './site-watch.rules.ts';

const theRow = eq(siteWatch.id, 1);

/** What is known of the site; null where no worker ever asked. `forUpdate` keeps it to this transaction. */
export async function readSite(executor: Executor, { forUpdate = false } = {}): Promise<SiteRecord | null> {
  const query = executor.select().from(siteWatch).where(theRow);
  const [row] = await (forUpdate ? query.for('update') : query);
  if (!row) return null;
  return {
    address: row.address,
    askedAtMs: row.askedAt.getTime(),
    answeredAtMs: row.answeredAt?.getTime() ?? null,
    failingSinceMs: row.failingSince?.getTime() ?? null,
    backAtMs: row.backAt?.getTime() ?? null,
    reason: row.reason,
  };
}

export async function writeSite(tx: Executor, record: SiteRecord): Promise<void> {
  const values = {
    address: record.address,
    askedAt: new Date(record.askedAtMs),
    answeredAt: dateOf(record.answeredAtMs),
    failingSince: dateOf(record.failingSinceMs),
    backAt: dateOf(record.backAtMs),
    reason: record.reason,
  };
  await tx.insert(siteWatch).values(values).onConflictDoUpdate({ target: siteWatch.id, set: values });
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
