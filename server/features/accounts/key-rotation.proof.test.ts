import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eq, type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '#server/app.ts';
import { anchorAudit, verifyAudit } from '#server/features/audit/audit.ts';
import {
  addMasterKey,
  loadMasterKeys,
  type MasterKeys,
  removeOldMasterKeys,
} from '#server/platform/crypto/master-key.ts';
import { createServiceKeys, WrongMasterKeyError } from '#server/platform/crypto/service-keys.ts';
import { createVaults, SealBrokenError } from '#server/platform/crypto/vault.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { isRotationUnfinished, rotateKeys } from './key-rotation.ts';

const owners = 200;
/** Long enough for a slow machine. */
const patienceMs = 240_000;
const place = { table: 'messages', column: 'title', rowId: 'one' };

let database: TestDatabase;
let app: App;
let dataDir: string;
/** Keys of a process that runs on during the rotation. */
let masterKeys: MasterKeys;
const sealed = new Map<string, string>();

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-rotation-'));
  masterKeys = await loadMasterKeys({ dataDir });
  ({ app, database } = await openTestApp({ parts: { masterKeys } }));
  for (let index = 0; index < owners; index += 1) await addOwner();
});

afterAll(async () => {
  await app.close();
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

/** `App` of a process that has read these keys. */
function appWith(keys: MasterKeys): App {
  return { ...app, masterKeys: keys, vaults: createVaults(keys) };
}

async function versions(): Promise<Record<string, number>> {
  const { rows } = await database.db.execute<{ version: number; keys: number }>(sql`
    select key_version as version, count(*)::int as keys from vault_keys group by 1`);
  return Object.fromEntries(rows.map(({ version, keys }) => [version, keys]));
}

type Rotator = () => ChildProcess;
const environment = () => ({
  PATH: process.env.PATH,
  DATABASE_URL: database.url,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'silent',
});

const inTinyBatches: Rotator = () =>
  fork(new URL('./key-rotation.fixture.ts', import.meta.url), { env: environment(), execArgv: [] });
const operatorsCommand: Rotator = () =>
  fork(new URL('../../cli.ts', import.meta.url), ['rotate-keys'], { env: environment(), execArgv: [] });

/** Fate of the statement that the killed process had sent: PostgreSQL finishes it, or is stopped too. */
type Statement = 'is written' | 'is lost';

/**
 * Starts a rotation, and kills it during the statement that waits for the rows of `hold`. Each kill comes at its
 * intended point on any machine.
 */
async function rotateAndKill(start: Rotator, hold: SQL, statement: Statement): Promise<void> {
  const backend = await database.db.transaction(async (tx) => {
    await tx.execute(hold);
    const child = start();
    const ended = once(child, 'exit');
    const pid = await backendThatWaits(child);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    if (statement === 'is lost') await tx.execute(sql`select pg_terminate_backend(${pid})`);
    return pid;
  });
  const alive = sql`select 1 from pg_stat_activity where pid = ${backend}`;
  await expect.poll(async () => (await database.db.execute(alive)).rows, { timeout: patienceMs }).toEqual([]);
}

/** The backend that waits for a lock in this database, as soon as there is one. */
async function backendThatWaits(child: ChildProcess): Promise<number> {
  while (child.exitCode === null) {
    const { rows } = await database.db.execute<{ pid: number }>(sql`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    if (rows[0]) return rows[0].pid;
    await delay(20);
  }
  throw new Error('It ended by itself, and waited for nothing.');
}

test('a rotation killed ten times ends, and every vault opens at every moment of it', async () => {
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
  const inOrder = [...sealed.keys()].toSorted();
  const vault = (index: number) => sql`select 1 from vault_keys where user_id = ${inOrder[index]} for update`;
  const serviceKeys = sql`select 1 from service_keys where purpose = 'derivation' for update`;
  // A kill that lets the statement finish advances by one batch of five. Other kills keep only earlier batches.
  const kills: [start: Rotator, hold: SQL, statement: Statement, done: number][] = [
    [operatorsCommand, serviceKeys, 'is lost', 0],
    [inTinyBatches, vault(2), 'is lost', 0],
    [inTinyBatches, vault(2), 'is written', 5],
    [inTinyBatches, vault(28), 'is lost', 25],
    [inTinyBatches, vault(54), 'is written', 55],
    [inTinyBatches, vault(81), 'is lost', 80],
    [inTinyBatches, vault(107), 'is written', 110],
    [inTinyBatches, vault(164), 'is lost', 160],
    [inTinyBatches, vault(199), 'is written', owners],
    [inTinyBatches, sql`lock table audit_chains in exclusive mode`, 'is lost', owners],
  ];
  for (const [start, hold, statement, done] of kills) {
    const readsBefore = reads;
    await rotateAndKill(start, hold, statement);
    expect(await versions()).toEqual({
      ...(done < owners ? { 1: owners - done } : {}),
      ...(done > 0 ? { 2: done } : {}),
    });
    expect(reads).toBeGreaterThan(readsBefore);
  }
  // The first of them made the new master key, and the later ones made no other.
  expect((await loadMasterKeys({ dataDir })).current.version).toBe(2);
  expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
  await rotateKeys(appWith(await loadMasterKeys({ dataDir })), { settleMs: 0 });
  isOver = true;
  await reader;

  expect(reads).toBeGreaterThan(100);
  expect(await versions()).toEqual({ 2: owners });
  expect(await verifyAudit(app)).toMatchObject({ ok: true });
});

test('the old master key can be removed after the rotation: vaults, service keys and running processes no longer need it', async () => {
  const before = await createServiceKeys(database.db, masterKeys);
  await removeOldMasterKeys({ dataDir });
  expect((await readFile(join(dataDir, 'master.key'), 'utf8')).trim()).toMatch(/^2:\S+$/);

  const fresh = await loadMasterKeys({ dataDir });
  for (const userId of sealed.keys()) expect(await readVault(userId, fresh)).toBe(`of ${userId}`);
  const after = await createServiceKeys(database.db, fresh);
  expect(after.derive('delivery-link', 'one')).toBe(before.derive('delivery-link', 'one'));
  expect(after.hashToken('a session or a link')).toBe(before.hashToken('a session or a link'));
  const anchor = await anchorAudit(app, '2026-11-23');
  expect(await verifyAudit({ ...app, serviceKeys: after, kept: new Map() }, [anchor])).toMatchObject({
    ok: true,
    anchors: 1,
  });
  expect(await isRotationUnfinished(appWith(fresh))).toBe(false);
});

test('a vault made with the old key while the rotation runs is found before it ends', async () => {
  const old = await loadMasterKeys({ dataDir });
  const stale: MasterKeys = { current: old.current, find: (version) => old.find(version) };
  await addMasterKey({ dataDir });
  const fresh = await loadMasterKeys({ dataDir });
  let late: string | undefined;
  let making: Promise<void> | undefined;
  const makeVault = async (id: string) => {
    const key = createVaults(stale).create(id);
    sealed.set(id, createVaults(stale).open(id, key).seal(place, `of ${id}`));
    await database.db.insert(users).values({ id, email: `${id}@example.org` });
    await database.db.insert(vaultKeys).values({ userId: id, ...key });
  };
  const rotation = await rotateKeys(appWith(fresh), {
    settleMs: 0,
    onProgress: () => {
      late ??= randomUUID();
      making ??= makeVault(late);
    },
  });
  // The rotation does not wait for it: on a busy machine it may end before the vault is stored.
  await making;
  // In either order, a second call finishes the rotation or finds nothing to do.
  if (await isRotationUnfinished(appWith(fresh))) await rotateKeys(appWith(fresh), { settleMs: 0 });
  expect(rotation).toMatchObject({ version: 3, unopened: [] });
  expect(await versions()).toEqual({ 3: owners + 1 });
  expect(await readVault(late ?? '', fresh)).toBe(`of ${late}`);
});

test('a damaged key is named and left as it is, and delays no other', async () => {
  const [damaged = ''] = sealed.keys();
  await database.db.execute(sql`
    update vault_keys set wrapped_key = set_byte(wrapped_key, 40, get_byte(wrapped_key, 40) # 1) where user_id = ${damaged}`);
  await addMasterKey({ dataDir });
  const fresh = await loadMasterKeys({ dataDir });
  expect(await rotateKeys(appWith(fresh), { settleMs: 0 })).toMatchObject({ version: 4, unopened: [damaged] });
  expect(await isRotationUnfinished(appWith(fresh))).toBe(false);
  expect(await versions()).toEqual({ 3: 1, 4: owners });
  await expect(readVault(damaged, fresh)).rejects.toThrow(SealBrokenError);
});

test('a running process loads a new key automatically, and a foreign key opens nothing', async () => {
  const version = await addMasterKey({ dataDir });
  await expect.poll(() => masterKeys.find(version)).toBeDefined();
  expect(masterKeys.current.version).toBe(version);

  const strangers = await mkdtemp(join(dataDir, 'stranger-'));
  const stranger = await loadMasterKeys({ dataDir: strangers });
  await expect(rotateKeys(appWith(stranger), { settleMs: 0 })).rejects.toThrow(WrongMasterKeyError);
});
