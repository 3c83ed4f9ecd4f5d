import { execFile, type SpawnOptions } from 'node:child_process';
import { access, chmod, chown, constants, lchown, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { absentAs, type Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';
import type { EmbeddedPaths } from './paths.ts';

const run = promisify(execFile);

/** As whom PostgreSQL runs. It refuses to be root, and asks the system for the name of its user. */
export type Account = {
  /** Owner of its files, as seen from outside. */
  uid: number;
  gid: number;
  /** For `spawn`: the identity to take, where it is not our own. */
  identity: Pick<SpawnOptions, 'uid' | 'gid'>;
  /** Put before the program's own arguments. */
  prefix: string[];
};

type Way = Account & { name: string };

/** In order of preference; the first two exist only if an operator made them. */
const unprivilegedNames = ['everkept', 'postgres', 'nobody'];
const nobodyId = 65_534;
const probeTimeoutMs = 20_000;

/**
 * Chooses the account, by trying: it must be able to enter the data directory and to load the program.
 * An existing cluster keeps its owner where that works; else, as root, it is handed over later by `handOver`.
 */
export async function chooseAccount(paths: EmbeddedPaths, binaries: Binaries): Promise<Account> {
  const owner = await stat(paths.cluster).catch(absentAs(undefined));
  const ourUid = process.getuid?.() ?? nobodyId;
  const ourGid = process.getgid?.() ?? nobodyId;
  if (owner && ourUid !== 0 && owner.uid !== ourUid) throw foreignCluster(paths, owner.uid);

  const ways = ourUid === 0 ? await waysOfRoot(owner?.uid) : [ownWay(ourUid, ourGid)];
  ways.push(namespaceWay(ourUid, ourGid));
  if (owner) ways.sort((a, b) => Number(b.uid === owner.uid) - Number(a.uid === owner.uid));

  const refusals: string[] = [];
  for (const way of ways) {
    const refusal = await whyNot(way, paths, binaries);
    if (refusal === undefined) return way;
    refusals.push(`  ${way.name}: ${refusal}`);
  }
  throw noWay(paths, refusals);
}

// Traversable by all, listable by no one else: the content has a narrower mode of its own.
const passableMode = 0o711;

/**
 * Makes `DATA_DIR/postgres`, through which the account must find its way although it may own neither.
 * A `DATA_DIR` that exists keeps the mode its owner gave it.
 */
export async function makeHome(dataDir: string): Promise<void> {
  const home = join(dataDir, 'postgres');
  try {
    const created = await mkdir(dataDir, { recursive: true, mode: passableMode });
    // The mode above is narrowed by the umask, this one is not.
    if (created !== undefined) await chmod(dataDir, passableMode);
    if (await mkdir(home, { recursive: true, mode: passableMode })) await chmod(home, passableMode);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The database cannot be kept in ${home}: this user may not write there. Run as the owner of that directory, give it to yourself with "chown -R", choose another DATA_DIR, or set DATABASE_URL.`,
      { cause },
    );
  }
}

/** Gives a stopped cluster to the account that will run it, where root has to change who that is. */
export async function handOver(directory: string, account: Account): Promise<void> {
  const found = await lstat(directory).catch(absentAs(undefined));
  if (!found || found.uid === account.uid || process.getuid?.() !== 0) return;

  for (const entry of await readdir(directory, { recursive: true })) {
    await lchown(join(directory, entry), account.uid, account.gid);
  }
  await chown(directory, account.uid, account.gid);
}

/** @param ownerUid of an existing cluster: an ordinary user may have made it, and root may have come later. */
async function waysOfRoot(ownerUid: number | undefined): Promise<Way[]> {
  const accounts = await readAccounts();
  const owner = accounts.find((account) => account.uid === ownerUid);
  const known = unprivilegedNames.map((name) => accounts.find((account) => account.name === name));

  return [owner, ...known].flatMap((account) => {
    if (!account || account.uid === 0) return [];
    const { name, uid, gid } = account;
    return [{ name: `the account "${name}"`, uid, gid, identity: { uid, gid }, prefix: [] }];
  });
}

function ownWay(uid: number, gid: number): Way {
  return { name: 'the present user', uid, gid, identity: {}, prefix: [] };
}

// Inside its own user namespace the server runs as an unprivileged account. Outside, its files are ours.
function namespaceWay(uid: number, gid: number): Way {
  const prefix = ['unshare', '--user', `--map-user=${nobodyId}`, `--map-group=${nobodyId}`, '--'];
  return { name: 'a user namespace', uid, gid, identity: {}, prefix };
}

async function whyNot(way: Way, paths: EmbeddedPaths, binaries: Binaries): Promise<string | undefined> {
  if (way.name === 'the present user' && !hasName()) return 'the system has no name for this user id';

  const script = 'cd -- "$1" && exec "$2" --version';
  const [program, ...args] = [...way.prefix, '/bin/sh', '-c', script, 'sh', paths.home, binaries.postgres];
  try {
    await run(program ?? '', args, { ...way.identity, cwd: '/', env: plainEnvironment(), timeout: probeTimeoutMs });
    return undefined;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    return said || (error instanceof Error ? error.message : String(error));
  }
}

/** Only what a program needs to be found: no setting of ours, and no secret, reaches the server. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin' };
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    // Node reports a user without an entry in the system's list as an error; that is the answer.
    return false;
  }
}

async function readAccounts(): Promise<{ name: string; uid: number; gid: number }[]> {
  const lines = await readFile('/etc/passwd', 'utf8').catch(absentAs(''));
  return lines.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

function foreignCluster(paths: EmbeddedPaths, uid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${paths.cluster} belongs to another user (id ${uid}). Run as that user, give the directory to yourself with "chown -R", or choose another DATA_DIR.`,
  );
}

function noWay(paths: EmbeddedPaths, refusals: string[]): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    [
      `PostgreSQL refuses to run as root, and no other account can reach both its program and ${dirname(paths.home)}.`,
      'Any one of these helps: move the project to a directory that every user may enter, such as /srv; or run it as an ordinary user; or set DATABASE_URL to a PostgreSQL server.',
      'What was tried:',
      ...refusals,
    ].join('\n'),
  );
}
