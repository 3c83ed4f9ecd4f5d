import { sql } from 'drizzle-orm';
import { integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { bytes, instant } from './columns.ts';
import { statement } from './prepared.ts';
import { recordSet } from './record-set.ts';

const things = pgTable('things', {
  id: uuid('id').primaryKey(),
  someWords: text('some_words'),
  sealed: bytes('sealed'),
  seenAt: instant('seen_at'),
  details: jsonb('details').$type<unknown>(),
  count: integer('count').notNull().default(7),
});

const set = recordSet(things, ['id', 'someWords', 'sealed', 'seenAt', 'details']);
const written = statement(sql`insert into things (${set.names}) select ${set.names} from ${set.source}
      on conflict (id) do update set ${set.overwritten}`);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(`create table things (
    id uuid primary key, some_words text, sealed bytea, seen_at timestamptz(3), details jsonb, count int not null default 7
  )`);
});

afterAll(() => database.close());

const first = '00000000-0000-4000-8000-000000000001';
const second = '00000000-0000-4000-8000-000000000002';

test('rows of every kind arrive as they were, and unnamed columns get their default', async () => {
  const rows = [
    {
      id: first,
      someWords: 'It’s “so”, \\ {a,b} \u{1f56f}\nand on',
      sealed: Buffer.from([0, 255, 92, 120, 10]),
      seenAt: new Date('2026-03-29T00:59:59.999Z'),
      details: { b: [1, null, { c: 'x' }], a: 'y' },
    },
    { id: second, someWords: null, sealed: null, seenAt: null, details: null },
  ];
  await written(database.db, { rows: set.encode(rows) });
  const read = await database.db.select().from(things).orderBy(things.id);
  expect(read).toEqual(rows.map((row) => ({ ...row, count: 7 })));
});

test('a row that is there already is overwritten, and no row at all writes nothing', async () => {
  const row = { id: first, someWords: 'new', sealed: Buffer.alloc(0), seenAt: null, details: [] };
  await written(database.db, { rows: set.encode([row]) });
  await written(database.db, { rows: set.encode([]) });
  const [read] = await database.db.select().from(things).orderBy(things.id);
  expect(read).toEqual({ ...row, count: 7 });
});
