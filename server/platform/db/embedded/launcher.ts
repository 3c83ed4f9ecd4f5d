import { rmdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isCode } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { ensureDatabase, join, leave, type Membership, socketConnection } from './membership.ts';
import { type EmbeddedPaths, isInHome } from './paths.ts';
import { livingServer } from './pid-file.ts';
import { type Ground, layGround, startServer } from './starting.ts';

export type EmbeddedPostgres = {
  /** For `pg.Pool`: the product's own database. */
  connection: pg.PoolConfig;
  /** True when the server was running already: another process's, or one whose process was killed. */
  adopted: boolean;
  /** Leaves the server, and stops it if no other process uses it. Close the pools first. */
  stop: () => Promise<void>;
};

export type EmbeddedPostgresOptions = {
  dataDir: string;
  /** Told in a sentence what happens to the server. */
  log?: (sentence: string) => void;
  /** Server settings over our own, for tests. */
  parameters?: Record<string, string>;
};

/** From asking the server to stop until its pid file is gone; it writes a checkpoint in between. */
const stopTimeoutMs = 60_000;
const pollMs = 20;
const rejoinMs = 1_000;
const database = 'everkept';

/**
 * Runs PostgreSQL on files in `dataDir`, reachable through a Unix socket there and through nothing else.
 * A server that runs already is joined; the last process to leave stops it. If the server breaks while it is used,
 * it is started again. Throws an EmbeddedPostgresError with a way out when it cannot run.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const ground = await layGround(options.dataDir, options.parameters ?? {});
  const stopping = new AbortController();
  const { membership, adopted } = await joinOrStart(ground, stopping.signal);
  await ensureDatabase(membership, database);
  log(adopted ? 'Joined the embedded database, which was running.' : 'Started the embedded database.');

  let current: Membership | undefined = membership;
  let rejoining = Promise.resolve();
  const watch = (watched: Membership) => {
    watched.client.once('end', () => {
      if (stopping.signal.aborted) return;
      current = undefined;
      log('The embedded database ended the connection. Joining it again.');
      rejoining = rejoin();
    });
  };
  const rejoin = async () => {
    while (!stopping.signal.aborted) {
      try {
        current = (await joinOrStart(ground, stopping.signal)).membership;
        watch(current);
        log('Joined the embedded database again.');
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log(error instanceof Error ? error.message : String(error));
        await sleep(rejoinMs);
      }
    }
  };
  watch(membership);

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    stopping.abort();
    await rejoining;
    await leaveAndStop(ground, current);
  };
  return {
    connection: socketConnection(membership.socketDirectory, database),
    adopted,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Joins the server, starting it as often as it takes: an old one may still be on its way out. */
async function joinOrStart(ground: Ground, signal: AbortSignal): Promise<{ membership: Membership; adopted: boolean }> {
  const attempt = startServer(ground);
  for (;;) {
    // A started server must be joined first, or no process would be left to stop it.
    if (!attempt.started()) signal.throwIfAborted();
    const result = await join(ground.paths);
    if (typeof result !== 'string') return { membership: result, adopted: !attempt.started() };
    await attempt.advance(result);
  }
}

async function leaveAndStop(ground: Ground, current: Membership | undefined): Promise<void> {
  const membership = current ?? (await join(ground.paths));
  // The process that blocks us is starting or stopping the server, and is responsible for it.
  if (typeof membership === 'string') return;

  try {
    if (!(await leave(membership))) return;
    await stopServer(ground);
  } finally {
    await membership.client.end();
  }
}

async function stopServer({ paths }: Ground): Promise<void> {
  const pid = await livingServer(paths);
  if (pid === undefined) return;
  // "Fast": sessions are ended and transactions rolled back, then everything is written down.
  process.kill(pid, 'SIGINT');

  for (let waitedMs = 0; waitedMs < stopTimeoutMs; waitedMs += pollMs) {
    if ((await livingServer(paths)) === undefined) return removeTemporarySocket(paths);
    await sleep(pollMs);
  }
  throw new EmbeddedPostgresError(
    `The embedded database (process ${pid}) has not stopped within ${stopTimeoutMs / 1000} seconds. Its log is ${paths.logFile}. Nothing is lost; the next start joins it.`,
  );
}

// Removes the temporary socket directory, unless the next server uses it.
async function removeTemporarySocket(paths: EmbeddedPaths): Promise<void> {
  if (isInHome(paths)) return;
  await rmdir(paths.socketDirectory).catch((error: unknown) => {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTEMPTY')) throw error;
  });
}
