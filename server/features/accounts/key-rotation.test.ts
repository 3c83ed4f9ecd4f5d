import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import {
  addMasterKey,
  loadMasterKeys,
  type MasterKeys,
  removeOldMasterKeys,
} from '#server/platform/crypto/master-key.ts';
import { createServiceKeys, WrongMasterKeyError } from '#server/platform/crypto/service-keys.ts';
import { createVaults, SealBrokenError } from '#server/platform/crypto/vault.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { users, vaultKeys } from './accounts.tables.ts';
import { createKeyRotation } from './key-rotation.service.ts';

const owners = 200;
const place = { table: 'messages', column: 'title', rowId: 'one' };

let database: TestDatabase;
let dataDir: string;
/** Of a process that runs on while the rotation goes by. */
let masterKeys: MasterKeys;
const sealed = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-rotation-'));
  masterKeys = await loadMasterKeys({ dataDir });
  await createServiceKeys(database.db, masterKeys);
  for (let index = 0; index < owners; index += 1) await addOwner();
});

afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});

async function addOwner(): Promise<string> {
  const userId = randomUUID();
  const vaults = createVaults(masterKeys);
  const key = vaults.create(userId);
  await database.db.insert(users).values({ id: userId, email: `${userId}@example.org` });
  await database.db.insert(vaultKeys).values({ userId, ...key });
  sealed.set(userId, vaults.open(userId, key).seal(place, `of ${userId}`));
  return userId;
}

/** Reads as a request does: the row as it is now, opened with what this process knows of master keys. */
async function readVault(userId: string, keys = masterKeys): Promise<string> {
  const [key] = await database.db.select().from(vaultKeys).where(eq(vaultKeys.userId, userId));
  if (!key) throw new Error('The key of a vault is gone.');
  return createVaults(keys)
    .open(userId, key)
    .unseal(place, sealed.get(userId) ?? '');
}

function rotationWith(keys: MasterKeys, db = database.db) {
  const clock = createDatabaseClock(db, { testClock: false });
  return createKeyRotation({ db, clock, vaults: createVaults(keys), masterKeys: keys, audit: createAudit() });
}

async function versions(): Promise<Record<string, number>> {
  const { rows } = await database.db.execute<{ version: number; keys: number }>(sql`
    select key_version as version, count(*)::int as keys from vault_keys group by 1`);
  return Object.fromEntries(rows.map(({ version, keys }) => [version, keys]));
}

/** Starts a rotation in a process of its own and kills it after it has written `batches` batches. */
async function rotateAndKill(batches: number): Promise<void> {
  const child = fork(new URL('./key-rotation.fixture.ts', import.meta.url), {
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir },
    execArgv: [],
  });
  const ended = once(child, 'exit');
  let told = 0;
  child.on('message', () => {
    told += 1;
    if (told === batches) child.kill('SIGKILL');
  });
  expect(await ended).toEqual([null, 'SIGKILL']);
}

/** The same from the side of the database, which sees no more of a killed process than that its connections are gone. */
async function rotateAndCut(batches: number): Promise<void> {
  const cut = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => undefined });
  const keys = await loadMasterKeys({ dataDir });
  let told = 0;
  const onProgress = () => {
    told += 1;
    if (told === batches) throw new Error('killed');
  };
  await expect(rotationWith(keys, cut.db).rotate({ batch: 5, settleMs: 0, onProgress })).rejects.toThrow('killed');
  await cut.close();
}

test('a rotation killed ten times ends, and every vault opens at every moment of it', async () => {
  expect(await addMasterKey({ dataDir })).toBe(2);
  expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);

  let isOver = false;
  let reads = 0;
  const reader = (async () => {
    const ids = [...sealed.keys()];
    while (!isOver) {
      const userId = ids[reads % ids.length] ?? '';
      expect(await readVault(userId)).toBe(`of ${userId}`);
      reads += 1;
      await delay(5);
    }
  })();
  const before: number[] = [];
  for (let kill = 0; kill < 10; kill += 1) {
    // Two processes stand for ten: each takes a second to start.
    await (kill % 5 === 0 ? rotateAndKill(2) : rotateAndCut(1 + (kill % 3)));
    before.push((await versions())[1] ?? 0);
  }
  expect(before.at(-1)).toBeGreaterThan(0);
  expect(before).toEqual(before.toSorted((one, other) => other - one));
  await rotationWith(await loadMasterKeys({ dataDir })).rotate({ settleMs: 0 });
  isOver = true;
  await reader;

  expect(reads).toBeGreaterThan(100);
  expect(await versions()).toEqual({ 2: owners });
  expect(await createAudit().verify(database.db)).toMatchObject({ ok: true });
});

test('afterwards the old master key can go: vaults, service keys and running processes need it no more', async () => {
  const before = await createServiceKeys(database.db, masterKeys);
  await removeOldMasterKeys({ dataDir });
  expect((await readFile(join(dataDir, 'master.key'), 'utf8')).trim()).toMatch(/^2:\S+$/);

  const fresh = await loadMasterKeys({ dataDir });
  for (const userId of sealed.keys()) expect(await readVault(userId, fresh)).toBe(`of ${userId}`);
  const after = await createServiceKeys(database.db, fresh);
  expect(after.derive('delivery-link', 'one')).toBe(before.derive('delivery-link', 'one'));
  expect(await rotationWith(fresh).isUnfinished()).toBe(false);
});

test('a vault made with the old key while the rotation runs is found before it ends', async () => {
  const old = await loadMasterKeys({ dataDir });
  const stale: MasterKeys = { current: old.current, find: (version) => old.find(version) };
  await addMasterKey({ dataDir });
  const fresh = await loadMasterKeys({ dataDir });
  let late: string | undefined;
  const rotation = await rotationWith(fresh).rotate({
    settleMs: 0,
    onProgress: async () => {
      if (late) return;
      late = randomUUID();
      const key = createVaults(stale).create(late);
      sealed.set(late, createVaults(stale).open(late, key).seal(place, `of ${late}`));
      await database.db.insert(users).values({ id: late, email: `${late}@example.org` });
      await database.db.insert(vaultKeys).values({ userId: late, ...key });
    },
  });
  // However the two met, a second call finds nothing that is left to do, or does it.
  if (await rotationWith(fresh).isUnfinished()) await rotationWith(fresh).rotate({ settleMs: 0 });
  expect(rotation).toMatchObject({ version: 3, unopened: [] });
  expect(await versions()).toEqual({ 3: owners + 1 });
  expect(await readVault(late ?? '', fresh)).toBe(`of ${late}`);
});

test('a damaged key is named and left, and holds up nobody', async () => {
  const [damaged = ''] = sealed.keys();
  await database.db.execute(sql`
    update vault_keys set wrapped_key = set_byte(wrapped_key, 40, get_byte(wrapped_key, 40) # 1) where user_id = ${damaged}`);
  await addMasterKey({ dataDir });
  const fresh = await loadMasterKeys({ dataDir });
  const rotation = rotationWith(fresh);
  expect(await rotation.rotate({ settleMs: 0 })).toMatchObject({ version: 4, unopened: [damaged] });
  expect(await rotation.isUnfinished()).toBe(false);
  expect(await versions()).toEqual({ 3: 1, 4: owners });
  await expect(readVault(damaged, fresh)).rejects.toThrow(SealBrokenError);
});

test('a process that runs hears of a new key by itself, and a stranger key opens nothing', async () => {
  const version = await addMasterKey({ dataDir });
  await expect.poll(() => masterKeys.find(version)).toBeDefined();
  expect(masterKeys.current.version).toBe(version);

  const strangers = await mkdtemp(join(dataDir, 'stranger-'));
  const stranger = await loadMasterKeys({ dataDir: strangers });
  await expect(rotationWith(stranger).rotate({ settleMs: 0 })).rejects.toThrow(WrongMasterKeyError);
});
