import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { startInstallation } from '#tests/e2e/support/installation.ts';
import { type Figure, median, ms, ratio } from './figure.ts';
import { type Load, load } from './load.ts';

const barePort = 39_517;
const rounds = 3;
const person = {
  email: 'bench@everkept.example',
  password: 'a phrase for the bench',
  firstName: 'Bench',
  lastName: 'Owner',
};
const letter = { title: 'For Nell', content: 'word '.repeat(40), recipientEmail: 'nell@ashworth.example' };

/** Reading ten messages and writing one, signed in, each as a ratio to a bare route on the same database. */
export async function apiFigures(): Promise<Figure[]> {
  const site = await startInstallation({
    TRUST_PROXY: '127.0.0.1',
    TEST_CLOCK: '0',
    TICK_SECONDS: '60',
    LOG_LEVEL: 'error',
  });
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const pool = new pg.Pool(postgres.connection);
  const bare = await startBare(postgres.connection);
  try {
    const headers = await signIn(site.url, pool);
    const bareUrl = `http://127.0.0.1:${barePort}/rows`;
    const body = JSON.stringify(letter);
    const json = { 'content-type': 'application/json' };
    for (let written = 0; written < 10; written += 1) {
      await fetch(`${site.url}/api/messages`, { method: 'POST', headers: { ...headers, ...json }, body });
    }

    const reads = await inTurn(
      () => load({ url: `${site.url}/api/messages`, headers }),
      () => load({ url: bareUrl }),
    );
    const writes = await inTurn(
      () => load({ url: `${site.url}/api/messages`, method: 'POST', headers: { ...headers, ...json }, body }),
      () => load({ url: bareUrl, method: 'POST', headers: json, body }),
    );
    return [...figures('GET /api/messages', reads, 0.6), ...figures('POST /api/messages', writes, 0.5)];
  } finally {
    bare.kill('SIGTERM');
    await pool.end();
    await postgres.stop();
    await site.stop();
  }
}

type Pair = { ours: Load; bare: Load };

/** A B A B …: a machine that slows down slows both. */
async function inTurn(ours: () => Promise<Load>, bare: () => Promise<Load>): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ bare: await bare(), ours: await ours() });
  return pairs;
}

function figures(what: string, pairs: Pair[], goal: number): Figure[] {
  const of = (read: (pair: Pair) => number) => median(pairs.map(read));
  const refused = pairs.reduce((sum, { ours, bare }) => sum + ours.refused + bare.refused, 0);
  return [
    ratio(
      `${what}, ratio to a bare route`,
      of((p) => p.ours.requestsPerSecond),
      of((p) => p.bare.requestsPerSecond),
      goal,
    ),
    { what: `${what}, requests a second`, figure: of((p) => p.ours.requestsPerSecond).toFixed(0) },
    {
      what: `${what}, p50 and p99 (bare)`,
      figure: `${ms(of((p) => p.ours.p50Ms))}, ${ms(of((p) => p.ours.p99Ms))} (${ms(of((p) => p.bare.p50Ms))}, ${ms(of((p) => p.bare.p99Ms))})`,
    },
    { what: `${what}, answers that were no success`, figure: String(refused), goal: '0', met: refused === 0 },
  ];
}

async function signIn(url: string, pool: pg.Pool): Promise<Record<string, string>> {
  const call = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(body),
    });
  await call('/api/register', { ...person, confirmPassword: person.password });
  await pool.query("update users set email_verified = true, plan = 'premium' where email = $1", [person.email]);
  const answer = await call('/api/login', { email: person.email, password: person.password });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (!answer.ok || !cookie) throw new Error(`The bench could not sign in: ${answer.status}.`);
  return { cookie, origin: url };
}

async function startBare(connection: pg.PoolConfig): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['tests/bench/bare-server.ts', String(barePort), JSON.stringify(connection)], {
    stdio: 'inherit',
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const ready = await fetch(`http://127.0.0.1:${barePort}/rows`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return child;
    await Promise.race([once(child, 'exit'), new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  throw new Error('The bare server did not start.');
}
