import { realpath } from 'node:fs/promises';
import pg from 'pg';
import { isCode } from './binaries.ts';
import { superuser } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { type EmbeddedPaths, socketPort } from './paths.ts';
import { livingServer, readPidFile } from './pid-file.ts';

/**
 * A connection that marks this process as a user of the server, with a shared advisory lock. PostgreSQL releases the
 * lock when the process ends, in any way. So no record of the starting process is needed.
 */
export type Membership = {
  client: pg.Client;
  socketDirectory: string;
};

/** `absent`: nothing answers. `busy`: a server is starting, recovering or stopping; ask again. */
export type JoinResult = Membership | 'absent' | 'busy';

/** Advisory locks belong to one database, so everybody meets in the one that always exists. */
const meetingDatabase = 'postgres';
/** Any number that nothing else in this database uses. */
const membershipLock = 7_230_001;
const connectTimeoutMs = 5_000;

/** Codes of the system and of PostgreSQL's appendix A for a server that is not there, or not there just now. */
const absentCodes = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'];
const busyCodes = ['57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN'];

/** One attempt to join the server on this cluster. Throws an EmbeddedPostgresError if another cluster's answers. */
export async function join(paths: EmbeddedPaths): Promise<JoinResult> {
  const named = (await readPidFile(paths))?.socketDirectory;
  const result = named === undefined ? 'absent' : await joinAt(named, paths);
  if (result !== 'absent' || named === paths.socketDirectory) return result;
  // No server has been here before, or the directory was moved while one ran.
  return joinAt(paths.socketDirectory, paths);
}

async function joinAt(socketDirectory: string, paths: EmbeddedPaths): Promise<JoinResult> {
  const client = new pg.Client({
    ...socketConnection(socketDirectory, meetingDatabase),
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // A dying server may cut the connection between two steps; the step under way reports it, this only listens.
  client.on('error', ignoreReportedElsewhere);

  try {
    await client.connect();
    // A dying server accepts connections for some milliseconds; only an answer counts.
    await refuseOtherCluster(client, paths);
    const joined = await firstBoolean(client, `select pg_try_advisory_lock_shared(${membershipLock}) as yes`);
    if (joined) return { client, socketDirectory };
    // The only remaining holder stops the server next.
    await client.end();
    return 'busy';
  } catch (error) {
    await client.end();
    if (absentCodes.some((code) => isCode(error, code))) return 'absent';
    if (busyCodes.some((code) => isCode(error, code)) || isCutOff(error)) return 'busy';
    throw error;
  }
}

/** Gives membership up. True if no other process has it, so that this process must now stop the server. */
export async function leave({ client }: Membership): Promise<boolean> {
  await client.query(`select pg_advisory_unlock_shared(${membershipLock})`);
  return firstBoolean(client, `select pg_try_advisory_lock(${membershipLock}) as yes`);
}

/** Makes the product's own database, unless another process was faster. */
export async function ensureDatabase({ client }: Membership, name: string): Promise<void> {
  const found = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (found.rowCount) return;
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } catch (error) {
    if (!isCode(error, '42P04') && !isCode(error, '23505')) throw error;
  }
}

/** For `pg`. Everything it would else read from PGHOST, PGSSLMODE and the like is said here. */
export function socketConnection(socketDirectory: string, database: string) {
  return { host: socketDirectory, port: socketPort, user: superuser, password: '', database, ssl: false };
}

async function refuseOtherCluster(client: pg.Client, paths: EmbeddedPaths): Promise<void> {
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  const served = rows[0]?.data_directory ?? '';
  if (served === paths.cluster || (await realpath(served).catch(() => served)) === paths.cluster) return;
  const pid = await livingServer(paths);
  throw new EmbeddedPostgresError(
    `A server that keeps its data in ${served} answers for ${paths.cluster}, perhaps because the directory was moved while it ran. Stop that server${pid === undefined ? '' : ` (process ${pid})`} and start again.`,
  );
}

async function firstBoolean(client: pg.Client, query: string): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(query);
  return rows[0]?.yes === true;
}

// The driver has no code for these two.
function isCutOff(error: unknown): boolean {
  return error instanceof Error && /Connection terminated|timeout expired/.test(error.message);
}

function ignoreReportedElsewhere(): void {}
