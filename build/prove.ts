/**
 * `npm run prove`: everything, with what takes long: kills, races, walks over all routes, simulated years, every planted
 * mistake, every journey. `--after-test` leaves out what `npm test` has just shown.
 */
import { parseArgs } from 'node:util';
import { type Part, runParts } from './parts.ts';
import { quickParts } from './test.ts';

/** Measures the memory of a process, which must have the processors for itself. */
const measuredAlone = 'server/features/files/large-files.proof.test.ts';

const longParts: readonly Part[] = [
  { name: 'build', command: ['node', 'build/build.ts'], isNeeded: true },
  { name: 'unused code', command: ['knip'] },
  {
    name: 'long proofs',
    command: ['vitest', 'run', '--project', 'proof', '--exclude', measuredAlone],
    counts: 'vitest',
  },
  { name: 'large files', command: ['vitest', 'run', '--project', 'proof', measuredAlone], counts: 'vitest' },
  {
    name: 'journeys in a translating browser',
    command: ['playwright', 'test', '--project', 'first translated', '--project', 'others', '--reporter=list,json'],
    counts: 'browser',
  },
  { name: 'performance table, in small', command: ['node', 'tests/bench/bench.ts', '--small'] },
];

const { values } = parseArgs({ options: { 'after-test': { type: 'boolean', default: false } } });
await runParts(values['after-test'] ? longParts : [...quickParts, ...longParts.filter(({ name }) => name !== 'build')]);
