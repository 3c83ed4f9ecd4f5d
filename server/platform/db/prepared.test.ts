import { sql } from 'drizzle-orm';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { openDatabase } from './database.ts';
import { prepared, statement } from './prepared.ts';

const numbers = pgTable('numbers', { value: integer('value').notNull() });

const insertNumber = prepared((executor) =>
  executor
    .insert(numbers)
    .values({ value: sql.placeholder('value') })
    .prepare('number_insert'),
);
const listNumbers = prepared((executor) => executor.select().from(numbers).prepare('number_list'));

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('create table numbers (value int not null)');
});

afterAll(() => database.close());

test('a statement is kept for an executor, and another has one of its own', async () => {
  expect(listNumbers(database.db)).toBe(listNumbers(database.db));
  await database.db.transaction(async (tx) => {
    expect(listNumbers(tx)).toBe(listNumbers(tx));
    expect(listNumbers(tx)).not.toBe(listNumbers(database.db));
  });
});

test('a statement is built once for a connection, however many transactions use it', async () => {
  const one = openDatabase({ ...database, maxConnections: 1, onError: rethrow });
  let built = 0;
  const counted = prepared((executor) => {
    built += 1;
    return executor.select().from(numbers).prepare('number_list_counted');
  });
  try {
    for (let round = 0; round < 3; round += 1) await one.db.transaction((tx) => counted(tx).execute());
  } finally {
    await one.close();
  }
  expect(built).toBe(1);
});

test('inside a transaction it runs inside it, also when the pool knows it already', async () => {
  await insertNumber(database.db).execute({ value: 1 });
  const rolledBack = database.db.transaction(async (tx) => {
    await insertNumber(tx).execute({ value: 2 });
    expect(await listNumbers(tx).execute()).toHaveLength(2);
    tx.rollback();
  });

  await expect(rolledBack).rejects.toThrow('Rollback');
  expect(await listNumbers(database.db).execute()).toEqual([{ value: 1 }]);
});

test('PostgreSQL parses it once for a connection, however many transactions use it', async () => {
  const client = await database.pool.connect();
  client.release();
  for (let round = 0; round < 5; round += 1) {
    await database.db.transaction((tx) => listNumbers(tx).execute());
  }
  const { rows } = await database.pool.query(
    "select count(*)::int as n from pg_prepared_statements where name = 'number_list'",
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test('SQL of our own takes its values by name, and runs inside the transaction it is given', async () => {
  const insertOne = statement<{ value: number }>(
    sql`insert into numbers (value) values (${sql.placeholder('value')}) returning value`,
  );
  const rolledBack = database.db.transaction(async (tx) => {
    expect(await insertOne(tx, { value: 7 })).toEqual([{ value: 7 }]);
    tx.rollback();
  });

  await expect(rolledBack).rejects.toThrow('Rollback');
  expect(await listNumbers(database.db).execute()).not.toContainEqual({ value: 7 });
});

test('a value that was forgotten is an error and no null', async () => {
  const insertOne = statement(sql`insert into numbers (value) values (${sql.placeholder('value')})`);
  await expect(insertOne(database.db, {})).rejects.toThrow('No value for placeholder "value" was provided');
});

function rethrow(error: Error): never {
  throw error;
}
