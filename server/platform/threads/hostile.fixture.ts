import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask } from './thread-job.ts';

/** A job that misbehaves as its input says. */
export async function run(input: string, ask: Ask<string, string>): Promise<unknown> {
  if (input === 'loop') for (;;);
  if (input === 'memory') {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, () => Math.random()));
  }
  if (input === 'buffers') {
    const kept: Buffer[] = [];
    for (;;) {
      if (kept.length < 30) kept.push(Buffer.alloc(10_000_000, 1));
    }
  }
  if (input === 'never') await new Promise(() => {});
  if (input.startsWith('rest ')) return sleep(Number(input.slice(5)), 'rested');
  if (input === 'fail') throw new Error('The job failed.');
  return `${await ask(input)} back`;
}
