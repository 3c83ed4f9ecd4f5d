import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { plainEnvironment } from './account.ts';
import { isCode } from './binaries.ts';

/** A file descriptor that holds the lock for as long as any process has it open. */
export type Lock = { fd: number; release: () => void };

// From <fcntl.h> of macOS; Node does not export it.
const darwinExclusiveLock = 0x20;

/**
 * Takes the lock without waiting; undefined when another person has it. The kernel gives it back when the last holder
 * ends, however it ended, so no stale lock can remain. Node has no `flock(2)`; on Linux the program of that name
 * locks the very open file we hand to it, and the lock stays with that open file when the program is gone. Where no
 * such program exists the start goes on without: the server's own pid file still guards the directory.
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
