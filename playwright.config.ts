import { defineConfig } from '@playwright/test';
import { launchOptionsWith } from './tests/e2e/support/launch.ts';

export default defineConfig({
  testDir: './tests/e2e',
  globalSetup: './tests/e2e/support/ready-made.ts',
  outputDir: './test-results',
  fullyParallel: true,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  // A whole browser beside a whole installation meets more chance than our own code. What passes only the second time
  // is named at the end of `npm test`, to be mended; what fails twice fails.
  retries: process.env.CI ? 1 : 0,
  timeout: 240_000,
  expect: { timeout: 20_000 },
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    viewport: { width: 1280, height: 900 },
    // Colours are measured, and a colour on its way to another is neither.
    contextOptions: { reducedMotion: 'reduce' },
    trace: 'retain-on-failure',
    launchOptions: launchOptionsWith(),
  },
});
