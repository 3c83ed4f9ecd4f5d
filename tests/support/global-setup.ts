import type { TestProject } from 'vitest/node';
import { startTestServer, type TestServer } from './embedded-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: TestServer['connection'];
  }
}

/** Once for a run, before the first test that needs a database; gives back what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer(temporaryDirectory());
  project.provide('postgres', server.connection);
  return server.stop;
}
