import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import type { KeyCopy } from './endings.rules.ts';

const theRow = eq(serviceHealth.id, 1);

/** Returns the confirmed copy of the master key. Null if the operator has confirmed none. */
export async function findKeyCopyConfirmed(executor: Executor): Promise<KeyCopy | null> {
  const [row] = await executor
    .select({ at: serviceHealth.keyCopiedAt, version: serviceHealth.keyCopiedVersion })
    .from(serviceHealth)
    .where(theRow);
  return row?.at && row.version !== null ? { day: londonDay(row.at), version: row.version } : null;
}

export async function confirmKeyCopy(
  executor: Executor,
  { at, version }: { at: Date; version: number },
): Promise<void> {
  await executor.update(serviceHealth).set({ keyCopiedAt: at, keyCopiedVersion: version }).where(theRow);
}
