import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { advisoryLocks } from '#server/platform/db/advisory-locks.ts';
import { type FileStore, openFileStore } from '#server/platform/files/file-store.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp, type TestParts } from '#tests/support/installation/open-test-app.ts';
import { startStrictObjectStore, strictStoreKeys } from '#tests/support/servers/strict-object-store.ts';
import { insertFileObject } from './files.repository.ts';
import { removeNamelessFiles } from './upkeep.ts';

const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);

/** `setStoredAt` sets the time of a file: a moved clock does not move the clock of the file system. */
type TestStore = { store: FileStore; setStoredAt(key: string, time: Date): Promise<void> };

async function onDisk(): Promise<TestStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-nameless-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const setStoredAt = (key: string, time: Date) => utimes(join(dataDir, 'files', key.slice(0, 2), key), time, time);
  return { store: await openFileStore({ dataDir }), setStoredAt };
}

async function inObjectStorage(): Promise<TestStore> {
  const server = await startStrictObjectStore('vault');
  const s3 = { bucket: 'vault', endpoint: server.endpoint, ...strictStoreKeys };
  const store = await openFileStore({ dataDir: '/nowhere', s3 });
  onTestFinished(async () => {
    await store.close();
    await server.close();
  });
  const setStoredAt = async (key: string, time: Date) => void server.storedAt.set(`files/${key}`, time);
  return { store, setStoredAt };
}

let opened: TestParts;
let database: TestDatabase;
beforeAll(async () => {
  opened = await openTestApp();
  database = opened.database;
});
afterAll(() => database.close());
beforeEach(async () => {
  opened.log.length = 0;
  await database.db.delete(fileObjects);
});

const removeIn = (store: FileStore) => removeNamelessFiles({ ...opened.app, store });
const messages = () => opened.log.map((line): string => JSON.parse(line).msg);

async function put({ store, setStoredAt }: TestStore, given: { hasRow: boolean; isOld: boolean }): Promise<string> {
  const key = randomUUID();
  if (given.hasRow) await insertFileObject(database.db, key, twoDaysAgo);
  await store.put(key, Readable.from([Buffer.from('x')], { objectMode: false }));
  await setStoredAt(key, given.isOld ? twoDaysAgo : new Date());
  return key;
}

async function keysIn(store: FileStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list()) keys.push(key);
  return keys.toSorted();
}

const places: [string, () => Promise<TestStore>][] = [
  ['on the disk', onDisk],
  ['in object storage', inObjectStorage],
];

test.each(places)('a file without a row is removed after a day, %s', async (_, openPlace) => {
  const place = await openPlace();
  const kept = [
    await put(place, { hasRow: true, isOld: true }),
    await put(place, { hasRow: true, isOld: false }),
    await put(place, { hasRow: false, isOld: false }),
  ];
  for (let count = 0; count < 3; count += 1) await put(place, { hasRow: false, isOld: true });
  expect(await removeIn(place.store)).toBe(3);
  expect(await keysIn(place.store)).toEqual(kept.toSorted());
  expect(await removeIn(place.store)).toBe(0);
  expect(messages()).toEqual([]);
});

test('many files without a row mean a store of another installation, and all of them stay', async () => {
  const place = await onDisk();
  for (let count = 0; count < 11; count += 1) await put(place, { hasRow: false, isOld: true });
  expect(await removeIn(place.store)).toBe(0);
  expect(await keysIn(place.store)).toHaveLength(11);
  expect(messages()).toEqual(['the store holds files of which the database knows nothing; none of them was removed']);
});

test('no file is removed during a backup', async () => {
  const place = await onDisk();
  await put(place, { hasRow: false, isOld: true });
  const backup = await database.pool.connect();
  try {
    await backup.query('select pg_advisory_lock($1)', [advisoryLocks.fileRemoval]);
    expect(await removeIn(place.store)).toBe(0);
    await backup.query('select pg_advisory_unlock($1)', [advisoryLocks.fileRemoval]);
    expect(await removeIn(place.store)).toBe(1);
  } finally {
    backup.release();
  }
});
