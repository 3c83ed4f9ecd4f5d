import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Everything the embedded server keeps, below `DATA_DIR/postgres`. */
export type EmbeddedPaths = {
  home: string;
  /** PostgreSQL's own data directory. */
  cluster: string;
  /** Directory that initdb writes to. Once complete, it gets the name of the cluster. */
  unfinishedCluster: string;
  /** Lock held by the starting process, then by the server until it ends. */
  lockFile: string;
  logFile: string;
  pidFile: string;
  /** Directory of a new server's socket. A running server names its own in the pid file. */
  socketDirectory: string;
};

/** The port only names the socket file; nothing listens on the network. */
export const socketPort = 5432;

// A Unix socket's address holds 108 bytes on Linux and 104 on macOS, and PostgreSQL puts a lock file beside it.
const maxSocketPathBytes = 100;

/** @param dataDir an absolute path with no symbolic link in it, so that two ways to write it give one socket. */
export function embeddedPaths(dataDir: string): EmbeddedPaths {
  const home = join(dataDir, 'postgres');
  const cluster = join(home, 'cluster');

  return {
    home,
    cluster,
    unfinishedCluster: join(home, 'cluster.unfinished'),
    lockFile: join(home, 'lock'),
    logFile: join(home, 'server.log'),
    pidFile: join(cluster, 'postmaster.pid'),
    socketDirectory: shortEnough([join(home, 'socket'), fallback(tmpdir(), dataDir), fallback('/tmp', dataDir)]),
  };
}

/** True if the socket lies below `DATA_DIR`, as it does unless that has too long a name. */
export function isInHome({ socketDirectory, home }: EmbeddedPaths): boolean {
  return dirname(socketDirectory) === home;
}

function fallback(temporaryDirectory: string, dataDir: string): string {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  return join(temporaryDirectory, `everkept-${hash}`);
}

function shortEnough(candidates: string[]): string {
  const fits = (directory: string) =>
    Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}.lock`)) <= maxSocketPathBytes;
  // The last is `/tmp/everkept-` and 16 digits, which always fits.
  return candidates.find(fits) ?? '/tmp';
}
