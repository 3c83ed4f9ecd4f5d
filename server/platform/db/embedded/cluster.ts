import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, handOver, plainEnvironment } from './account.ts';
import { absentAs, type Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';
import type { Lock } from './lock.ts';
import type { EmbeddedPaths } from './paths.ts';

/** The only role, a superuser; only who may enter the socket's directory can use it. */
export const superuser = 'everkept';

const initdbTimeoutMs = 120_000;
const privateMode = 0o700;

type Ground = { paths: EmbeddedPaths; binaries: Binaries; account: Account; lock: Lock };

/**
 * Makes sure that a whole cluster lies in its place and belongs to the account. To be called with the lock held.
 * It is made under another name, so that one which was interrupted is never taken for whole.
 */
export async function ensureCluster({ paths, binaries, account, lock }: Ground): Promise<void> {
  const version = await readFile(join(paths.cluster, 'PG_VERSION'), 'utf8').catch(absentAs(undefined));
  if (version !== undefined) {
    refuseOtherVersion(paths, version.trim(), binaries.majorVersion);
    await handOver(paths.cluster, account);
    return;
  }
  await refuseRemains(paths);

  await rm(paths.unfinishedCluster, { recursive: true, force: true });
  await makePrivateDirectory(paths.unfinishedCluster, account);
  await initialise({ paths, binaries, account, lock });
  await rename(paths.unfinishedCluster, paths.cluster);
  await syncDirectory(paths.home);
}

/** A directory that only the account can enter. Throws if it exists and belongs to another account. */
export async function makePrivateDirectory(path: string, account: Account): Promise<void> {
  const created = await mkdir(path, { recursive: true, mode: privateMode });
  // Links are not followed: in a shared temporary directory any user may have made one.
  const found = await lstat(path);
  const ours = created !== undefined || found.uid === account.uid || found.uid === process.getuid?.();
  if (!found.isDirectory() || !ours) {
    throw new EmbeddedPostgresError(
      `${path} belongs to another user (id ${found.uid}) and cannot be used. Remove it, or choose another DATA_DIR.`,
    );
  }
  await chmod(path, privateMode);
  if (found.uid !== account.uid) await chown(path, account.uid, account.gid);
}

async function initialise({ paths, binaries, account, lock }: Ground): Promise<void> {
  const [program, ...args] = [
    ...account.prefix,
    binaries.initdb,
    ...['-D', paths.unfinishedCluster, '-U', superuser, '--no-instructions', '--data-checksums'],
    // `trust`, because the socket's directory is the guard. The builtin locale, because system collations change with
    // releases and then break indexes silently.
    ...['-A', 'trust', '-E', 'UTF8', '--locale-provider=builtin', '--locale=C.UTF-8'],
  ];
  // The child inherits the lock. If its parent is killed, the child keeps other processes away until it ends.
  const child = spawn(program ?? '', args, {
    ...account.identity,
    cwd: '/',
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe', lock.fd],
    timeout: initdbTimeoutMs,
  });
  const said = child.stderr ? text(child.stderr) : Promise.resolve('');
  const [status, signal] = await once(child, 'close');
  if (status === 0) return;

  const reason = (await said).trim() || `it ended with ${signal ?? status}`;
  throw new EmbeddedPostgresError(`The embedded database could not be made: ${reason}`);
}

function refuseOtherVersion(paths: EmbeddedPaths, found: string, expected: string): void {
  if (found === expected) return;
  throw new EmbeddedPostgresError(
    `The database in ${paths.cluster} was made by PostgreSQL ${found}, and this release brings PostgreSQL ${expected}. Go back to the release that made it, take a backup there with "npm run everkept -- backup FILE", and restore it into a new DATA_DIR with this one.`,
  );
}

// Something is there, but no cluster. To make a new one beside it could hide data that was moved or half copied.
async function refuseRemains(paths: EmbeddedPaths): Promise<void> {
  const found = await stat(paths.cluster).catch(absentAs(undefined));
  if (!found) return;
  throw new EmbeddedPostgresError(
    `${paths.cluster} exists but holds no database. If a copy of it was cut short, copy it again; if it is not needed, move it away.`,
  );
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
