import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyLedger } from '#server/features/deletion/erasure.ts';
import { placeMasterKeys } from '#server/platform/crypto/master-key.ts';
import { openDatabase } from '#server/platform/db/database.ts';
import { createMemoryStore, type MemoryStore } from '#server/platform/files/memory-store.ts';
import { ledgerNameOf } from '#server/platform/ledger/deletion-ledger.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createBlankDatabase, createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { createEverkept, dayMs, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { samples, sendForm } from '#tests/support/forms.ts';
import { makeBackup } from './backup.service.ts';
import { fileSink } from './backup-writer.ts';
import { repacked } from './repacked.test-world.ts';
import { type RestoreDependencies, restoreBackup } from './restore.service.ts';

/** Rows that differ in a restored installation, each for its own reason. */
const except = ['sessions', 'rate_limits', 'service_health'];
const isOurs = (row: string) => row.startsWith('public.');

let everkept: Everkept;
let owner: Owner;
let folder: string;
/** A backup of a quiet installation. */
let path: string;
let rowsThen: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everkept-backup-'));
  everkept = await createEverkept();
  owner = await newOwner();
  await everkept.befriend(owner, { name: 'Ada Shah', email: 'ada@friends.example', phone: '+447700900123' });
  for (let index = 0; index < 3; index += 1)
    await everkept.write(owner, { title: `Letter ${index}`, content: `«\n"${index}\\` });
  await storeDocument('first');
  // Beyond what one entry of rows holds.
  const words = 'Long words for Nell. '.repeat(20_000);
  for (let index = 0; index < 12; index += 1) {
    await everkept.database.db.execute(sql`
      insert into audit_logs (id, action, resource, created_at, chain, position, previous_hash, hash, details)
      values (gen_random_uuid(), 'a.b', 'a', now(), 'test', ${index + 1}, '\\x00', '\\x00',
              jsonb_build_object('n', 9007199254740993::bigint, 'words', ${words}::text))`);
  }
  path = join(folder, 'quiet.backup');
  await backUp(path);
  rowsThen = (await dumpRows(everkept.database, { except })).filter(isOurs);
});

afterAll(async () => {
  await everkept.close();
  await rm(folder, { recursive: true });
});

async function newOwner(): Promise<Owner> {
  const made = await everkept.signUp();
  await everkept.database.db.update(users).set({ plan: 'lifetime' }).where(eq(users.id, made.userId));
  return made;
}

async function storeDocument(name: string): Promise<string> {
  const form = { fields: { name, category: 'legal' }, file: { name: 'will.pdf', content: samples.pdf } };
  const answer = await sendForm({ app: everkept.app, cookie: owner.browser.cookie }, ['POST', '/api/documents'], form);
  expect(answer.statusCode).toBe(201);
  return answer.json<{ id: string }>().id;
}

function backUp(
  to: string,
  { masterKey = null, store = everkept.store }: { masterKey?: string | null; store?: MemoryStore } = {},
) {
  const { masterKeys } = everkept;
  const deps = { pool: everkept.database.pool, store, masterKeys, now: () => new Date() };
  return makeBackup(deps, { to: fileSink(to), masterKey });
}

type Installation = { database: TestDatabase; store: MemoryStore; kept: string[] };

async function newInstallation(make = createBlankDatabase): Promise<Installation> {
  const made = await make();
  onTestFinished(() => made.close());
  // A separate name, so that these queries do not count as a process of the installation.
  const connection = { ...made.connection, application_name: 'looking' };
  const looking = openDatabase({ connection, maxConnections: 1, onError: () => undefined });
  onTestFinished(() => looking.close());
  return { database: { ...made, ...looking }, store: createMemoryStore(), kept: [] };
}

/** Keeps keys as a data directory does, and removes them on request. */
function keepingIn({ kept }: Installation): RestoreDependencies['keepMasterKeys'] {
  return async (text) => {
    kept.push(text);
    return async () => void kept.splice(kept.indexOf(text), 1);
  };
}

function restore(from: string, target: Installation, given: Partial<RestoreDependencies> = {}) {
  return restoreBackup(
    {
      connection: target.database.connection,
      store: target.store,
      masterKeys: everkept.masterKeys,
      keepMasterKeys: keepingIn(target),
      deleted: new Set(),
      ...given,
    },
    { path: from },
  );
}

/** Nothing at all is there: no table, no file, no key. */
async function expectUntouched({ database, store, kept }: Installation): Promise<void> {
  expect(await dumpRows(database)).toEqual([]);
  expect([store.files.size, kept]).toEqual([0, []]);
}

test('every row and every file is back as it was, in a file that is closed to others', async () => {
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const target = await newInstallation();
  expect(await restore(path, target)).toMatchObject({ rows: rowsThen.length + 1, files: 1, missingFiles: [] });
  expect(await dumpRows(target.database, { except })).toEqual(rowsThen);
  expect(target.store.files).toEqual(everkept.store.files);
});

test('the restored database is as strict as before: keys, triggers and counters are back', async () => {
  const target = await newInstallation();
  await restore(path, target);
  const shape = sql`
    select conrelid::regclass::text as place, conname as name, pg_get_constraintdef(oid) as what from pg_constraint
    where connamespace = 'public'::regnamespace
    union all
    select tgrelid::regclass::text, tgname, tgenabled::text from pg_trigger where not tgisinternal
    order by 1, 2`;
  const [there, here] = [await target.database.db.execute(shape), await everkept.database.db.execute(shape)];
  expect(there.rows).toEqual(here.rows);
  await target.database.db.execute(sql`insert into schema_migrations (hash, created_at) values ('next', 0)`);
});

test('a backup under load opens as a whole: each letter and each file that was there when it began', async () => {
  const busy = join(folder, 'busy.backup');
  const slow = slowStore(everkept.store);
  onTestFinished(slow.goOn);
  const before = await everkept.database.db.execute<{ id: string }>(sql`select id from messages`);
  const going = await storeDocument('going');
  let isOver = false;
  let writes = 0;
  const load = (async () => {
    while (!isOver) {
      await everkept.write(owner, { title: `Under load ${writes}` });
      await storeDocument(`Under load ${writes}`);
      writes += 1;
    }
  })();
  const made = backUp(busy, { store: slow.store });
  await slow.begun;
  // Its row is in the snapshot, and its file is not copied yet.
  const deleted = await owner.browser.send('DELETE', `/api/documents/${going}`);
  expect(deleted.statusCode).toBe(204);
  slow.goOn();
  const manifest = await made;
  isOver = true;
  await load;
  expect(writes).toBeGreaterThan(0);
  expect(manifest.missingFiles).toEqual([]);

  const target = await newInstallation();
  await restore(busy, target);
  const { database, store } = target;
  const restored = await createEverkept({ database, store, masterKeys: everkept.masterKeys });
  const browser = createBrowser(restored.app);
  await restored.signIn({ ...owner, browser });
  const letters = await browser.send('GET', '/api/messages');
  const listed = letters.json<{ id: string; title: string; content: string }[]>();
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(before.rows.map(({ id }) => id)));
  expect(listed.filter(({ title }) => title.startsWith('Letter '))).toHaveLength(3);
  for (const { content } of listed) expect(content).toMatch(/^(«\n"\d\\|Put the kettle on first\.)$/);
  const documents = await browser.send('GET', '/api/documents');
  const kept = documents.json<{ id: string }[]>().map(({ id }) => id);
  expect(kept).toContain(going);
  for (const id of kept) {
    const file = await browser.send('GET', `/api/documents/${id}/download`);
    expect(file.rawPayload.equals(samples.pdf)).toBe(true);
  }
  await restored.app.close();
});

/** Store that delays its first file until the test continues it. */
function slowStore(store: MemoryStore) {
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const slow: MemoryStore = {
    ...store,
    async sizeOf(key) {
      begun.resolve();
      await going.promise;
      return store.sizeOf(key);
    },
  };
  return { store: slow, begun: begun.promise, goOn: () => going.resolve() };
}

test('the time since the backup counts as an outage: no window is shorter for it', async () => {
  const target = await newInstallation();
  await everkept.database.db.execute(sql`
    update service_health set healthy_ms = 123456, last_beat_at = now() - interval '40 days'`);
  const old = join(folder, 'old.backup');
  await backUp(old);
  await restore(old, target);
  const restored = await createEverkept({ ...target, masterKeys: everkept.masterKeys });
  const { rows } = await target.database.db.execute<{ healthy_ms: string }>(sql`select healthy_ms from service_health`);
  expect(Number(rows[0]?.healthy_ms)).toBeLessThan(123_456 + dayMs / 24);
  await restored.app.close();
});

test('a backup that holds the key opens in an installation without one, which keeps it', async () => {
  const text = `7:${randomBytes(32).toString('base64')}\n`;
  const withKey = join(folder, 'with-key.backup');
  await backUp(withKey, { masterKey: text });
  // The key of these tests is another one, so the rows do not open with it: that is said, and nothing is kept.
  const target = await newInstallation();
  await expect(restore(withKey, target, { masterKeys: null })).rejects.toThrow('Put the key that was in use into');
  await expectUntouched(target);

  const ours = `1:${everkept.masterKeys.current.key.toString('base64')}\n`;
  const right = join(folder, 'right-key.backup');
  await backUp(right, { masterKey: ours });
  await restore(right, target, { masterKeys: null });
  expect(target.kept).toEqual([ours]);
  expect((await readFile(path)).includes(everkept.masterKeys.current.key.toString('base64'))).toBe(false);
});

test('a restore that cannot be completed at its very end leaves no key either, and goes well later', async () => {
  const withKey = join(folder, 'cut-off.backup');
  await backUp(withKey, { masterKey: `1:${everkept.masterKeys.current.key.toString('base64')}\n` });
  const target = await newInstallation();
  const dataDir = join(folder, 'cut-off');
  const keepMasterKeys: RestoreDependencies['keepMasterKeys'] = async (text) => {
    const takeBack = await placeMasterKeys(dataDir, text);
    // The last step before all of it holds: here the database goes away.
    await target.database.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'everkept restore'`);
    return takeBack;
  };
  await expect(restore(withKey, target, { masterKeys: null, keepMasterKeys })).rejects.toThrow();
  expect(await readdir(dataDir)).toEqual([]);
  await expectUntouched(target);

  await restore(withKey, target, { masterKeys: null });
  expect(target.kept).toHaveLength(1);
});

test('an owner deleted since the backup is not restored: no key returns, and no row remains once it is opened', async () => {
  const target = await newInstallation();
  const leaver = ledgerNameOf(owner.userId);
  expect(await restore(path, target, { deleted: new Set([leaver]) })).toMatchObject({ forgotten: 1 });
  const { rows } = await target.database.db.execute(sql`select * from vault_keys where user_id = ${owner.userId}`);
  expect(rows).toEqual([]);

  const restored = await createEverkept({ ...target, masterKeys: everkept.masterKeys });
  await restored.ledger.append(owner.userId, new Date());
  expect(await applyLedger(restored.opened)).toBe(1);
  const dump = (await dumpRows(target.database)).join();
  expect(dump).not.toContain(owner.email);
  await restored.app.close();
});

test('an unused installation accepts a backup, a used one does not', async () => {
  const target = await newInstallation(createTestDatabase);
  await restore(path, target);
  expect(await dumpRows(target.database, { except })).toEqual(rowsThen);

  const used = await newInstallation(createTestDatabase);
  await used.database.db.execute(sql`insert into users (email) values ('here@people.example')`);
  await expect(restore(path, used)).rejects.toThrow('This database has been used already');

  // Everybody has left, and what must be kept of them for years is still there.
  const left = [
    sql`insert into payments (id, payer_id, provider, provider_payment_id, plan, term, amount_pence, currency, status,
      paid_at, created_at) values (gen_random_uuid(), gen_random_uuid(), 'stripe', 'pi_1', 'premium', 'monthly', 999,
      'GBP', 'paid', now(), now())`,
    sql`insert into audit_logs (id, action, resource, created_at, chain, position, previous_hash, hash)
      values (gen_random_uuid(), 'account.erased', 'account', now(), gen_random_uuid(), 1, '\\x00', '\\x00')`,
  ];
  for (const trace of left) {
    const once = await newInstallation(createTestDatabase);
    await once.database.db.execute(trace);
    await expect(restore(path, once)).rejects.toThrow('This database has been used already');
  }

  const foreign = await newInstallation();
  await foreign.database.db.execute(sql`create table invoices (id int)`);
  await expect(restore(path, foreign)).rejects.toThrow('tables of another program');
});

test('a place that is running, or has other files, is left alone', async () => {
  const running = await newInstallation(createTestDatabase);
  const service = openDatabase({
    connection: running.database.connection,
    maxConnections: 1,
    onError: () => undefined,
  });
  await service.db.execute(sql`select 1`);
  await expect(restore(path, running)).rejects.toThrow('Stop every process of Everkept first');
  await service.close();

  const target = await newInstallation();
  target.store.files.set(crypto.randomUUID(), Buffer.from('x'));
  await expect(restore(path, target)).rejects.toThrow('There are files here already');
});

test('a backup with anything cut, changed, left out or added changes nothing here', async () => {
  const whole = await readFile(path);
  const target = await newInstallation();
  const bad = join(folder, 'bad.backup');
  const refused = async (content: Buffer, words = 'damaged or was cut off') => {
    await writeFile(bad, content);
    await expect(restore(bad, target)).rejects.toThrow(words);
  };
  for (const part of [0, 0.3, 0.9]) await refused(whole.subarray(0, Math.floor(whole.length * part)));
  await refused(whole.subarray(0, whole.length - 1_024 - 512));
  await refused(Buffer.from('this is no backup at all, only some words'.repeat(50)));
  for (const at of [600, Math.floor(whole.length / 2), whole.lastIndexOf('"sha256"')]) {
    const flipped = Buffer.from(whole);
    // Between entries there are zeros that mean nothing.
    const place = flipped.findIndex((byte, index) => index >= at && byte !== 0);
    flipped[place] = (flipped[place] ?? 0) ^ 1;
    await refused(flipped);
  }
  await refused(await repacked(whole, ({ name }) => (name.startsWith('files/') ? null : undefined)));
  await refused(await repacked(whole, ({ name }) => (name.startsWith('rows/users/') ? null : undefined)));
  await refused(
    await repacked(whole, ({ name }) => (name === 'manifest.json' ? { name: '../../etc/passwd' } : undefined)),
  );
  await refused(await repacked(whole, ({ name }) => (name.startsWith('files/') ? { name: '/files/x' } : undefined)));
  await refused(
    await repacked(whole, ({ name }) => (name === 'manifest.json' ? { content: Buffer.from('{') } : undefined)),
  );
  await expectUntouched(target);
  await expect(restore(join(folder, 'nowhere'), target)).rejects.toThrow('There is no backup at');
});

test('a backup of another format or of another release is refused by name', async () => {
  const whole = await readFile(path);
  const target = await newInstallation();
  const other = join(folder, 'other.backup');
  const header = (change: object) =>
    repacked(whole, ({ name, content }) =>
      name === 'backup.json'
        ? { content: Buffer.from(JSON.stringify({ ...JSON.parse(content.toString()), ...change })) }
        : undefined,
    );
  await writeFile(other, await header({ version: 9 }));
  await expect(restore(other, target)).rejects.toThrow('This backup has the format 9');
  await expectUntouched(target);
});

test('a file store that breaks while files come leaves neither rows nor files', async () => {
  const target = await newInstallation();
  target.store.failWith(new Error('the disk is full'));
  await expect(restore(path, target)).rejects.toThrow('the disk is full');
  await expectUntouched(target);
  target.store.failWith(null);
  await restore(path, target);
  expect(target.store.files.size).toBe(1);
});

test('a backup that fails leaves no file, and does not touch one that is there', async () => {
  const to = join(folder, 'failing', 'x.backup');
  await expect(backUp(to)).rejects.toThrow('the folder is missing');
  const broken = { ...everkept.store, read: async () => Promise.reject(new Error('no such line')) };
  const before = await readdir(folder);
  await expect(backUp(join(folder, 'x.backup'), { store: broken })).rejects.toThrow('no such line');
  expect(await readdir(folder)).toEqual(before);
  await expect(backUp(path)).rejects.toThrow('already');
  // The failed backups have released their locks.
  await backUp(join(folder, 'again.backup'));
});

test('one backup is made at a time', async () => {
  const slow = slowStore(everkept.store);
  onTestFinished(slow.goOn);
  const first = backUp(join(folder, 'one.backup'), { store: slow.store });
  await slow.begun;
  await expect(backUp(join(folder, 'two.backup'))).rejects.toThrow('Another backup is being made');
  slow.goOn();
  await first;
});

test('a file that the store lost is named, and all other data is kept', async () => {
  const store = createMemoryStore();
  const manifest = await backUp(join(folder, 'lost.backup'), { store });
  expect(manifest.files.count).toBe(0);
  expect(manifest.missingFiles.length).toBeGreaterThan(0);
  const target = await newInstallation();
  expect(await restore(join(folder, 'lost.backup'), target)).toMatchObject({ missingFiles: manifest.missingFiles });
});
