import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createBlankDatabase } from '#tests/support/database.ts';
import { createEverkept, dumpRows, type Everkept } from '#tests/support/everkept.ts';
import type { BackupManifest } from './backup.format.ts';
import { makeBackup } from './backup.service.ts';
import { practiseBackup } from './backup-practice.service.ts';
import { fileSink } from './backup-writer.ts';
import { repacked } from './repacked.test-world.ts';
import { type RestoreDependencies, restoreBackup } from './restore.service.ts';

let everkept: Everkept;
let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everkept-seal-'));
  everkept = await createEverkept();
  await everkept.signUp({ email: 'sam@ashworth.example' });
  path = join(folder, 'ours.backup');
  await backUp(path, everkept.masterKeys);
});
afterAll(async () => {
  await everkept.close();
  await rm(folder, { recursive: true });
});

const strangersKey = randomBytes(32);
const strangers: MasterKeys = { current: { version: 1, key: strangersKey }, find: () => strangersKey };

function backUp(to: string, masterKeys: MasterKeys) {
  const deps = { pool: everkept.database.pool, store: everkept.store, masterKeys, now: () => new Date() };
  return makeBackup(deps, { to: fileSink(to), masterKey: null });
}

async function restore(from: string, given: Partial<RestoreDependencies> = {}) {
  const database = await createBlankDatabase();
  onTestFinished(() => database.close());
  const keepMasterKeys = () => Promise.reject(new Error('There is a key here already.'));
  const { connection } = database;
  const { masterKeys } = everkept;
  const place = { connection, store: createMemoryStore(), masterKeys, keepMasterKeys, deleted: new Set<string>() };
  return { database, restored: await restoreBackup({ ...place, ...given }, { path: from }).catch((error) => error) };
}

const jsonOf = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

/**
 * Forgery by an attacker who can write to the bucket: other rows with matching sums, and the seal of the real backup.
 */
async function planted(changeManifest: (manifest: BackupManifest) => unknown, version = 2): Promise<string> {
  const hash = createHash('sha256');
  const rows = createHash('sha256');
  const content = await repacked(await readFile(path), (entry) => {
    let { content } = entry;
    if (entry.name === 'backup.json') content = jsonOf({ ...JSON.parse(content.toString()), version });
    if (entry.name.startsWith('rows/users/')) {
      content = Buffer.from(content.toString().replaceAll('sam@ashworth.example', 'eve@ashworth.example'));
      rows.update(content);
    }
    if (entry.name === 'manifest.json') {
      const manifest = JSON.parse(content.toString()) as BackupManifest;
      const users = { rows: manifest.tables.users?.rows ?? 0, sha256: rows.digest('hex') };
      const sums = { ...manifest, tables: { ...manifest.tables, users }, sha256: hash.copy().digest('hex') };
      return { content: jsonOf(changeManifest(sums)) };
    }
    hash.update(`${entry.name} ${content.length}\n`).update(content);
    return { content };
  });
  const to = join(folder, `${crypto.randomUUID()}.backup`);
  await writeFile(to, content);
  return to;
}

const withoutSeal = ({ seal: _, ...sums }: BackupManifest) => sums;

test('a backup with the seal of the master key is restored', async () => {
  const { restored } = await restore(path);
  expect(restored).toMatchObject({ files: 0, missingFiles: [] });
});

test.each([
  ['rows that an attacker planted under the old seal', () => planted((manifest) => manifest), /does not match/],
  ['no seal', () => planted(withoutSeal), /has no seal of the master key/],
  ['no seal, in the format that had none', () => planted(withoutSeal, 1), /has no seal of the master key/],
  [
    'a seal under an unknown version of the key',
    () => planted((manifest) => ({ ...manifest, seal: { ...manifest.seal, keyVersion: 7 } })),
    /under version 7 of the master key, which is not here/,
  ],
])('a backup with %s is refused, and nothing is written', async (_, make, words) => {
  const masterKeys = {
    ...everkept.masterKeys,
    find: (version: number) => (version === 1 ? everkept.masterKeys.find(1) : undefined),
  };
  const from = await make();
  const { database, restored } = await restore(from, { masterKeys });
  expect(String(restored)).toMatch(words);
  expect(String(restored)).toContain('--accept-unproven-origin');
  expect(await dumpRows(database)).toEqual([]);
  await expect(practiseBackup({ path: from }, masterKeys)).rejects.toThrow(words);
});

test('a backup under the key of a stranger is refused, and practising it fails', async () => {
  const from = join(folder, 'stranger.backup');
  await backUp(from, strangers);
  const { restored } = await restore(from);
  expect(String(restored)).toMatch(/does not match the master key here/);
  await expect(practiseBackup({ path: from }, everkept.masterKeys)).rejects.toThrow(/does not match/);
});

test('a backup without a seal is restored when the operator accepts its origin by name', async () => {
  const from = await planted(withoutSeal, 1);
  const { restored } = await restore(from, { acceptsUnproven: true });
  expect(restored).toMatchObject({ missingFiles: [] });
  const practice = await practiseBackup({ path: from }, everkept.masterKeys, { acceptsUnproven: true });
  expect(practice.files).toBe(0);
});
