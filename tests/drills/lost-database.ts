import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '#server/platform/db/database.ts';
import type { Message } from '#shared/contract/messages.ts';
import type { Figure } from '#tests/bench/figure.ts';
import { createOwners } from '#tests/bench/owners.ts';
import { type Installation, startInstallation } from '#tests/e2e/support/installation.ts';
import { pgBackRest, postgresServer, startArchivedPostgres } from './archived-postgres.ts';
import { atMost, type Drill } from './drill.ts';

/** A minute on a real server; the drill would only take longer by it. */
const archiveSeconds = 5;
const writeForMs = 20_000;
const writeEveryMs = 100;
/** Time to finish and copy the log segment that is being archived. */
const copySeconds = 3;
const backWithinMs = 30_000;

export const lostDatabaseDrill: Drill = {
  name: 'lost-database',
  shows: 'the machine of PostgreSQL is lost with its disk, and comes back from what pgBackRest has archived',
  needs: [postgresServer, pgBackRest],
  run,
};

async function run(): Promise<Figure[]> {
  const postgres = await startArchivedPostgres({ archiveSeconds });
  const service = await startInstallation({ DATABASE_URL: postgres.url, TRUST_PROXY: '127.0.0.1' });
  try {
    const own = openDatabase({ connection: postgres.connection, maxConnections: 1, onError: () => undefined });
    const [cookie = ''] = await createOwners(own.db, { dataDir: service.dataDir, count: 1 });
    await own.close();
    const written = await writeLetters(service, cookie);
    const lostAtMs = performance.now();
    await postgres.lose();
    await postgres.restore();
    await untilWritable(postgres.connection);
    const restoredMs = performance.now() - lostAtMs;
    const letters = await readAgain(service, cookie);
    const readMs = performance.now() - lostAtMs;
    const found = new Set(letters.map(({ title }) => title));
    const kept = written.filter(({ title }) => found.has(title));
    const lastKeptMs = Math.max(0, ...kept.map(({ atMs }) => atMs));
    const unread = letters.filter(({ content, isDamaged }) => isDamaged === true || content !== words).length;
    return [
      { what: `letters that had been stored, one every ${writeEveryMs} ms`, figure: String(written.length) },
      { what: 'letters that are there again', figure: String(kept.length) },
      atMost('seconds of letters that were lost', ((written.at(-1)?.atMs ?? 0) - lastKeptMs) / 1_000, {
        goal: archiveSeconds + copySeconds,
        unit: ' s',
      }),
      atMost('letters before the last of them that are not there', gapsIn(written, found, lastKeptMs), { goal: 0 }),
      atMost('letters that do not open', unread, { goal: 0 }),
      { what: 'until the database was there again', figure: `${(restoredMs / 1_000).toFixed(1)} s` },
      atMost('until the site read letters again by itself, from there on', (readMs - restoredMs) / 1_000, {
        goal: backWithinMs / 1_000,
        unit: ' s',
      }),
    ];
  } finally {
    await service.stop();
    await postgres.stop();
  }
}

type Written = { title: string; atMs: number };
const words = 'By the pear tree.';

/** Stores letters one after the other. Of each that was answered it is known when. */
async function writeLetters({ url }: Installation, cookie: string): Promise<Written[]> {
  const written: Written[] = [];
  const startedMs = performance.now();
  while (performance.now() - startedMs < writeForMs) {
    const title = `Letter ${written.length}`;
    const body = JSON.stringify({ title, content: words, recipientEmail: 'nell@family.example', status: 'draft' });
    const headers = { cookie, origin: url, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/messages`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`A letter was answered ${answer.status}: ${await answer.text()}`);
    written.push({ title, atMs: performance.now() });
    await sleep(writeEveryMs);
  }
  return written;
}

function gapsIn(written: readonly Written[], found: ReadonlySet<string>, lastKeptMs: number): number {
  return written.filter(({ title, atMs }) => atMs <= lastKeptMs && !found.has(title)).length;
}

/** PostgreSQL first replays its archive to the end. */
async function untilWritable(connection: pg.ClientConfig): Promise<void> {
  for (;;) {
    const client = new pg.Client(connection);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query('select pg_is_in_recovery() as reads');
      if (rows[0]?.reads === false) return;
    } catch {
      // PostgreSQL is still starting.
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(200);
  }
}

async function readAgain({ url }: Installation, cookie: string): Promise<Message[]> {
  const deadlineMs = performance.now() + 2 * backWithinMs;
  while (performance.now() < deadlineMs) {
    const answer = await fetch(`${url}/api/messages`, { headers: { cookie } });
    if (answer.ok) return (await answer.json()) as Message[];
    await sleep(250);
  }
  throw new Error('The site did not come back.');
}
