import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { openFileStore } from '#server/platform/files/file-store.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { startStrictObjectStore, strictStoreKeys } from '#tests/support/servers/strict-object-store.ts';
import { readinessOf } from './readiness.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.db.execute(sql`update service_health set last_beat_at = clock_timestamp()`));

const noTestClock = { testClock: false };
const ok = { ok: true };
const noFiles = { ok: false, detail: 'Files cannot be kept just now.' };
type Store = Parameters<typeof readinessOf>[0]['store'];
function tell(store: Store) {
  const { db } = database;
  return readinessOf({ db, clock: createDatabaseClock(db, noTestClock), store });
}

test('database, storage and worker are told one by one', async () => {
  const store = createMemoryStore();
  expect(await tell(store)).toEqual({ database: ok, storage: ok, worker: ok });
  await database.db.execute(sql`update service_health set last_beat_at = clock_timestamp() - interval '6 minutes'`);
  store.failWith(new Error('gone'));
  expect(await tell(store)).toEqual({
    database: ok,
    storage: noFiles,
    worker: { ok: false, detail: 'The worker has not been heard of lately.' },
  });
});

test('a database that is away is told, and the storage all the same', async () => {
  const connection = { connectionString: 'postgresql://everkept@127.0.0.1:1/everkept' };
  const away = openDatabase({ connection, maxConnections: 1, onError: () => undefined });
  onTestFinished(() => away.close());
  expect(
    await readinessOf({ ...away, clock: createDatabaseClock(away.db, noTestClock), store: createMemoryStore() }),
  ).toEqual({
    database: { ok: false, detail: 'The database does not answer.' },
    storage: ok,
  });
});

test('a disk is well before its first file and after it, and not once its folder is gone', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-ready-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const store = await openFileStore({ dataDir });
  expect(await tell(store)).toMatchObject({ storage: ok });
  await store.put(crypto.randomUUID(), Readable.from([Buffer.from('x')], { objectMode: false }));
  expect(await tell(store)).toMatchObject({ storage: ok });
  await rm(dataDir, { recursive: true });
  expect(await tell(store)).toMatchObject({ storage: noFiles, database: ok, worker: ok });
});

test('object storage is well while it knows us and answers', async () => {
  const server = await startStrictObjectStore('vault');
  const s3 = { bucket: 'vault', endpoint: server.endpoint, ...strictStoreKeys };
  const known = await openFileStore({ dataDir: '/nowhere', s3 });
  const unknown = await openFileStore({ dataDir: '/nowhere', s3: { ...s3, accessKeyId: 'SOMEBODY' } });
  onTestFinished(async () => {
    await known.close();
    await unknown.close();
    await server.close();
  });
  expect(await tell(known)).toMatchObject({ storage: ok });
  expect(server.objects.size).toBe(0);
  expect(await tell(unknown)).toMatchObject({ storage: noFiles });
  server.fault = () => ({ status: 500, code: 'InternalError' });
  expect(await tell(known)).toMatchObject({ storage: noFiles });
});
