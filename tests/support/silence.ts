import { afterAll, afterEach, expect, vi } from 'vitest';

const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
const spoken: string[] = [];

for (const method of methods) {
  console[method] = (...parts: unknown[]) => {
    spoken.push(`console.${method}: ${parts.map(describe).join(' ')}`);
  };
}

/** What was printed since the last call; a test that expects output takes it here, and so is not failed by it. */
export function takeConsoleOutput(): string[] {
  return spoken.splice(0);
}

// A warning that nobody reads hides the next one, so a test in which anything unexpected was printed fails.
afterEach(() => {
  expect(takeConsoleOutput(), 'nothing was expected on the console').toEqual([]);
});

// Files share a process, and the next one has an environment of its own.
afterAll(() => {
  vi.unstubAllEnvs();
});

function describe(part: unknown): string {
  return part instanceof Error ? (part.stack ?? part.message) : String(part);
}
