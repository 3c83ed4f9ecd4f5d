import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { type Account, handOver, plainEnvironment } from './account.ts';
import { absentAs, type Binaries } from './binaries.ts';
import { makePrivateDirectory } from './cluster.ts';
import type { Lock } from './lock.ts';
import { type EmbeddedPaths, isInHome, socketPort } from './paths.ts';

export type ServerProcess = {
  /** Undefined while it runs; afterwards the last complaint it wrote. */
  failure: () => string | undefined;
};

export type ServerOptions = {
  paths: EmbeddedPaths;
  binaries: Binaries;
  account: Account;
  lock: Lock;
  parameters: Record<string, string>;
};

const logLimitBytes = 4 * 1024 * 1024;
const complaintBytes = 4096;

const defaultParameters: Record<string, string> = {
  // Nothing on the network, not even on loopback.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // An online backup copies the directory while it is written to; what it still needs must not be recycled.
  wal_keep_size: '64MB',
  // Would log an unneeded line every five minutes.
  log_checkpoints: 'off',
  // A constraint's complaint quotes the row, and a failed statement may hold literals: neither belongs in a log.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/**
 * Starts the server detached, so that Ctrl-C reaches this process alone, which then stops the server in order.
 * Returns at once: whether it serves is found out by connecting. To be called with the lock held.
 */
export async function spawnServer(options: ServerOptions): Promise<ServerProcess> {
  const { paths, binaries, account, lock } = options;
  // Inside our own directory only we can have made it, for an account that was used before.
  if (isInHome(paths)) await handOver(paths.socketDirectory, account);
  await makePrivateDirectory(paths.socketDirectory, account);
  await rotateLog(paths);

  const log = openSync(paths.logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const parameters = { ...defaultParameters, ...options.parameters };
  const [program, ...args] = [
    ...account.prefix,
    binaries.postgres,
    // The setting is a list; the quotes keep a comma in the path from parting it.
    ...['-D', paths.cluster, '-p', String(socketPort), '-k', `"${paths.socketDirectory.replaceAll('"', '""')}"`],
    ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn(program ?? '', args, {
    ...account.identity,
    cwd: '/',
    env: plainEnvironment(),
    // The server inherits the lock: while one of its processes lives, no other server starts on the same files.
    stdio: ['ignore', log, log, lock.fd],
    detached: true,
  });
  closeSync(log);
  child.unref();

  let ended: string | undefined;
  let failedToRun: string | undefined;
  child.once('error', (error) => {
    failedToRun = error.message;
  });
  child.once('exit', (status, signal) => {
    ended = `the server ended with ${signal ?? status}`;
  });
  // The log is read on demand: it is not needed after an orderly stop, and may be gone then.
  return { failure: () => failedToRun ?? (ended && (lastComplaint(paths, logStart) ?? ended)) };
}

async function rotateLog(paths: EmbeddedPaths): Promise<void> {
  const log = await stat(paths.logFile).catch(absentAs(undefined));
  if (log && log.size > logLimitBytes) await rename(paths.logFile, `${paths.logFile}.1`);
}

/** The last complaint since the start, without time and process number. Never the whole log: only its end. */
function lastComplaint(paths: EmbeddedPaths, logStart: number): string | undefined {
  const log = openSync(paths.logFile, 'r');
  try {
    const start = Math.max(logStart, fstatSync(log).size - complaintBytes);
    const end = Buffer.alloc(complaintBytes);
    const lines = end.toString('utf8', 0, readSync(log, end, 0, complaintBytes, start)).split('\n');
    return lines.findLast((line) => /(FATAL|PANIC|error):/.test(line))?.replace(/^.*?(FATAL|PANIC|error):\s*/, '');
  } finally {
    closeSync(log);
  }
}
