import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { migrateDatabase } from '#server/platform/db/migrate.ts';

export type TestServer = {
  /** For the database `postgres`, in which others are made and dropped. */
  connection: { host: string; port: number; user: string };
  stop: () => Promise<void>;
};

export const templateDatabase = 'template_app';

const directoryPrefix = 'everkept-test-';

// These files are thrown away at the end, so nothing has to survive a power cut.
const throwAway = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  jit: 'off',
  // Tables of tests are small: one plan does for every value, and planning took a quarter of the time.
  plan_cache_mode: 'force_generic_plan',
  max_wal_size: '1GB',
  max_connections: '200',
};

/** A server of this test run alone, in this directory, with a migrated database to copy from. */
export async function startTestServer(directory: string): Promise<TestServer> {
  await removeRemains(directory);
  const dataDir = join(directory, `${directoryPrefix}${process.pid}`);
  const server = await startEmbeddedPostgres({ dataDir, parameters: throwAway });
  try {
    return { connection: await prepareTemplate(server), stop: () => remove(server, dataDir) };
  } catch (error) {
    await remove(server, dataDir);
    throw error;
  }
}

async function prepareTemplate({ connection }: EmbeddedPostgres): Promise<TestServer['connection']> {
  const client = new pg.Client({ ...connection, database: 'postgres' });
  await client.connect();
  try {
    await client.query(`create database ${templateDatabase}`);
  } finally {
    await client.end();
  }
  await migrateDatabase({ connection: { ...connection, database: templateDatabase } });

  const { host, port, user } = connection;
  if (!host || !port || !user) throw new Error('The embedded database did not say where it listens.');
  return { host, port, user };
}

async function remove(server: EmbeddedPostgres, dataDir: string): Promise<void> {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** A run that was killed leaves its server behind. It is found by the number of the process that made it. */
async function removeRemains(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(directoryPrefix));
  for (const name of names) {
    const owner = Number(name.slice(directoryPrefix.length));
    if (!Number.isSafeInteger(owner) || isAlive(owner)) continue;

    const dataDir = join(directory, name);
    const pid = Number(
      (await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
    );
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(dataDir)) process.kill(pid, 'SIGQUIT');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A living process of another account.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
