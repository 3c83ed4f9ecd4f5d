import { sql } from 'drizzle-orm';
import { readHealth } from '#server/features/release-health/health.repository.ts';
import type { Readiness } from '#server/http/health.ts';
import type { Installation } from './installation.ts';

/** A worker that has not beaten for so long is taken for gone. It beats every minute. */
const workerSilentMs = 5 * 60_000;
/** A file store that needs longer to say anything is of no use to whoever waits for a file. */
const storageTimeoutMs = 2_000;

type Needed = Pick<Installation, 'db' | 'clock'> & { store: Pick<Installation['store'], 'check'> };

/**
 * Whether the database and the file store answer and the worker lives. `/readyz` tells it, without details that are
 * anybody's.
 */
export async function readinessOf({ db, clock, store }: Needed): Promise<Readiness> {
  const [database, storage] = await Promise.all([
    told(db.execute(sql`select 1`), 'The database does not answer.'),
    told(store.check(AbortSignal.timeout(storageTimeoutMs)), 'Files cannot be kept just now.'),
  ]);
  if (!database.ok) return { database, storage };
  const [{ lastBeatAt }, now] = await Promise.all([readHealth(db), clock.now()]);
  const isAlive = lastBeatAt !== null && now.getTime() - lastBeatAt.getTime() < workerSilentMs;
  return {
    database,
    storage,
    worker: isAlive ? { ok: true } : { ok: false, detail: 'The worker has not been heard of lately.' },
  };
}

function told(work: Promise<unknown>, detail: string): Promise<Readiness[string]> {
  return work.then(
    () => ({ ok: true }),
    () => ({ ok: false, detail }),
  );
}
