import { availableParallelism } from 'node:os';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { temporaryDirectory } from './tests/support/temporary-directory.ts';
import { LongestFirst } from './tests/test-order.ts';

const withoutDatabase = ['server/**/*.rules.test.ts', 'server/**/*.unit.test.ts'];
const proofs = '{server,tests}/**/*.proof.test.ts';

/** Time-out of a hanging test. Far above every test's need, because a slow machine must not fail a test. */
const hangsAfterMs = 600_000;

/** For all projects. A wait inside a test ends before its test, so that the failure names the expected value. */
const patience = {
  testTimeout: hangsAfterMs,
  hookTimeout: hangsAfterMs,
  expect: { poll: { timeout: hangsAfterMs / 2 } },
};

/** For all but proofs, which write gigabytes. */
const env = { TMPDIR: temporaryDirectory() };

/** For tests on a real PostgreSQL: one server for a run, and a database for each file. */
const onPostgres = {
  environment: 'node' as const,
  pool: 'forks' as const,
  // Half the time of a small file went by in loading the application. Each file has a database of its own.
  isolate: false,
  globalSetup: ['tests/support/global-setup.ts'],
  setupFiles: ['tests/support/silence.ts'],
  ...patience,
};

/**
 * Four kinds of tests, selected by name. `unit` needs only code, `api` a real PostgreSQL, `web` a document. `proof`
 * takes long: kills, races, walks over all routes, simulated years. `npm test` runs the first three, `npm run prove`
 * all.
 */
export default defineConfig({
  test: {
    // A part of the time goes by in waiting for the database, which is filled by one file more than there are cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'shared/**/*.test.ts',
            ...withoutDatabase,
            // Renders like the server, and React refuses both renderers in one process.
            'web/{prerender,render-linked}.unit.test.tsx',
            'build/**/*.test.ts',
            'tests/{architecture,spec-coverage}/**/*.test.ts',
            'tests/core-lives/**/*.test.ts',
          ],
          environment: 'node',
          env,
          pool: 'threads',
          isolate: false,
          setupFiles: ['tests/support/silence.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'api',
          include: ['server/**/*.test.ts', 'tests/{simulation,surface}/**/*.test.ts'],
          exclude: [...withoutDatabase, proofs],
          env,
          ...onPostgres,
        },
      },
      { test: { name: 'proof', include: [proofs], ...onPostgres } },
      {
        plugins: [react()],
        test: {
          name: 'web',
          include: ['web/**/*.test.tsx', 'web/**/*.test.ts'],
          exclude: ['web/{prerender,render-linked}.unit.test.tsx'],
          environment: 'jsdom',
          env,
          pool: 'forks',
          // Making a document and loading React for each file took longer than the tests in it.
          isolate: false,
          setupFiles: ['tests/support/silence.ts', 'tests/support/web.ts'],
          ...patience,
        },
      },
    ],
  },
});
