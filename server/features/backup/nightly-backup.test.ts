import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { objectStoreKeys, startObjectStore } from '#tests/support/servers/object-store.ts';
import { makeBackup } from './backup.service.ts';
import { type BackupPlace, openBackupPlace } from './backup-places.ts';
import { practiseBackup } from './backup-practice.service.ts';
import { readBackup } from './backup-reader.ts';
import { fileSink } from './backup-writer.ts';
import { makeDueBackup } from './nightly-backup.ts';

let everkept: Everkept;
let folder: string;
beforeAll(async () => {
  everkept = await createEverkept();
  const owner = await everkept.signUp();
  await everkept.write(owner);
});
afterAll(() => everkept.close());
beforeEach(async () => {
  // Far from 03:00, when the next night begins.
  await everkept.jumpToHour(12);
  folder = await mkdtemp(join(tmpdir(), 'everkept-nightly-'));
  const made = folder;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  await everkept.database.db.execute(sql`delete from backup_state`);
});

function nightly(
  place: BackupPlace,
  recipient?: string,
  { identityFile, masterKeys = everkept.masterKeys }: { identityFile?: string; masterKeys?: MasterKeys } = {},
) {
  const { opened } = everkept;
  const backups = { ...opened.settings.backups, keep: { days: 3, months: 0 }, recipient, identityFile };
  const app = { ...opened, masterKeys, settings: { ...opened.settings, backups } };
  const told: Awaited<ReturnType<typeof makeDueBackup>>[] = [];
  const look = async () => void told.push(await makeDueBackup(app, place));
  return { look, told };
}
const inFolder = () => openBackupPlace({ to: folder });
const names = async () => (await readdir(folder)).toSorted();
const pathOf = (name: string | undefined) => join(folder, name ?? 'none');

describe('an automatic backup', () => {
  test('is made immediately, then once a night, opens as any other, and old ones are removed', async () => {
    const { look, told } = nightly(await inFolder());
    await look();
    const [first] = await names();
    expect(first).toMatch(/^everkept-\d{4}-\d\d-\d\d-\d{6}\.backup\.zst$/);
    const manifest = await readBackup({ path: pathOf(first) });
    expect([manifest.tables.users?.rows, manifest.tables.messages?.rows]).toEqual([1, 1]);
    await look();
    expect(await names()).toEqual([first]);
    for (let night = 0; night < 4; night += 1) {
      await everkept.jump(1);
      await look();
    }
    const left = await names();
    expect(left).toHaveLength(3);
    expect(left).not.toContain(first);
    expect(told.every(({ troubledSinceMs }) => troubledSinceMs === null)).toBe(true);
  });

  test('is made once by many workers in parallel', async () => {
    const workers = await Promise.all(Array.from({ length: 5 }, async () => nightly(await inFolder())));
    await Promise.all(workers.map(({ look }) => look()));
    expect(await names()).toHaveLength(1);
  });

  test('is compressed, and sealed to the public key that is named: no other key opens it, and ours does', async () => {
    const identity = await generateIdentity();
    await nightly(await inFolder(), await identityToRecipient(identity)).look();
    const [name] = await names();
    expect(name).toMatch(/\.backup\.zst\.age$/);
    const bytes = await readFile(pathOf(name));
    expect(bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    const identityFile = pathOf('key.txt');
    await writeFile(identityFile, `# created: today\n${identity}\n`);
    expect((await readBackup({ path: pathOf(name), identityFile })).tables.users?.rows).toBe(1);
    await expect(readBackup({ path: pathOf(name) })).rejects.toThrow(/BACKUP_IDENTITY_FILE/);
    await writeFile(identityFile, await generateIdentity());
    await expect(readBackup({ path: pathOf(name), identityFile })).rejects.toThrow(/No key in .* opens this backup/);
    await writeFile(identityFile, 'nothing\n');
    await expect(readBackup({ path: pathOf(name), identityFile })).rejects.toThrow(/There is no key in/);
  });

  test('that was cut off or changed is damaged, sealed or not', async () => {
    const identity = await generateIdentity();
    const identityFile = pathOf('key.txt');
    for (const recipient of [undefined, await identityToRecipient(identity)]) {
      await everkept.database.db.execute(sql`delete from backup_state`);
      await everkept.jump(1);
      await nightly(await inFolder(), recipient).look();
      await writeFile(identityFile, identity);
      const name = (await names()).findLast((each) => each.startsWith('everkept-'));
      const bytes = await readFile(pathOf(name));
      const changed = Buffer.from(bytes);
      const middle = Math.floor(bytes.length / 2);
      changed.writeUInt8(changed.readUInt8(middle) ^ 1, middle);
      for (const wrong of [bytes.subarray(0, 0.9 * bytes.length), bytes.subarray(0, middle), changed]) {
        await writeFile(pathOf('wrong'), wrong);
        await expect(readBackup({ path: pathOf('wrong'), identityFile })).rejects.toThrow(/damaged or was cut off/);
      }
    }
  });

  test('that fails leaves no partial file, is tried again after an hour, and is then reported', async () => {
    await writeFile(pathOf('file'), 'in the way');
    const { look, told } = nightly(await openBackupPlace({ to: pathOf('file') }));
    await look();
    expect(told.at(-1)?.troubledSinceMs).toBeNull();
    const state = async () => (await everkept.database.db.execute(sql`select * from backup_state`)).rows[0];
    expect(await state()).toMatchObject({ made_at: null, reason: expect.stringContaining('There can be no folder') });
    await everkept.jump(1.5 / 24);
    await look();
    expect(told.at(-1)).toEqual({
      troubledSinceMs: expect.any(Number),
      reason: expect.stringContaining('There can be no folder'),
    });
    await rm(pathOf('file'));
    await everkept.jump(1.5 / 24);
    await look();
    expect(told.at(-1)).toEqual({ troubledSinceMs: null, reason: null });
    expect(await readdir(pathOf('file'))).toHaveLength(1);
  });

  test('waits while an operator makes one by hand, and reports nothing', async () => {
    const { look, told } = nightly(await inFolder());
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { pool } = everkept.database;
    const byHand = makeBackup(
      { pool, store: everkept.store, masterKeys: everkept.masterKeys, now: () => new Date() },
      {
        masterKey: null,
        to: async (content) => {
          started.resolve();
          await gate.promise;
          await fileSink(pathOf('by-hand.backup'))(content);
        },
      },
    );
    await started.promise;
    await look();
    gate.resolve();
    await byHand;
    expect(await names()).toEqual(['by-hand.backup']);
    expect(told).toEqual([{ troubledSinceMs: null, reason: null }]);
  });

  test('goes to a bucket as well, and old ones leave it', async () => {
    const bucket = 'backups';
    const { endpoint, close } = await startObjectStore({ directory: folder, bucket });
    onTestFinished(() => close());
    const to = `s3://${bucket}/nightly`;
    const place = await openBackupPlace({ to, s3: { bucket, endpoint, ...objectStoreKeys } });
    const { look } = nightly(place);
    for (let night = 0; night < 5; night += 1) {
      await look();
      await everkept.jump(1);
    }
    const lying = await place.list();
    expect(lying.map(({ name }) => name)).toEqual(Array(3).fill(expect.stringMatching(/^everkept-.*\.backup\.zst$/)));
    expect(lying.every(({ sizeBytes }) => sizeBytes > 1_000)).toBe(true);
  });
});

describe('a backup is read back once a month', () => {
  const practised = async () =>
    (await everkept.database.db.execute(sql`select practised_at, letters_opened from backup_state`)).rows[0];

  test('and says how many letters opened', async () => {
    const { look } = nightly(await inFolder());
    await look();
    const first = await practised();
    expect(first).toMatchObject({ letters_opened: 1 });
    await everkept.jump(1);
    await look();
    expect(await practised()).toEqual(first);
    await everkept.jump(28);
    await look();
    expect((await practised())?.practised_at).not.toEqual(first?.practised_at);
  });

  test('and is a failure if no letter opens with the present keys', async () => {
    const key = randomBytes(32);
    const other: MasterKeys = { current: { version: 1, key }, find: () => key };
    const { look } = nightly(await inFolder(), undefined, { masterKeys: other });
    await look();
    const { rows } = await everkept.database.db.execute(sql`select reason, practised_at from backup_state`);
    expect(rows[0]).toEqual({
      reason: expect.stringMatching(/^No letter of the backup .* opened with the keys here/),
      practised_at: null,
    });
  });

  test('and a failure is reported until a backup opens, even if new ones are made', async () => {
    const key = randomBytes(32);
    const other: MasterKeys = { current: { version: 1, key }, find: () => key };
    const { look, told } = nightly(await inFolder(), undefined, { masterKeys: other });
    await look();
    await everkept.jump(2 / 24);
    for (let night = 0; night < 3; night += 1) {
      await look();
      await everkept.jump(1);
    }
    expect(await names()).toHaveLength(3);
    const [, ...later] = told.map(({ troubledSinceMs }) => troubledSinceMs);
    expect(later).toEqual(Array(3).fill(expect.any(Number)));
    expect(new Set(later).size).toBe(1);

    const repaired = nightly(await inFolder());
    await repaired.look();
    expect(repaired.told).toEqual([{ troubledSinceMs: null, reason: null }]);
  });

  test('sealed to a public key: with that key, and not at all without it', async () => {
    const identity = await generateIdentity();
    const recipient = await identityToRecipient(identity);
    await nightly(await inFolder(), recipient).look();
    expect((await practised())?.practised_at).toBeNull();
    const identityFile = pathOf('key.txt');
    await writeFile(identityFile, identity);
    await everkept.jump(1);
    await nightly(await inFolder(), recipient, { identityFile }).look();
    expect(await practised()).toMatchObject({ letters_opened: 1 });
  });

  test('by hand too, with the file and the keys', async () => {
    await nightly(await inFolder()).look();
    const [name] = await names();
    expect(await practiseBackup({ path: pathOf(name) }, everkept.masterKeys)).toEqual({
      letters: 1,
      opened: 1,
      files: 0,
    });
  });
});

test('the panel says when the last was made, and figures say how long ago', async () => {
  await nightly(await inFolder()).look();
  const { rows } = await everkept.database.db.execute(sql`select name, size_bytes::int as size from backup_state`);
  expect(rows[0]).toEqual({ name: (await names())[0], size: expect.any(Number) });
});
