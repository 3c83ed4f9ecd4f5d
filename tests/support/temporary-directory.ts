import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm';
const gibibyte = 2 ** 30;
/** A run needs 200 MiB; the log of its database may grow to one gibibyte. */
const leastRoomBytes = 3 * gibibyte;
const leastMemoryBytes = 6 * gibibyte;

/**
 * Where tests put what is thrown away after them. In memory where there is plenty of it: each file of tests has a database of
 * its own, which is 600 files, and to make them on a disk took a third of the whole time.
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
