import { type ChildProcess, type ForkOptions, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChildReport } from '#tests/support/embedded-child.ts';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './launcher.ts';
import { embeddedPaths } from './paths.ts';
import { livingServer } from './pid-file.ts';

const isRoot = process.getuid?.() === 0;
const childProgram = fileURLToPath(new URL('../../../../tests/support/embedded-child.ts', import.meta.url));

let scratch: string;
const running: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'everkept-embedded-'));
  await chmod(scratch, 0o755);
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  await Promise.all(children.splice(0).map(endChild));
});

afterAll(() => rm(scratch, { recursive: true, maxRetries: 5 }));

async function start(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, ...options });
  running.push(server);
  return server;
}

async function startChild(dataDir: string, options: ForkOptions = {}): Promise<ChildProcess & { report: ChildReport }> {
  const child = fork(childProgram, [dataDir], { execArgv: [], ...options });
  children.push(child);
  const [report] = (await once(child, 'message')) as [ChildReport];
  return Object.assign(child, { report });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.send('stop');
  await ended;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function query(server: EmbeddedPostgres, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const writeWord = (server: EmbeddedPostgres) =>
  query(server, "create table kept (word text); insert into kept values ('still here')");
const readWord = (server: EmbeddedPostgres) => query(server, 'select word from kept');
const stillHere = [{ word: 'still here' }];

const serverOf = (dataDir: string) => livingServer(embeddedPaths(dataDir));

describe('one process', () => {
  test('a first start makes a database on a socket alone, and the next start finds its data', async () => {
    const dataDir = join(scratch, 'first');
    const first = await start(dataDir);
    expect(first.adopted).toBe(false);
    await writeWord(first);
    expect(
      await query(
        first,
        `select current_setting('listen_addresses') as tcp, current_setting('fsync') as fsync,
           current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
           current_database() as name, inet_server_addr() as address`,
      ),
    ).toEqual([{ tcp: '', fsync: 'on', checksums: 'on', encoding: 'UTF8', name: 'everkept', address: null }]);
    await first.stop();
    await first.stop();
    expect(await serverOf(dataDir)).toBe(undefined);

    const second = await start(dataDir);
    expect(second.adopted).toBe(false);
    expect(await readWord(second)).toEqual(stillHere);
  });

  test('other accounts can’t enter the data or the socket, and the log holds no values', async () => {
    const dataDir = join(scratch, 'first');
    const server = await start(dataDir);
    const { cluster, socketDirectory, logFile } = embeddedPaths(dataDir);
    for (const path of [cluster, socketDirectory]) expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(logFile)).mode & 0o777).toBe(0o600);

    await query(server, 'create table guarded (secret text constraint guard check (length(secret) < 4))');
    await expect(query(server, "insert into guarded values ('hunter2')")).rejects.toThrow('guard');
    const log = await readFile(logFile, 'utf8');
    expect(log).toContain('violates check constraint');
    expect(log).not.toContain('hunter2');
  });

  test('an interrupted first start is begun again', async () => {
    const dataDir = join(scratch, 'interrupted');
    const paths = embeddedPaths(dataDir);
    await mkdir(paths.unfinishedCluster, { recursive: true });
    await writeFile(join(paths.unfinishedCluster, 'PG_VERSION'), '18\n');
    const server = await start(dataDir);
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a server that dies while it is used is started again', async () => {
    const dataDir = join(scratch, 'first');
    const said: string[] = [];
    const server = await start(dataDir, { log: (sentence) => said.push(sentence) });
    process.kill((await serverOf(dataDir)) ?? 0, 'SIGKILL');

    await expect.poll(() => said).toContain('Joined the embedded database again.');
    expect(await readWord(server)).toEqual(stillHere);
    await server.stop();
    expect(await serverOf(dataDir)).toBe(undefined);
  });

  test('a data directory with a long name gets its socket elsewhere', async () => {
    const dataDir = join(scratch, 'long-'.repeat(20), 'data');
    const server = await start(dataDir);
    expect(server.connection.host).not.toContain('long-');
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    await expect(stat(String(server.connection.host))).rejects.toThrow('ENOENT');
  });

  test('a name with blanks, commas and quotes does no harm', async () => {
    const server = await start(join(scratch, `a, "b" 'c'`));
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('several processes', () => {
  const dataDir = () => join(scratch, 'shared');

  test('three first starts at once make one database, and all are served', async () => {
    const three = await Promise.all([1, 2, 3].map(() => startChild(dataDir())));
    expect(three.map((child) => 'adopted' in child.report && child.report.adopted).toSorted()).toEqual([
      false,
      true,
      true,
    ]);
    await writeWord(await start(dataDir()));
  });

  test('the first to leave leaves the server running, and the last stops it', async () => {
    const other = await startChild(dataDir());
    const server = await start(dataDir());
    expect(server.adopted).toBe(true);
    const pid = await serverOf(dataDir());
    expect(pid).toBeTypeOf('number');

    await endChild(other);
    expect(await serverOf(dataDir())).toBe(pid);
    expect(await readWord(server)).toEqual(stillHere);

    await server.stop();
    expect(await serverOf(dataDir())).toBe(undefined);
  });

  test('the server of a process that was killed is adopted, and stopped by who adopted it', async () => {
    const other = await startChild(dataDir());
    await kill(other);
    const pid = await serverOf(dataDir());
    expect(pid).toBeTypeOf('number');

    const server = await start(dataDir());
    expect(server.adopted).toBe(true);
    expect(await readWord(server)).toEqual(stillHere);
    await server.stop();
    expect(await serverOf(dataDir())).toBe(undefined);
  });

  test('after everything was killed at once the next start waits for the remains to end', async () => {
    const other = await startChild(dataDir());
    const pid = await serverOf(dataDir());
    process.kill(pid ?? 0, 'SIGKILL');
    await kill(other);
    const server = await start(dataDir());
    expect(server.adopted).toBe(false);
    expect(await readWord(server)).toEqual(stillHere);
  });

  test('a pid file that names an unrelated process does not keep the server from starting', async () => {
    const paths = embeddedPaths(dataDir());
    const owner = await stat(paths.cluster);
    const stranger = spawn('sleep', ['60'], isRoot ? { uid: owner.uid, gid: owner.gid } : {});
    try {
      const text = `${stranger.pid}\n${paths.cluster}\n1700000000\n5432\n${paths.socketDirectory}\n\n  123 456\nready\n`;
      await writeFile(paths.pidFile, text);
      await chown(paths.pidFile, owner.uid, owner.gid);
      const server = await start(dataDir());
      expect(server.adopted).toBe(false);
      expect(await readWord(server)).toEqual(stillHere);
      expect(stranger.exitCode).toBe(null);
    } finally {
      stranger.kill();
    }
  });
});

describe('a failed start names its cause', () => {
  test('a cluster of another PostgreSQL is refused by its number and left alone', async () => {
    const { cluster } = embeddedPaths(join(scratch, 'older'));
    await mkdir(cluster, { recursive: true });
    await writeFile(join(cluster, 'PG_VERSION'), '17\n');
    await expect(start(join(scratch, 'older'))).rejects.toThrow(/made by PostgreSQL 17.*brings PostgreSQL 18/);
    expect(await readFile(join(cluster, 'PG_VERSION'), 'utf8')).toBe('17\n');
  });

  test('a directory that is no cluster is not written over', async () => {
    const { cluster } = embeddedPaths(join(scratch, 'half'));
    await mkdir(cluster, { recursive: true });
    await writeFile(join(cluster, 'something'), 'of value');
    await expect(start(join(scratch, 'half'))).rejects.toThrow('exists but holds no database');
    expect(await readFile(join(cluster, 'something'), 'utf8')).toBe('of value');
  });

  test('a server that refuses to start is quoted at once', async () => {
    const parameters = { shared_buffers: 'plenty' };
    await expect(start(join(scratch, 'refused'), { parameters })).rejects.toThrow(
      /could not start: invalid value for parameter "shared_buffers"/,
    );
  });

  test('a file in the place of the data directory is explained', async () => {
    await writeFile(join(scratch, 'file'), '');
    await expect(start(join(scratch, 'file'))).rejects.toThrow('choose another DATA_DIR');
  });

  test('a directory moved while its server runs is refused, not served by the wrong one', async () => {
    await start(join(scratch, 'moving'));
    await rename(join(scratch, 'moving'), join(scratch, 'moved'));
    await expect(start(join(scratch, 'moved'))).rejects.toThrow('directory was moved while it ran');
    await rename(join(scratch, 'moved'), join(scratch, 'moving'));
  });
});

const nobody = 65_534;
/** True if an ordinary user could run what lies here at all: a clone in root's own folder is closed to all others. */
const isOpenToOthers =
  isRoot &&
  spawnSync('/bin/sh', ['-c', 'test -r "$0"', childProgram], { uid: nobody, gid: nobody, cwd: '/' }).status === 0;

describe.runIf(isRoot && !isOpenToOthers)('as root, with a program that other accounts can’t enter', () => {
  test('still runs, and finds its data', async () => {
    const dataDir = join(scratch, 'closed');
    const first = await start(dataDir);
    await writeWord(first);
    await first.stop();
    expect((await stat(embeddedPaths(dataDir).cluster)).uid).toBe(0);
    expect(await readWord(await start(dataDir))).toEqual(stillHere);
  });
});

describe.runIf(isOpenToOthers)('as root', () => {
  test('under a directory that other accounts can’t enter it still runs, and goes back when it may', async () => {
    const home = join(scratch, 'private');
    const dataDir = join(home, 'data');
    await mkdir(home, { mode: 0o755 });
    const open = await start(dataDir);
    await writeWord(open);
    await open.stop();
    expect((await stat(embeddedPaths(dataDir).cluster)).uid).not.toBe(0);

    await chmod(home, 0o700);
    const hidden = await start(dataDir);
    expect(await readWord(hidden)).toEqual(stillHere);
    await hidden.stop();
    expect((await stat(embeddedPaths(dataDir).cluster)).uid).toBe(0);

    await chmod(home, 0o755);
    const again = await start(dataDir);
    expect(await readWord(again)).toEqual(stillHere);
  });

  test('an ordinary user runs it, and root may come later without taking it away', async () => {
    const uid = nobody;
    const home = join(scratch, 'ordinary');
    await mkdir(home);
    await chown(home, uid, uid);
    const dataDir = join(home, 'data');
    const identity = { uid, gid: uid, cwd: '/' };

    const user = await startChild(dataDir, identity);
    expect(user.report).toEqual({ adopted: false });
    await endChild(user);

    await writeWord(await start(dataDir)).finally(() => running.pop()?.stop());
    const again = await startChild(dataDir, identity);
    expect(again.report).toEqual({ adopted: false });
  });
});
