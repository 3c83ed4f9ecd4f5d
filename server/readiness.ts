import { sql } from 'drizzle-orm';
import { readHealth } from '#server/features/release/health.repository.ts';
import type { Readiness } from '#server/http/health.ts';
import type { Installation } from './installation.ts';

/** A worker that has not beaten for so long is taken for gone. It beats every minute. */
const workerSilentMs = 5 * 60_000;

/** Whether the database answers and the worker lives. `/readyz` tells it, without details that are anybody's. */
export async function readinessOf({ db, clock }: Pick<Installation, 'db' | 'clock'>): Promise<Readiness> {
  const database = await db.execute(sql`select 1`).then(
    () => ({ ok: true }),
    () => ({ ok: false, detail: 'The database does not answer.' }),
  );
  if (!database.ok) return { database };
  const [{ lastBeatAt }, now] = await Promise.all([readHealth(db), clock.now()]);
  const isAlive = lastBeatAt !== null && now.getTime() - lastBeatAt.getTime() < workerSilentMs;
  return {
    database,
    worker: isAlive ? { ok: true } : { ok: false, detail: 'The worker has not been heard of lately.' },
  };
}
