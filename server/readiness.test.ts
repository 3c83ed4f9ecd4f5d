import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { readinessOf } from './readiness.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const ok = { ok: true };

test('a site is ready while its database answers, and no longer once it was asked to end', async () => {
  expect(await readinessOf(database)).toEqual({ database: ok });
  expect(await readinessOf(database, { isEnding: true })).toEqual({
    database: ok,
    process: { ok: false, detail: 'This process is about to end.' },
  });
});

test('a worker is ready while its rounds come to an end', async () => {
  let trouble: string | null = null;
  const worker = { trouble: () => trouble };
  expect(await readinessOf(database, { worker })).toEqual({ database: ok, work: ok });
  trouble = '“sweep” has been running for 12 minutes.';
  expect(await readinessOf(database, { worker })).toEqual({ database: ok, work: { ok: false, detail: trouble } });
});

test('reports a database that does not answer', async () => {
  const connection = { connectionString: 'postgresql://everkept@127.0.0.1:1/everkept' };
  const away = openDatabase({ connection, maxConnections: 1, onError: () => undefined });
  onTestFinished(() => away.close());
  expect(await readinessOf(away)).toEqual({ database: { ok: false, detail: 'The database does not answer.' } });
});

test('reports a recently silent connection but stays ready', async () => {
  const lastAt = new Date(Date.now() - 60_000);
  const after = { ...database, silences: () => ({ count: 1, lastAt }) };
  expect(await readinessOf(after)).toEqual({
    database: {
      ok: true,
      detail: `A connection went silent and was closed at ${lastAt.toISOString()}. New ones work.`,
    },
  });
  lastAt.setTime(Date.now() - 3_600_000);
  expect(await readinessOf(after)).toEqual({ database: ok });
});
