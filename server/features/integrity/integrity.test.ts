import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { createDiskStore } from '#server/platform/files/disk-store.ts';
import { type FileStore, FileStoreUnreachableError } from '#server/platform/files/file-store.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { createWorld, type World } from '#tests/support/everkept-world.ts';
import { brokenPlaces, reportsStored } from './integrity.ts';
import { checkAll, checkSome, lastCheckFinishedAt } from './integrity-check.ts';
import { fileTables, sealedTables } from './sealed-tables.ts';

let everkept: Everkept;
let world: World;

beforeAll(async () => {
  everkept = await createEverkept();
  world = await createWorld(everkept);
});

afterAll(() => everkept.close());

const run = (statement: string) => everkept.database.db.execute(sql.raw(statement));
const places = async () =>
  (await brokenPlaces(everkept.opened)).map(({ tableName, columnName }) => `${tableName}.${columnName}`);

async function forget(): Promise<void> {
  await run('delete from integrity_events');
  await run('delete from integrity_rounds');
}

test('every column that holds something sealed is known to the check', async () => {
  const { rows: columns } = await everkept.database.db.execute<{ table: string; column: string }>(sql`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'bytea')`);
  const known = new Set(sealedTables.flatMap(({ table, columns: names }) => names.map((name) => `${table}.${name}`)));
  // Wrapped keys open with the master key, and are opened with every vault and at every start.
  for (const key of ['vault_keys.wrapped_key', 'service_keys.wrapped_key']) known.add(key);
  const unknown: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await everkept.database.db.execute<{ value: string | Buffer }>(
      sql`select ${sql.identifier(column)} as value from ${sql.identifier(table)} where ${sql.identifier(column)} is not null`,
    );
    const sealed = rows.filter(({ value }) => looksSealed(value)).length;
    if (sealed > 0 && sealed === rows.length && !known.has(`${table}.${column}`)) unknown.push(`${table}.${column}`);
  }
  expect(unknown).toEqual([]);
});

/** The version, a nonce and a tag at least. Hashes are shorter than a sealed value of one letter only by chance. */
function looksSealed(value: string | Buffer): boolean {
  if (typeof value === 'string' && !/^A[Q-Za-f][\w-]{37,}$/.test(value)) return false;
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64url') : value;
  return bytes.length > 29 && bytes.length !== 32 && bytes[0] === 1;
}

test('the check of an undamaged installation opens everything and finds nothing', async () => {
  const figures = await checkAll(everkept.opened);
  expect(figures.broken).toBe(0);
  const { rows } = await run(
    `select count(*)::int as files from (${fileTables
      .map(({ table, pathColumn: path }) => `select ${path} from ${table} where ${path} is not null`)
      .join(' union all ')}) all_files`,
  );
  expect(figures.files).toBe(rows[0]?.files);
  expect(figures.values).toBeGreaterThan(30);
  expect(await places()).toEqual([]);
});

test('three hundred swapped values are left out calmly, and not one is shown in the wrong place', async () => {
  const owner = await everkept.signUp();
  await run(`update users set plan = 'lifetime' where id = '${owner.userId}'`);
  for (let index = 0; index < 25; index += 1)
    await everkept.write(owner, { title: `Title ${index}`, content: `Words ${index}` });
  const { rows } = await run(
    `select m.id, title, content, person from messages m join message_recipients r on r.message_id = m.id
      where user_id = '${owner.userId}'`,
  );
  const columns = ['title', 'content', 'person'] as const;
  const swaps = rows.flatMap((row, at) =>
    columns.flatMap((column, nth) => {
      const other = rows[(at + 1) % rows.length];
      const stranger = columns[(nth + 1) % columns.length] ?? 'title';
      // From another row, from another column, and cut; and one with a character changed.
      const values = [
        other?.[column],
        row[stranger],
        String(row[column]).slice(0, -4),
        `${row[column]}`.replace(/.$/, '_'),
      ];
      return values.map((value) => ({ id: row.id, column, was: row[column], value }));
    }),
  );
  expect(swaps).toHaveLength(300);
  const put = (id: unknown, column: (typeof columns)[number], value: unknown) =>
    everkept.database.db.execute(
      column === 'person'
        ? sql`update message_recipients set person = ${value} where message_id = ${id}`
        : sql`update messages set ${sql.identifier(column)} = ${value} where id = ${id}`,
    );
  const whole: { id: unknown }[] = (await owner.browser.send('GET', '/api/messages')).json();
  for (const { id, column, was, value } of swaps) {
    await put(id, column, value);
    const answer = await owner.browser.send('GET', '/api/messages');
    const isUnchanged = value === was;
    expect(answer.statusCode).toBe(200);
    const damaged = answer.json().filter(({ isDamaged }: { isDamaged?: true }) => isDamaged);
    const empty = { id, title: damagedTitle, content: '', recipientEmail: '' };
    expect(damaged).toEqual(isUnchanged ? [] : [expect.objectContaining(empty)]);
    const rest = answer.json().filter((message: { id: string }) => message.id !== id);
    expect(rest).toEqual(whole.filter((message) => message.id !== id));
    await put(id, column, was);
  }
  await reportsStored(everkept.opened);
  expect(new Set(await places())).toEqual(new Set(['messages.title', 'messages.content', 'message_recipients.person']));
  expect((await places()).length).toBe(75);
});

test('a broken value is in the audit log and the log once, and the operator is emailed once a day', async () => {
  await everkept.work();
  const { rows } = await run(`select count(*)::int as rows from audit_logs where action = 'integrity.broken'`);
  expect(rows[0]?.rows).toBe(75);
  expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: true });
  const mails = everkept.mailer.sent.filter(({ subject }) => subject.includes('no longer matches its seal'));
  expect(mails.map(({ to }) => to.address)).toEqual(['operator@everkept.example']);
  expect(
    everkept.log.filter((line) => line.includes('no longer matches its seal') && line.includes('place')),
  ).toHaveLength(75);
});

test('the weekly check resumes after a stop, finds broken values, and clears repaired ones', async () => {
  await forget();
  await run(`update documents set file_path = file_path, name = translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'BCDEFGHIJKLMNOPQRSTUVWXYZA')
    where id = '${world.ids.document}'`);
  expect(await lastCheckFinishedAt(everkept.opened)).toBeNull();
  // A slice without any time does nothing and loses nothing.
  expect(await checkSome(everkept.opened, { pace: { ...fullSpeed, sliceMs: 0 } })).toBe(true);
  expect(await checkSome(everkept.opened, { stop: AbortSignal.abort() })).toBe(true);
  while (await checkSome(everkept.opened));
  expect(await lastCheckFinishedAt(everkept.opened)).not.toBeNull();
  expect(await places()).toEqual(['documents.name']);
  // The first complete check ended, so the next one starts in a week.
  expect(await checkSome(everkept.opened)).toBe(false);
  const { rows: before } = await run('select values, files, broken from integrity_rounds');
  expect(before[0]).toMatchObject({ broken: '1' });

  await run(
    `update documents set name = translate(name, 'BCDEFGHIJKLMNOPQRSTUVWXYZA', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') where id = '${world.ids.document}'`,
  );
  await everkept.jump(8);
  while (await checkSome(everkept.opened));
  expect(await places()).toEqual([]);
});

test('a requested check clears repaired values, and nothing else', async () => {
  await forget();
  const owner = await everkept.signUp();
  const ids = [await everkept.write(owner), await everkept.write(owner)];
  const exchange = () =>
    run(`update messages m set content = other.content from messages other
         where m.id in ('${ids.join("','")}') and other.id in ('${ids.join("','")}') and m.id <> other.id`);
  await exchange();
  expect(await checkAll(everkept.opened)).toMatchObject({ broken: 2 });
  expect(await places()).toEqual(['messages.content', 'messages.content']);
  await checkAll(everkept.opened);
  expect(await places()).toHaveLength(2);
  await exchange();
  expect(await checkAll(everkept.opened)).toMatchObject({ broken: 0 });
  expect(await places()).toEqual([]);
});

test('a value found broken a moment before a check is still listed after it', async () => {
  await forget();
  await run(
    `update documents set name = translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'BCDEFGHIJKLMNOPQRSTUVWXYZA') where id = '${world.ids.document}'`,
  );
  expect((await world.owner.browser.send('GET', '/api/documents')).statusCode).toBe(200);
  await reportsStored(everkept.opened);
  expect(await places()).toEqual(['documents.name']);
  while (await checkSome(everkept.opened));
  expect(await lastCheckFinishedAt(everkept.opened)).not.toBeNull();
  expect(await places()).toEqual(['documents.name']);
  await run(
    `update documents set name = translate(name, 'BCDEFGHIJKLMNOPQRSTUVWXYZA', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') where id = '${world.ids.document}'`,
  );
});

test('a file that was cut, changed or lost is found; a file whose row was just deleted is not', async () => {
  await forget();
  const { rows } = await run(`select file_path from documents where id = '${world.ids.document}'`);
  const path = String(rows[0]?.file_path);
  const whole = everkept.store.files.get(path) ?? Buffer.alloc(0);
  const damaged = Buffer.from(whole);
  damaged[whole.length - 20] = (damaged[whole.length - 20] ?? 0) ^ 1;
  for (const content of [damaged, whole.subarray(0, whole.length - 1)]) {
    everkept.store.files.set(path, content);
    expect(await checkAll(everkept.opened)).toMatchObject({ broken: 1 });
    const answer = await world.owner.browser
      .send('GET', `/api/documents/${world.ids.document}/download`)
      .catch(() => null);
    expect(answer?.statusCode ?? 0).not.toBe(500);
  }
  everkept.store.files.delete(path);
  expect(await checkAll(everkept.opened)).toMatchObject({ broken: 1 });
  expect(await places()).toEqual(['file_objects.content']);
  everkept.store.files.set(path, whole);
  expect(await checkAll(everkept.opened)).toMatchObject({ broken: 0 });
});

const fullSpeed = { sliceMs: 60_000, bytesPerSecond: 1e9 };
/** The installation with another file store. */
const withStore = (store: FileStore) => ({ ...everkept.opened, store });

test('an unreadable file is named, and the check continues after it', async () => {
  await forget();
  const { rows } = await run(`select file_path from documents where id = '${world.ids.document}'`);
  const key = String(rows[0]?.file_path);
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-integrity-'));
  const store = createDiskStore({ dataDir });
  for (const [name, content] of everkept.store.files) await store.put(name, Readable.from([content]));
  const whole = await checkAll(withStore(store));
  expect(whole).toMatchObject({ broken: 0 });
  // A folder in its place can be opened and not be read, like a file on a bad sector.
  const path = join(dataDir, 'files', key.slice(0, 2), key);
  await rm(path);
  await mkdir(path);
  expect(await checkAll(withStore(store))).toEqual({ ...whole, broken: 1 });
  while (await checkSome(withStore(store), { pace: fullSpeed }));
  expect(await lastCheckFinishedAt(everkept.opened)).not.toBeNull();
  expect(await places()).toEqual(['file_objects.content']);
  await rm(dataDir, { recursive: true });
});

test('an unreachable store ends the slice, and finished parts are not checked again', async () => {
  await forget();
  const { rows } = await run(`select file_path, user_id from documents where id = '${world.ids.document}'`);
  const key = String(rows[0]?.file_path);
  let isThere = false;
  const read: FileStore['read'] = async (name, range) => {
    if (name === key && !isThere) throw new FileStoreUnreachableError(new Error('away'));
    return everkept.store.read(name, range);
  };
  const check = () => checkSome(withStore({ ...everkept.store, read }), { pace: fullSpeed });
  await expect(check()).rejects.toThrow(FileStoreUnreachableError);
  const { rows: saved } = await run('select after_user_id as "afterUserId" from integrity_rounds');
  const { rows: before } = await run(
    `select id from users where id < '${String(rows[0]?.user_id)}' order by id desc limit 1`,
  );
  expect(saved[0]?.afterUserId).toBe(before[0]?.id ?? null);
  // The round is claimed until its lease ends.
  isThere = true;
  expect(await check()).toBe(false);
  await everkept.jump(1);
  expect(await check()).toBe(false);
  expect(await lastCheckFinishedAt(everkept.opened)).not.toBeNull();
  expect(await places()).toEqual([]);
});

test('a vault without its key, or with another’s, is named', async () => {
  await forget();
  const id = world.stranger.userId;
  await run(`update vault_keys set wrapped_key = (select wrapped_key from vault_keys where user_id = '${world.owner.userId}')
    where user_id = '${id}'`);
  expect(await checkAll(everkept.opened)).toMatchObject({ broken: 1 });
  expect((await world.stranger.browser.send('GET', '/api/trusted-contacts')).statusCode).toBe(409);
  await run(`delete from vault_keys where user_id = '${id}'`);
  expect(await checkAll(everkept.opened)).toMatchObject({ broken: 1 });
  expect(await places()).toEqual(['vault_keys.wrapped_key']);
});
