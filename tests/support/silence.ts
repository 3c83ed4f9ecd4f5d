import { afterAll, afterEach, expect, vi } from 'vitest';

const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
const spoken: string[] = [];

for (const method of methods) {
  console[method] = (...parts: unknown[]) => {
    spoken.push(`console.${method}: ${parts.map(describe).join(' ')}`);
  };
}

/** Output since the last call. A test that expects output takes it here, and does not fail because of it. */
export function takeConsoleOutput(): string[] {
  return spoken.splice(0);
}

declare module 'vitest' {
  interface TaskMeta {
    /** Time-out of the test. The report of a run compares it with the duration. */
    timeoutMs?: number;
  }
}

afterEach(({ task }) => {
  task.meta.timeoutMs = task.timeout;
});

// An ignored warning hides the next one, so unexpected output fails a test.
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
