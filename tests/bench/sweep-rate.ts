import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Database } from '#server/platform/db/database.ts';
import { type Figure, median } from './figure.ts';

const goals = { stepsPerSecond: 500, ratioOfTwo: 1.6 };
const rounds = 2;

type Ground = { db: Database; connection: pg.PoolConfig; due: number };

/** Number of owners a second are moved on, each to a first reminder, by one worker process and by two. */
export async function sweepRate(ground: Ground): Promise<Figure[]> {
  const keyHex = randomBytes(32).toString('hex');
  const rates = { one: [] as number[], two: [] as number[] };
  // In turn, so that a machine that slows down slows both.
  for (let round = 0; round < rounds; round += 1) {
    rates.one.push(await rateOf(ground, { workers: 1, keyHex }));
    rates.two.push(await rateOf(ground, { workers: 2, keyHex }));
  }
  const one = median(rates.one);
  const two = median(rates.two);
  const what = `release steps a second, ${ground.due.toLocaleString('en-GB')} due at once`;
  return [
    {
      what: `${what}, one worker`,
      figure: one.toFixed(0),
      goal: `≥ ${goals.stepsPerSecond}`,
      met: one >= goals.stepsPerSecond,
    },
    {
      what: '  two workers : one',
      figure: `${(two / one).toFixed(2)} (${two.toFixed(0)})`,
      goal: `≥ ${goals.ratioOfTwo}`,
      met: two / one >= goals.ratioOfTwo,
    },
  ];
}

async function rateOf(
  { db, connection, due }: Ground,
  { workers, keyHex }: { workers: number; keyHex: string },
): Promise<number> {
  await silence(db, due);
  const before = await countReminders(db);
  const children = Array.from({ length: workers }, () =>
    fork('tests/bench/sweep-worker.ts', [JSON.stringify(connection), keyHex]),
  );
  await Promise.all(children.map((child) => said(child)));
  const start = performance.now();
  const done = children.map(async (child) => {
    const end = once(child, 'exit');
    child.send('go');
    await said(child);
    const seconds = (performance.now() - start) / 1_000;
    await end;
    return seconds;
  });
  const seconds = Math.max(...(await Promise.all(done)));
  const steps = (await countReminders(db)) - before;
  if (steps !== due) throw new Error(`${due} owners were due, and ${steps} steps were taken.`);
  return steps / seconds;
}

async function said(child: ChildProcess): Promise<void> {
  const [what] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['nothing'])]);
  if (what === 'nothing') throw new Error('A worker of the bench ended before its time.');
}

/** Makes a number of watched owners silent, spread over the table, so that a first reminder is due to each. */
async function silence(db: Database, count: number): Promise<void> {
  await db.execute(sql`
    update users set last_checkin_at = now() - interval '100 days'
    where id in (
      select id from users where next_step_at > now() and not exists (
        select 1 from release_silences where user_id = users.id and closed_at is null
      ) and not exists (
        select 1 from release_requests where user_id = users.id and closed_at is null
      ) order by random() limit ${count}
    )`);
  await db.execute(sql`vacuum analyze users`);
}

async function countReminders(db: Database): Promise<number> {
  const { rows } = await db.execute<{ steps: number }>(
    sql`select count(*)::int as steps from audit_logs where action = 'release.first_reminder'`,
  );
  return rows[0]?.steps ?? 0;
}
