import { createHash, createHmac, randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { SealBrokenError } from './envelope.ts';
import type { MasterKeys } from './master-key.ts';
import { createServiceKeys, tokenKeyName, WrongMasterKeyError } from './service-keys.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.close());

beforeEach(async () => {
  await database.db.execute(sql`delete from service_keys`);
});

const place = { table: 'notifications', column: 'payload', rowId: 'one' };

function newMasterKeys(version = 1): MasterKeys {
  const key = randomBytes(32);
  return { current: { version, key }, find: (wanted) => (wanted === version ? key : undefined) };
}

test('twenty starts at once share one set of keys', async () => {
  const masterKeys = newMasterKeys();
  const all = await Promise.all(Array.from({ length: 20 }, () => createServiceKeys(database.db, masterKeys)));

  expect(new Set(all.map((keys) => keys.derive('delivery-link', 'a'))).size).toBe(1);
  const sealed = all[0]?.seal(place, Buffer.from('hello')) ?? Buffer.alloc(0);
  for (const keys of all) expect(keys.unseal(place, sealed).toString()).toBe('hello');
  const { rows } = await database.db.execute(sql`select purpose from service_keys order by purpose`);
  expect(rows).toEqual([{ purpose: 'derivation' }, { purpose: 'sealing' }]);
});

test('the keys are the same after a restart', async () => {
  const masterKeys = newMasterKeys();
  const before = await createServiceKeys(database.db, masterKeys);
  const after = await createServiceKeys(database.db, masterKeys);
  expect(after.derive('delivery-link', 'a')).toBe(before.derive('delivery-link', 'a'));
});

test('derived values are 43 characters, and differ by purpose, id and installation', async () => {
  const keys = await createServiceKeys(database.db, newMasterKeys());
  await database.db.execute(sql`delete from service_keys`);
  const elsewhere = await createServiceKeys(database.db, newMasterKeys());

  const values = [
    keys.derive('delivery-link', 'a'),
    keys.derive('delivery-link', 'b'),
    keys.derive('delivery-message-id', 'a'),
    elsewhere.derive('delivery-link', 'a'),
  ];
  expect(new Set(values).size).toBe(4);
  expect(values.filter((value) => !/^[\w-]{43}$/.test(value))).toEqual([]);
});

test('the stored form of a token is an HMAC that only this installation makes, and no value derived for another purpose', async () => {
  const keys = await createServiceKeys(database.db, newMasterKeys());
  await database.db.execute(sql`delete from service_keys`);
  const elsewhere = await createServiceKeys(database.db, newMasterKeys());

  const key = keys.derive(...tokenKeyName);
  expect(keys.hashToken('abc')).toBe(createHmac('sha256', key).update('abc').digest('base64url'));
  expect(keys.hashToken('abc')).not.toBe(createHash('sha256').update('abc').digest('base64url'));
  expect(elsewhere.hashToken('abc')).not.toBe(keys.hashToken('abc'));
  expect(keys.derive('wrong-tries', 'abc')).not.toBe(keys.hashToken('abc'));
});

test('a start with another master key is refused, and changes nothing', async () => {
  await createServiceKeys(database.db, newMasterKeys());
  const before = await database.db.execute(sql`select * from service_keys`);

  await expect(createServiceKeys(database.db, newMasterKeys())).rejects.toThrow(WrongMasterKeyError);
  await expect(createServiceKeys(database.db, newMasterKeys(2))).rejects.toThrow(WrongMasterKeyError);
  expect((await database.db.execute(sql`select * from service_keys`)).rows).toEqual(before.rows);
});

test('stored keys that were exchanged for each other are refused', async () => {
  const masterKeys = newMasterKeys();
  await createServiceKeys(database.db, masterKeys);
  await database.db.execute(sql`
    update service_keys set wrapped_key = (select wrapped_key from service_keys other where other.purpose <> service_keys.purpose)`);
  await expect(createServiceKeys(database.db, masterKeys)).rejects.toThrow(WrongMasterKeyError);
});

test('a value that the installation sealed opens in its own place only, and not when changed', async () => {
  const keys = await createServiceKeys(database.db, newMasterKeys());
  const sealed = keys.seal(place, Buffer.from('a link'));

  expect(() => keys.unseal({ ...place, rowId: 'two' }, sealed)).toThrow(SealBrokenError);
  for (let index = 0; index < sealed.length; index += 1) {
    const touched = Buffer.from(sealed);
    touched[index] = (touched[index] ?? 0) ^ 0x80;
    expect(() => keys.unseal(place, touched)).toThrow(SealBrokenError);
  }
});

test('a broken seal of our data is reported, and one from a visitor is not', async () => {
  const keys = await createServiceKeys(database.db, newMasterKeys());
  const told: string[] = [];
  keys.onBroken(({ rowId }) => void told.push(rowId));
  const sealed = keys.seal(place, Buffer.from('hello'));
  expect(keys.unsealCarried(place, sealed).toString()).toBe('hello');
  expect(() => keys.unsealCarried({ ...place, rowId: 'two' }, sealed)).toThrow(SealBrokenError);
  expect(told).toEqual([]);
  expect(() => keys.unseal({ ...place, rowId: 'two' }, sealed)).toThrow(SealBrokenError);
  expect(told).toEqual(['two']);
});
