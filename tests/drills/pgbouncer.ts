import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#tests/bench/site.ts';
import { listens, pathOf } from './drill.ts';

export const pgBouncer = { command: 'pgbouncer', package: 'pgbouncer' };

type Options = { mode: 'session' | 'transaction'; port: number; user: string; database: string };

const startTimeoutMs = 10_000;

/** Debian's PgBouncer as it comes, in front of a PostgreSQL on this port. */
export async function startPgBouncer({ mode, port, user, database }: Options) {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-pgbouncer-'));
  const listenPort = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `${database} = host=127.0.0.1 port=${port} user=${user} dbname=${database}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'default_pool_size = 20',
    'max_client_conn = 200',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  // PgBouncer refuses to run as root, and its account must read this.
  await chmod(folder, 0o755);
  const asRoot = process.getuid?.() === 0;
  const command = pathOf(pgBouncer.command) ?? pgBouncer.command;
  const child = spawn(command, [...(asRoot ? ['-u', 'nobody'] : []), file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const deadline = performance.now() + startTimeoutMs;
  while (!(await listens(listenPort))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`PgBouncer did not start:\n${said}`);
    await sleep(50);
  }
  return {
    url: `postgresql://${user}@127.0.0.1:${listenPort}/${database}`,
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
