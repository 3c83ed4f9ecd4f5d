import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type UserSort, userSorts } from '#shared/contract/admin.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { findUsers, type UserPage } from './users.repository.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Enough that reading all of them would be the slower way. */
const crowd = 5_000;
const hour = '2026-03-02T10';

test('a second sign of life within an hour touches no index', async () => {
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`insert into users (email, last_checkin_at) values ('one@list.example', ${`${hour}:01:00Z`})`);
    const updatesWithoutIndexes = async (at: string) => {
      await tx.execute(sql`update users set last_checkin_at = ${at}, updated_at = ${at}`);
      const { rows } = await tx.execute(sql`select pg_stat_get_xact_tuples_hot_updated('users'::regclass)::int as n`);
      return rows[0]?.n;
    };
    expect(await updatesWithoutIndexes(`${hour}:59:59Z`)).toBe(1);
    expect(await updatesWithoutIndexes('2026-03-02T11:00:00Z')).toBe(1);
  });
});

async function createCrowd(): Promise<void> {
  await database.db.execute(sql`
    insert into users (email, first_name, last_name, created_at, last_login_at, last_checkin_at)
    select 'crowd-' || n || '@list.example', 'First' || n % 70, 'Last' || n % 900, now() - n * interval '17 minutes',
      case when n % 5 > 0 then now() - n * 7919 % ${crowd}::int * interval '1 minute' end,
      now() - n * 7919 % ${crowd}::int * interval '1 minute'
    from generate_series(1, ${crowd}::int) as n`);
  await database.db.execute(sql`vacuum analyze users`);
}

/** PostgreSQL's plan for the last query of `findUsers`. */
async function planOf(page: Partial<UserPage>): Promise<string> {
  const asked: { query: string; params: unknown[] }[] = [];
  const db = drizzle({
    client: database.pool,
    logger: { logQuery: (query, params) => asked.push({ query, params }) },
  });
  await findUsers(db, { words: [], sort: 'createdAt', direction: 'desc', after: undefined, limit: 50, ...page });
  const last = asked.at(-1);
  const { rows } = await database.pool.query(`explain (costs off) ${last?.query}`, last?.params);
  return rows.map((line) => line['QUERY PLAN']).join('\n');
}

test('a page and a search use an index with many users, in every order', async () => {
  await createCrowd();
  const indexes: Record<UserSort, string> = {
    createdAt: 'users_created_at_index',
    email: 'users_email_unique',
    name: 'users_name_index',
    lastLoginAt: 'users_last_login_at_index',
    lastCheckinAt: 'users_last_checkin_hour_index',
  };
  const { rows } = await database.db.execute<{ id: string }>(
    sql`select id from users where email = 'crowd-2500@list.example'`,
  );
  const after = rows[0]?.id;
  for (const sort of userSorts) {
    for (const direction of ['asc', 'desc'] as const) {
      const first = await planOf({ sort, direction });
      expect(first).toContain(`using ${indexes[sort]} on users`);
      const later = await planOf({ sort, direction, after });
      expect(later).toContain(`using ${indexes[sort]} on users`);
      expect(later).toContain('Index Cond:');
      const search = await planOf({ sort, direction, words: ['nobody-of-this-name'] });
      expect(search).toContain('on users_search_text_index');
    }
  }
});

test.each([
  ['100%', 'percent@words.example'],
  ['under_score', 'under_score@words.example'],
  [String.raw`back\slash`, 'back@words.example'],
  ['ÖZGÜR', 'turkish@words.example'],
])('finds %s as it is written', async (word, email) => {
  await database.db.execute(sql`
    insert into users (email, first_name, last_name) values
      ('percent@words.example', '100% sure', 'Reed'), ('hundred@words.example', '1000', 'Reed'),
      ('under_score@words.example', 'Una', 'Reed'), ('underxscore@words.example', 'Una', 'Reed'),
      ('back@words.example', 'Back\\slash', 'Reed'), ('turkish@words.example', 'Özgür', 'Reed')
    on conflict do nothing`);
  const found = await findUsers(database.db, {
    words: [word, 'words.example'],
    sort: 'email',
    direction: 'asc',
    after: undefined,
    limit: 50,
  });
  expect(found?.map((user) => user.email)).toEqual([email]);
});
