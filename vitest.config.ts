import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const withoutDatabase = ['server/**/*.rules.test.ts', 'server/**/*.unit.test.ts'];

/**
 * Three kinds of test, told apart by their name alone:
 * `unit` needs nothing but the code, `api` has a real PostgreSQL, `web` has a document.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['shared/**/*.test.ts', ...withoutDatabase, 'build/**/*.test.ts', 'tests/architecture/**/*.test.ts'],
          environment: 'node',
          pool: 'threads',
          isolate: false,
          setupFiles: ['tests/support/silence.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'api',
          include: ['server/**/*.test.ts', 'tests/{api,crash,simulation,surface}/**/*.test.ts'],
          exclude: withoutDatabase,
          environment: 'node',
          pool: 'forks',
          globalSetup: ['tests/support/global-setup.ts'],
          setupFiles: ['tests/support/silence.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'web',
          include: ['web/**/*.test.tsx', 'web/**/*.test.ts'],
          environment: 'jsdom',
          setupFiles: ['tests/support/silence.ts', 'tests/support/web.ts'],
          testTimeout: 20_000,
        },
      },
    ],
  },
});
