import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { launchOptionsWith } from './tests/e2e/support/launch.ts';

/** Journeys of joining, paying and a release. */
const first = /@first/;
/** `PLAIN=1` walks every journey in a browser that does not translate. */
const isPlain = process.env.PLAIN === '1';
const use = { isTranslated: !isPlain };

/**
 * `npm test` walks the project `first` through plain pages. `npm run prove` walks the other two, in a browser that translates each page.
 */
export default defineConfig<{ isTranslated: boolean }>({
  testDir: './tests/e2e',
  testIgnore: isPlain ? '**/translated.spec.ts' : [],
  projects: [
    { name: 'first', grep: first },
    { name: 'first translated', grep: first, use },
    { name: 'others', grepInvert: first, use },
  ],
  globalSetup: './tests/e2e/support/ready-made.ts',
  outputDir: './test-results',
  fullyParallel: true,
  // A journey waits as long as it works, for a worker's next second or a mail: two processors have room for three.
  workers: Math.max(3, availableParallelism()),
  forbidOnly: Boolean(process.env.CI),
  // At least ten times what a journey, a page or a press takes on a quiet machine.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  // On a machine that is shared, everything may stand still for longer than a page waits. What needed a second try is
  // named at the end of the run, since it may as well be a mistake that comes and goes.
  retries: 1,
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    // An element that can't be pressed is reported by name, before the journey times out.
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    viewport: { width: 1280, height: 900 },
    // Colours are measured, and a colour on its way to another is neither.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace takes a fifth of the processor's time, and nearly every journey would throw it away. To see more of one
    // that failed: `npx playwright test --trace retain-on-failure`.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: launchOptionsWith(),
  },
});
