/**
 * `npm run at-time -- 2027-03-28T00:30Z npm test` runs a command and its child processes at that time. Two files in
 * `/etc` change the C library's clock of every process, so the clocks of Node and PostgreSQL move together. The
 * command sees the files in a mount namespace of its own, so other processes keep the real time. Needs Linux, root, a
 * C compiler and Debian's package `faketime`. Monotonic clocks stay real, so timers are right.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeOfCommit } from './hard-times.ts';
import { linkerFile, movedClock, offsetFile } from './moved-clock.ts';

/** Binds the two files in a namespace of its own, then becomes the command. */
const inNamespace = `mount --bind "$0/offset" ${offsetFile} && mount --bind "$0/library" ${linkerFile} && exec "$@"`;

/** Path of the library for this processor. @throws Error that names the package to install. */
async function findLibrary(): Promise<string> {
  for (const folder of await readdir('/usr/lib')) {
    const path = join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1');
    if (existsSync(path)) return path;
  }
  throw new Error('The clock can only be moved with Debian’s faketime: apt-get install faketime');
}

async function runAt(time: Date, command: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'everkept-at-time-'));
  try {
    const offsetSeconds = Math.round((time.getTime() - Date.now()) / 1000);
    await writeFile(join(folder, 'offset'), `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
    const waits = join(folder, 'real-waits.so');
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', waits, join(import.meta.dirname, 'real-waits.c')]);
    await writeFile(join(folder, 'library'), `${waits}\n${await findLibrary()}\n`);
    // The database runs as another user.
    await chmod(folder, 0o755);
    // Something has to be there to be covered. Appending nothing keeps the content of a file that exists.
    for (const file of [linkerFile, offsetFile]) await appendFile(file, '');

    const env = { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1', [movedClock]: 'yes' };
    const args = ['--mount', 'sh', '-c', inNamespace, folder, ...command];
    const { status, error } = spawnSync('unshare', args, { stdio: 'inherit', env });
    if (error) throw error;
    return status ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const [when = '', ...command] = process.argv.slice(2);
const time = when.startsWith('commit:') ? timeOfCommit(when.slice('commit:'.length), new Date()) : new Date(when);
if (Number.isNaN(time.getTime()) || command.length === 0) {
  console.error('Usage: npm run at-time -- 2027-03-28T00:30Z COMMAND…, or commit:HASH in place of the time');
  process.exitCode = 2;
} else {
  console.log(`The clock of this run starts at ${time.toISOString()}.`);
  process.exitCode = await runAt(time, command);
}
