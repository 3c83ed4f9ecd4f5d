/**
 * Sends hostile requests, made from the contract, to the whole application over the network of this machine. Prints the
 * seed, memory after each tenth, and the smallest request that broke something.
 *
 * Usage: node tests/hostile/hostile.ts [--requests N] [--seed N] [--minutes N]
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '60' },
  },
});

// The databases of tests come with their runner.
const run = spawn('vitest', ['run', '--project', 'proof', '--maxWorkers=1', 'tests/hostile'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    HOSTILE_REQUESTS: values.requests,
    HOSTILE_SEED: values.seed,
    HOSTILE_MINUTES: values.minutes,
  },
});
run.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
