import { setTimeout as sleep } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Executor } from './database.ts';
import type { Pooler } from './limits.ts';

const channel = 'everkept_tasks';
/** Interval of the question that shows if the connection still works. */
const askEveryMs = 5_000;
const retryMs = 1_000;

/** Tasks for which a person waits. They run if notifications may have been missed. */
const urgent = ['outbox', 'payments'] as const;

type WokenTask = (typeof urgent)[number] | 'news';

/** Wakes a task of the workers when the caller's transaction commits. A lost call costs time only: rows hold the truth. */
export async function wakeTask(tx: Executor, task: WokenTask): Promise<void> {
  await tx.execute(sql`select ${wakeCall(task)}`);
}

/** Call that wakes a task, as a part of a statement. */
export function wakeCall(task: WokenTask): SQL<unknown> {
  return sql`pg_notify(${sql.raw(`'${channel}', '${task}'`)})`;
}

type WakeOptions = {
  pool: pg.Pool;
  pooler: Pooler;
  /** Called with the name of a task. */
  onWake: (task: string) => void;
  log: { warn(details: object, message: string): void };
};

/**
 * Listens until `stop`. A pooler of transactions passes no notification on, so the urgent tasks are woken every second there.
 * Each outage is logged once.
 */
export async function listenForWakes({ pool, pooler, onWake, log }: WakeOptions, stop: AbortSignal): Promise<void> {
  let isLogged = false;
  const wakeUrgent = () => {
    isLogged = false;
    for (const task of urgent) onWake(task);
  };
  while (!stop.aborted) {
    if (pooler === 'transaction') wakeUrgent();
    else
      await listen({ pool, onWake, onReady: wakeUrgent }, stop).catch((err: unknown) => {
        if (!isLogged) log.warn({ err }, 'The worker does not receive wake-ups.');
        isLogged = true;
      });
    await pause(retryMs, stop);
  }
}

type Listening = Pick<WakeOptions, 'pool' | 'onWake'> & { onReady: () => void };

async function listen({ pool, onWake, onReady }: Listening, stop: AbortSignal): Promise<void> {
  const client = await pool.connect();
  const over = new AbortController();
  const end = () => over.abort();
  client.on('notification', ({ payload }) => onWake(payload ?? ''));
  client.once('end', end);
  stop.addEventListener('abort', end, { signal: over.signal });
  try {
    await client.query(`listen ${channel}`);
    onReady();
    while (!stop.aborted) {
      await pause(askEveryMs, over.signal);
      if (!stop.aborted) await client.query('select 1');
    }
  } finally {
    end();
    // The connection closes: its next user must not receive these notifications.
    client.release(true);
  }
}

/** Ends early if the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
