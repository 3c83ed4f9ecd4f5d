import { openDatabase } from '#server/platform/db/database.ts';
import type { Figure } from '#tests/bench/figure.ts';
import { createOwners } from '#tests/bench/owners.ts';
import { type Installation, startInstallation } from '#tests/e2e/support/installation.ts';
import { atMost, type Drill, noneFailed, ownersRequests, startDatabase } from './drill.ts';
import { pgBouncer, startPgBouncer } from './pgbouncer.ts';

const requests = 1_000;
const atOnce = 10;
const ownersCount = 20;

export const poolerDrill: Drill = {
  name: 'pooler',
  shows: 'PgBouncer in front of PostgreSQL, for sessions and for transactions',
  needs: [pgBouncer],
  run: async () => [...(await runIn('session')), ...(await runIn('transaction'))],
};

async function runIn(mode: 'session' | 'transaction'): Promise<Figure[]> {
  const database = await startDatabase();
  const { user = '', database: name = '' } = database.connection;
  const pooler = await startPgBouncer({ mode, port: database.proxy.port, user, database: name });
  const settings = { DATABASE_URL: pooler.url, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' };
  try {
    // The service and the next command migrate through the pooler, so the first must leave no lock.
    const service = await startInstallation(settings);
    const own = openDatabase({ connection: database.connection, maxConnections: 2, onError: rethrow });
    try {
      await service.everkept('migrate');
      const cookies = await createOwners(own.db, { dataDir: service.dataDir, count: ownersCount });
      const failed = await send(service, cookies);
      const known = service.log.some((line) => line.includes(`"pooler":"${mode}"`)) ? 0 : 1;
      return [
        ...noneFailed(`${mode}: of ${requests} requests, failed`, failed),
        atMost(`${mode}: starts that did not know of the pooler`, known, { goal: 0 }),
      ];
    } finally {
      await own.close();
      await service.stop();
    }
  } finally {
    await pooler.stop();
    await database.stop();
  }
}

/** Failures by kind, with their number. */
async function send({ url }: Installation, cookies: readonly string[]): Promise<Map<string, number>> {
  const failed = new Map<string, number>();
  let next = 0;
  const lane = async () => {
    while (next < requests) {
      const number = next;
      next += 1;
      const cookie = cookies[number % cookies.length] ?? '';
      const headers = { cookie, origin: url, 'x-forwarded-for': `198.18.${number >> 8}.${number & 255}` };
      const { path, body } = ownersRequests[number % ownersRequests.length] ?? { path: '/api/user' };
      const answer = await fetch(url + path, {
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
      });
      const text = await answer.text();
      if (answer.ok) continue;
      const what = `${path}: ${answer.status} ${text.slice(0, 80)}`;
      failed.set(what, (failed.get(what) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return failed;
}

function rethrow(error: Error): never {
  throw error;
}
