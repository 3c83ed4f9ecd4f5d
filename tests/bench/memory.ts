import { readFile } from 'node:fs/promises';

export const mebibyte = 1_048_576;
const sampleMs = 50;

/** Bytes that a process holds now. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
  return Number(kibibytes) * 1_024;
}

/** Looks at a process until `end`, which gives the most bytes it held. */
export function sampleMemory(pid: number): { end(): Promise<number> } {
  const seen = [memoryOf(pid)];
  const timer = setInterval(() => seen.push(memoryOf(pid)), sampleMs);
  return {
    async end() {
      clearInterval(timer);
      return Math.max(...(await Promise.all(seen)));
    },
  };
}

/** Clock ticks are hundredths of a second on every Linux that Node runs on (proc(5), utime and stime). */
const ticksPerSecond = 100;

/** Processor time that a process has used: less moved by what else the machine does than the time on the wall. */
export async function processorSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name in brackets, which may hold blanks; utime and stime are the 14th and the 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
