import { Writable } from 'node:stream';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { advisoryLocks } from '#server/platform/db/advisory-locks.ts';
import { createBlankDatabase } from '#tests/support/database.ts';
import { openGround } from './ground.ts';
import { loadSettings } from './settings.ts';

test('a start that waits for another migration says so at warn level', async () => {
  const database = await createBlankDatabase();
  onTestFinished(() => database.close());
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('LOG_LEVEL', 'warn');
  vi.stubEnv('BASE_URL', '');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock($1)', [advisoryLocks.migration]);

  const { promise: isSaid, resolve: said } = Promise.withResolvers<string>();
  const logTo = new Writable({
    write(line: Buffer, _encoding, done) {
      said(line.toString());
      done();
    },
  });
  const opening = openGround(loadSettings(), { logTo, tables: 'migrated' });
  expect(await isSaid).toContain('Waiting for another process that migrates the database');
  await other.query('rollback');
  await (await opening).close();
});
