import { lte } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { dailyRounds } from '#server/schema/privacy.tables.ts';

const theRow = 1;

/** Takes the round that begins at `at`, unless one began after `notAfter`; of several workers one gets it. */
export async function takeRound(executor: Executor, at: Date, notAfter: Date): Promise<boolean> {
  const taken = await executor
    .insert(dailyRounds)
    .values({ id: theRow, begunAt: at })
    .onConflictDoUpdate({ target: dailyRounds.id, set: { begunAt: at }, setWhere: lte(dailyRounds.begunAt, notAfter) })
    .returning({ id: dailyRounds.id });
  return taken.length === 1;
}

/** Lets the round begin again soon, since this one was not finished. */
export async function giveRoundBack(executor: Executor, begunAt: Date): Promise<void> {
  await executor.update(dailyRounds).set({ begunAt });
}
