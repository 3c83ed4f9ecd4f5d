import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { advisoryLocks } from '#server/platform/db/advisory-locks.ts';
import { type FileStore, openFileStore } from '#server/platform/files/file-store.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { startStrictObjectStore, strictStoreKeys } from '#tests/support/servers/strict-object-store.ts';
import { insertFileObject } from './files.repository.ts';
import { createFiles } from './files.service.ts';

const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);

/** `setStoredAt` sets the time of a file: a moved clock does not move the clock of the file system. */
type Place = { store: FileStore; setStoredAt(key: string, time: Date): Promise<void> };

async function onDisk(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-nameless-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const setStoredAt = (key: string, time: Date) => utimes(join(dataDir, 'files', key.slice(0, 2), key), time, time);
  return { store: await openFileStore({ dataDir }), setStoredAt };
}

async function inObjectStorage(): Promise<Place> {
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

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.db.delete(fileObjects));

/** Nothing is opened here. */
function open(): never {
  throw new Error('No vault is opened here.');
}

function filesIn(store: FileStore) {
  const { db } = database;
  const log: string[] = [];
  const warn = (_: object, message: string) => void log.push(message);
  const clock = createDatabaseClock(db, { testClock: false });
  return { log, files: createFiles({ db, clock, vaults: { open }, store, scanner: noScanner, log: { warn } }) };
}

async function put({ store, setStoredAt }: Place, given: { hasRow: boolean; isOld: boolean }): Promise<string> {
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

const places: [string, () => Promise<Place>][] = [
  ['on the disk', onDisk],
  ['in object storage', inObjectStorage],
];

test.each(places)('what no row names goes after a day, %s', async (_, openPlace) => {
  const place = await openPlace();
  const kept = [
    await put(place, { hasRow: true, isOld: true }),
    await put(place, { hasRow: true, isOld: false }),
    await put(place, { hasRow: false, isOld: false }),
  ];
  for (let count = 0; count < 3; count += 1) await put(place, { hasRow: false, isOld: true });
  const { files, log } = filesIn(place.store);
  expect(await files.removeNameless()).toBe(3);
  expect(await keysIn(place.store)).toEqual(kept.toSorted());
  expect(await files.removeNameless()).toBe(0);
  expect(log).toEqual([]);
});

test('where much has no row it is the store of somebody else, and all of it stays', async () => {
  const place = await onDisk();
  for (let count = 0; count < 11; count += 1) await put(place, { hasRow: false, isOld: true });
  const { files, log } = filesIn(place.store);
  expect(await files.removeNameless()).toBe(0);
  expect(await keysIn(place.store)).toHaveLength(11);
  expect(log).toEqual(['the store holds files of which the database knows nothing; none of them was removed']);
});

test('while a backup is made nothing goes', async () => {
  const place = await onDisk();
  await put(place, { hasRow: false, isOld: true });
  const { files } = filesIn(place.store);
  const backup = await database.pool.connect();
  try {
    await backup.query('select pg_advisory_lock($1)', [advisoryLocks.fileRemoval]);
    expect(await files.removeNameless()).toBe(0);
    await backup.query('select pg_advisory_unlock($1)', [advisoryLocks.fileRemoval]);
    expect(await files.removeNameless()).toBe(1);
  } finally {
    backup.release();
  }
});
