import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#tests/bench/site.ts';
import { pathOf } from './drill.ts';

export const postgresServer = { command: 'initdb', package: 'postgresql' };
export const pgBackRest = { command: 'pgbackrest', package: 'pgbackrest' };

const run = promisify(execFile);
const stanza = 'everkept';
const superuser = 'postgres';

/**
 * Debian's PostgreSQL with pgBackRest, in its own folder, as docs/operations.md describes it. It archives every
 * finished log segment, and an unfinished one after `archiveSeconds`.
 */
export async function startArchivedPostgres({ archiveSeconds }: { archiveSeconds: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-archived-'));
  const [data, config, port] = [join(folder, 'data'), join(folder, 'pgbackrest.conf'), await freePort()];
  const asServer = await serverUser();
  for (const name of ['repository', 'log', 'lock', 'spool']) await mkdir(join(folder, name));
  await writeFile(
    config,
    [
      '[global]',
      `repo1-path=${folder}/repository`,
      'repo1-retention-full=2',
      'start-fast=y',
      `log-path=${folder}/log`,
      `lock-path=${folder}/lock`,
      `spool-path=${folder}/spool`,
      `[${stanza}]`,
      `pg1-path=${data}`,
      `pg1-port=${port}`,
      `pg1-socket-path=${folder}`,
      `pg1-user=${superuser}`,
      '',
    ].join('\n'),
  );
  await asServer.owns(folder, config, ...['repository', 'log', 'lock', 'spool'].map((name) => join(folder, name)));

  const command = (name: string, ...words: string[]) => asServer.run(pathOf(name) ?? name, words);
  const rest = (...words: string[]) => command('pgbackrest', `--config=${config}`, `--stanza=${stanza}`, ...words);
  const start = async () => {
    const log = join(folder, 'log', 'postgres');
    await command('pg_ctl', '-D', data, '-w', '-l', log, 'start').catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await readFile(log, 'utf8')}`);
    });
  };

  await command('initdb', '-D', data, '-U', superuser, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8');
  await appendFile(
    join(data, 'postgresql.conf'),
    [
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      `unix_socket_directories = '${folder}'`,
      'archive_mode = on',
      `archive_timeout = ${archiveSeconds}`,
      `archive_command = '${pathOf('pgbackrest')} --config=${config} --stanza=${stanza} archive-push %p'`,
      '',
    ].join('\n'),
  );
  await start();
  await command('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', superuser, 'everkept');
  await rest('stanza-create');
  await rest('backup', '--type=full');

  const killed = async () => {
    const pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
    process.kill(pid, 'SIGKILL');
  };
  return {
    url: `postgresql://${superuser}@127.0.0.1:${port}/everkept`,
    connection: { host: '127.0.0.1', port, user: superuser, database: 'everkept' },
    /** The machine is gone, and its disk with it. */
    async lose() {
      await killed();
      // The other machine has neither its socket nor the lock of it.
      for (const left of [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]) await rm(join(folder, left), { force: true });
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
    /** Another machine, on which nothing is but the repository of pgBackRest. */
    async restore() {
      await mkdir(data, { mode: 0o700 });
      await asServer.owns(data);
      await rest('restore');
      await start();
    },
    async stop() {
      await command('pg_ctl', '-D', data, '-m', 'immediate', 'stop').catch(() => undefined);
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** PostgreSQL refuses root: then it is run by the account that its package has made. */
async function serverUser() {
  if (process.getuid?.() !== 0) {
    return { run: (command: string, words: string[]) => run(command, words), owns: async () => undefined };
  }
  const idOf = async (option: string) => Number((await run('id', [option, superuser])).stdout);
  const [uid, gid] = [await idOf('-u'), await idOf('-g')];
  return {
    run: (command: string, words: string[]) => run('runuser', ['-u', superuser, '--', command, ...words], { cwd: '/' }),
    async owns(...paths: string[]) {
      for (const path of paths) {
        await chown(path, uid, gid);
        if (path.endsWith('.conf')) await chmod(path, 0o600);
      }
    },
  };
}
