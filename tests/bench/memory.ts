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
