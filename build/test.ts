/**
 * `npm test`: in minutes, what tells that nothing broke. `npm run prove` (`prove.ts`) goes on from here; CONTRIBUTING.md
 * says what runs where.
 */
import { type Part, runParts } from './parts.ts';

export const quickParts: readonly Part[] = [
  // First, since tests start the bundled server.
  { name: 'build', command: ['node', 'build/build.ts'], isNeeded: true },
  { name: 'format and lint', command: ['biome', 'check', '.'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  {
    name: 'unit, property, API and component tests',
    command: ['vitest', 'run', '--project', 'unit', '--project', 'api', '--project', 'web'],
    counts: 'vitest',
  },
  {
    name: 'first journeys in the browser',
    command: ['playwright', 'test', '--project', 'first', '--reporter=list,json'],
    counts: 'browser',
  },
];

if (import.meta.main) await runParts(quickParts);
