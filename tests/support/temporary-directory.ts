import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux's directory in memory. */
const inMemory = '/dev/shm';
const gibibyte = 2 ** 30;
/** A run needs 200 MiB; the log of its database may grow to one gibibyte. */
const leastRoomBytes = 3 * gibibyte;
const leastMemoryBytes = 6 * gibibyte;

/**
 * Directory for temporary test data, in memory if there is room. Each test file has its own database, which is 600
 * files; making them on a disk took a third of the time.
 */
export function temporaryDirectory(): string {
  if (process.platform !== 'linux' || process.availableMemory() < leastMemoryBytes) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= leastRoomBytes && mayHoldPrograms() ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Some tests write a small program and run it, which an administrator may have forbidden there. */
function mayHoldPrograms(): boolean {
  const line = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((mount) => mount.split(' ')[1] === inMemory);
  const options = line?.split(' ')[3]?.split(',') ?? [];
  return line !== undefined && !options.includes('noexec');
}
