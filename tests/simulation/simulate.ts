/**
 * Simulates years with the services of production, and checks their promises. A failing scenario is printed with its
 * seed, then shrunk. Add the last printed one to regressions.json.
 *
 * Usage: node tests/simulation/simulate.ts [--seed N] [--years N] [--owners N] [--trace] [--first] [--sink FILE]
 *        node tests/simulation/simulate.ts --scenario JSON [--database ADDRESS]
 *        node tests/simulation/simulate.ts --sabotage all | PART OF A NAME
 *        node tests/simulation/simulate.ts --core [--seed N] [--years N] [--one] [--trace]: the release core alone
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { migrateDatabase } from '#server/platform/db/migrate.ts';
import { runLives } from '#tests/core-lives/lives.ts';
import { check, type Sink } from '#tests/simulation/oracle/checker.ts';
import { coreSabotages } from '#tests/simulation/planted/core-sabotages.ts';
import { databaseSabotages } from '#tests/simulation/planted/database-sabotages.ts';
import { checkAll } from '#tests/simulation/planted/sabotage.ts';
import { sabotages } from '#tests/simulation/planted/sabotages.ts';
import { seedThisProcess } from './random.ts';
import { type Result, simulate } from './run.ts';
import { faultsOf, type Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    years: { type: 'string', default: '10' },
    owners: { type: 'string', default: '12' },
    trace: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    database: { type: 'string' },
    sink: { type: 'string' },
    sabotage: { type: 'string' },
    core: { type: 'boolean', default: false },
    one: { type: 'boolean', default: false },
  },
});

if (values.core) liveWithCore();
else if (values.sabotage) await withServer(sabotageAll);
else if (values.database) await run(scenarioOf(), { connectionString: values.database });
else await withServer(runAndShrink);

/** Without a database: simulates the pure core, and judges it by the notices to each person. */
function liveWithCore(): void {
  const isSound = runLives({
    seed: Number(values.seed),
    years: Number(values.years),
    isOne: values.one,
    isTraced: values.trace,
  });
  process.exitCode = isSound ? 0 : 1;
}

function scenarioOf(): Scenario {
  if (values.scenario) return JSON.parse(values.scenario) as Scenario;
  const owners = Number(values.owners);
  const days = Math.round((Number(values.years) * 365) / owners);
  return { seed: Number(values.seed), owners, days, mailboxes: 'some', hasBrakes: true };
}

async function attempt(scenario: Scenario, connection: pg.ClientConfig): Promise<Result> {
  seedThisProcess(scenario.seed);
  const result = await simulate(scenario, {
    connection,
    ...(values.trace ? { onLine: console.error } : {}),
    ...(values.first ? { brokenMax: 1 } : {}),
  });
  // An interrupted run has not ended, and the checker would find only that.
  if (result.broken.length > 0) return result;
  return { ...result, broken: await checkFromOutside(connection, sinkOf(scenario, result)) };
}

function sinkOf(scenario: Scenario, { handed, keys, closedAt }: Result): Sink {
  return { isClockSteady: !faultsOf(scenario).some(({ kind }) => kind === 'clock'), closedAt, keys, mails: handed };
}

async function checkFromOutside(connection: pg.ClientConfig, sink: Sink): Promise<string[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await check(client, sink);
  } finally {
    await client.end();
  }
}

async function run(scenario: Scenario, connection: pg.ClientConfig): Promise<Result> {
  const started = performance.now();
  const result = await attempt(scenario, connection);
  const { handed: _, keys: __, ...shown } = result;
  if (values.sink) await writeFile(values.sink, JSON.stringify(sinkOf(scenario, result)));
  console.log(JSON.stringify({ ...shown, seconds: Math.round((performance.now() - started) / 1000) }));
  process.exitCode = result.broken.length > 0 ? 1 : 0;
  return result;
}

async function runAndShrink(freshDatabase: () => Promise<pg.ClientConfig>): Promise<void> {
  const scenario = scenarioOf();
  const { broken } = await run(scenario, await freshDatabase());
  if (broken.length === 0) return;

  console.log(`Seed ${scenario.seed} breaks a promise. Making it smaller …`);
  const smallest = await shrink(scenario, async (candidate) => {
    const result = await attempt(candidate, await freshDatabase());
    if (result.broken.length === 0) return null;
    // Findings of the checker have no day, because it runs at the end.
    return Number(/^day ([\d.]+)/.exec(result.broken[0] ?? '')?.[1] ?? candidate.days);
  });
  console.log(JSON.stringify({ what: broken[0], scenario: smallest }));
}

/** A server for this run alone. Each attempt has a database of its own, copied from a migrated one. */
async function withServer(work: (freshDatabase: () => Promise<pg.ClientConfig>) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-simulation-'));
  const parameters = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, parameters });
  const administrator = new pg.Client({ ...connection, database: 'postgres' });
  try {
    await administrator.connect();
    await administrator.query('create database template_simulation');
    await migrateDatabase({ connection: { ...connection, database: 'template_simulation' } });
    let made = 0;
    await work(async () => {
      made += 1;
      // Before anything is waited for: another person may ask for one meanwhile.
      const database = `simulation_${made}`;
      await administrator.query(`create database ${database} template template_simulation`);
      return { ...connection, database } as pg.ClientConfig;
    });
  } finally {
    await administrator.end();
    await stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Every planted mistake, and what found it. */
async function sabotageAll(freshDatabase: () => Promise<pg.ClientConfig>): Promise<void> {
  const chosen = [...sabotages, ...coreSabotages, ...databaseSabotages].filter(
    ({ name }) => values.sabotage === 'all' || name.includes(values.sabotage ?? ''),
  );
  const verdicts = await checkAll(chosen, async () => {
    const { user, database, host, port } = await freshDatabase();
    return `postgresql://${user}@/${database}?host=${encodeURIComponent(host ?? '')}&port=${port}`;
  });
  for (const { name, isCaught, caughtBy, found, seconds } of verdicts) {
    console.log(`${isCaught ? 'found' : 'MISSED'} | ${name} | ${caughtBy} | ${found[0] ?? ''} | ${seconds} s`);
  }
  process.exitCode = verdicts.every(({ isCaught }) => isCaught) ? 0 : 1;
}
