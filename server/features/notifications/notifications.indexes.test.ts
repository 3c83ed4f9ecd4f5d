import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('a mail that is written, claimed and let go is in five indexes each time, and in none of its end', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
     where indrelid = 'notifications'::regclass and indpred is null order by name`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'notifications_dedupe_key_unique',
    'notifications_pkey',
    'notifications_return_key_index',
    'notifications_subject_id_index',
    'notifications_user_id_created_at_index',
  ]);
});

test.each([
  [
    'old words are emptied',
    `select id from notifications where payload is not null and ended_at < $1 and channel in ($2) order by ended_at limit $3`,
    [new Date(), 'email', 10],
    'notifications_kept_payload_index',
  ],
  [
    'old mails are deleted',
    `select id from notifications where ended_at < $1 order by ended_at limit $2`,
    [new Date(), 10],
    'notifications_ended_at_index',
  ],
  [
    'an answer finds its mail',
    `select message_id from notifications where message_id in ($1, $2) and status = $3 order by accepted_at desc limit $4`,
    ['<a@example.org>', '<b@example.org>', 'accepted', 1],
    'notifications_accepted_message_id_index',
  ],
])('by their index %s', async (_what, text, values, index) => {
  const client = await database.pool.connect();
  try {
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index);
  } finally {
    client.release(true);
  }
});
