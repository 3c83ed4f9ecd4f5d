import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseAccount, makeHome } from './account.ts';
import { findBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { takeLock } from './lock.ts';
import { type EmbeddedPaths, embeddedPaths } from './paths.ts';
import { livingServer, removeStalePidFile } from './pid-file.ts';
import { type ServerProcess, spawnServer } from './server-process.ts';

/** Location of the server, and its own settings. */
export type Ground = { paths: EmbeddedPaths; parameters: Record<string, string> };

export type StartAttempt = {
  /** True if this process has started the server that now answers. */
  started: () => boolean;
  /** After a vain attempt to join: starts the server if it is time to, waits a little, throws when it is hopeless. */
  advance: (answer: 'absent' | 'busy') => Promise<void>;
};

const retryMs = 100;
/** Without any answer. Another process may be making the cluster, on a slow disk. */
const silentTimeoutMs = 120_000;
/** Limit for a server that reports that it is starting, because it replays the log after a crash. */
const busyTimeoutMs = 15 * 60_000;

/** Messages of a server that started too early, before all processes of the previous one ended. */
const tooEarly = /lock file|shared memory|in use/;

/** Makes the directory and finds out its real name, so that two ways to write it mean one server. */
export async function layGround(dataDir: string, parameters: Record<string, string>): Promise<Ground> {
  const given = resolve(dataDir);
  await makeHome(given);
  return { paths: embeddedPaths(await realpath(given)), parameters };
}

export function startServer(ground: Ground): StartAttempt {
  const begunAt = performance.now();
  let lastAnswerAt = begunAt;
  let server: ServerProcess | undefined;

  return {
    started: () => server !== undefined && server.failure() === undefined,

    advance: async (answer) => {
      const now = performance.now();
      if (answer === 'busy') lastAnswerAt = now;

      const failure = server?.failure();
      if (failure !== undefined) {
        server = undefined;
        if (!tooEarly.test(failure)) throw couldNotStart(ground.paths, failure);
      }
      if (now - lastAnswerAt > silentTimeoutMs || now - begunAt > busyTimeoutMs) {
        throw couldNotStart(ground.paths, failure ?? 'it does not answer');
      }

      if (answer === 'absent' && !server) server = await startUnderLock(ground);
      await sleep(server ? retryMs / 4 : retryMs);
    },
  };
}

/** Undefined when another process has the lock: it starts the server, or is one that has not quite ended. */
async function startUnderLock({ paths, parameters }: Ground): Promise<ServerProcess | undefined> {
  const lock = takeLock(paths.lockFile);
  if (!lock) return undefined;
  try {
    if ((await livingServer(paths)) !== undefined) return undefined;
    const binaries = await findBinaries();
    const account = await chooseAccount(paths, binaries);
    await ensureCluster({ paths, binaries, account, lock });
    await removeStalePidFile(paths);
    return await spawnServer({ paths, binaries, account, lock, parameters });
  } finally {
    // The server has its own hold on it by now.
    lock.release();
  }
}

function couldNotStart(paths: EmbeddedPaths, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The embedded database could not start: ${reason}. Its log is ${paths.logFile}; "npm run everkept -- doctor" looks for the cause.`,
  );
}
