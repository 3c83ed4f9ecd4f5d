import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { absentAs, isCode } from './binaries.ts';
import type { EmbeddedPaths } from './paths.ts';

const run = promisify(execFile);

export type PidFile = { pid: number; socketDirectory: string | undefined };

/** Content of `postmaster.pid`; undefined if it is missing or was cut off. */
export async function readPidFile(paths: EmbeddedPaths): Promise<PidFile | undefined> {
  const text = await readFile(paths.pidFile, 'utf8').catch(absentAs(''));
  // The lines: process, data directory, start time, port, socket directory, address, shared memory, status.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, socketDirectory: lines[4] || undefined };
}

/** The process of the server that serves this very cluster, or undefined when the pid file is stale or absent. */
export async function livingServer(paths: EmbeddedPaths): Promise<number | undefined> {
  const found = await readPidFile(paths);
  if (!found) return undefined;
  const serves = process.platform === 'linux' ? servesOnLinux(found.pid, paths) : servesElsewhere(found.pid, paths);
  return (await serves) ? found.pid : undefined;
}

/**
 * After a power cut, and in every container, the number in the file may belong to an unrelated process. PostgreSQL
 * then refuses to start. Call it with the lock held, once the socket does not answer.
 */
export async function removeStalePidFile(paths: EmbeddedPaths): Promise<void> {
  if ((await livingServer(paths)) !== undefined) return;
  await unlink(paths.pidFile).catch(absentAs(undefined));
}

async function servesOnLinux(pid: number, paths: EmbeddedPaths): Promise<boolean> {
  try {
    const [program, directory] = await Promise.all([readlink(`/proc/${pid}/exe`), readlink(`/proc/${pid}/cwd`)]);
    // After a reinstallation the link reads ".../postgres (deleted)", and the server runs on.
    return basename(program).startsWith('postgres') && directory === (await realpath(paths.cluster));
  } catch (error) {
    // Gone, ended while we looked, or of another user, whom PostgreSQL does not take for itself either.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => isCode(error, code))) return false;
    throw error;
  }
}

async function servesElsewhere(pid: number, paths: EmbeddedPaths): Promise<boolean> {
  try {
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
    return stdout.includes('postgres') && stdout.includes(paths.cluster);
  } catch (error) {
    // `ps` ends with 1 when there is no such process.
    if (error instanceof Error && 'code' in error && error.code === 1) return false;
    throw error;
  }
}
