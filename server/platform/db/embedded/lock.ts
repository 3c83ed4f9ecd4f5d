import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { plainEnvironment } from './account.ts';
import { isCode } from './binaries.ts';

/** A file descriptor that holds the lock for as long as any process has it open. */
export type Lock = { fd: number; release: () => void };

// From <fcntl.h> of macOS; Node does not export it.
const darwinExclusiveLock = 0x20;

/**
 * Takes the lock without waiting; undefined if another process has it. The kernel releases it when its last holder
 * ends, in any way, so no stale lock can remain. Node has no `flock(2)`. On Linux the program of that name locks our
 * open file, and the lock stays with it after the program ends. Without such a program the start continues: the
 * server's own pid file still guards the directory.
 */
export function takeLock(path: string): Lock | undefined {
  const fd = open(path);
  if (fd === undefined) return undefined;

  if (process.platform === 'linux') {
    const attempt = spawnSync('flock', ['--exclusive', '--nonblock', '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      env: plainEnvironment(),
    });
    if (attempt.error && !isCode(attempt.error, 'ENOENT')) {
      closeSync(fd);
      throw attempt.error;
    }
    if (!attempt.error && attempt.status !== 0) {
      closeSync(fd);
      return undefined;
    }
  }
  return { fd, release: () => closeSync(fd) };
}

function open(path: string): number | undefined {
  const flags = constants.O_RDWR | constants.O_CREAT;
  if (process.platform !== 'darwin') return openSync(path, flags, 0o600);
  try {
    return openSync(path, flags | constants.O_NONBLOCK | darwinExclusiveLock, 0o600);
  } catch (error) {
    if (isCode(error, 'EAGAIN')) return undefined;
    throw error;
  }
}
