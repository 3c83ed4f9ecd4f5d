import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

const [priya, reader] = ['priya@friends.example', 'nell@family.example'];
/** Tables that a release and its letters are written to. */
const tables = [
  ...['release_silences', 'release_requests', 'release_notices', 'release_asks', 'release_answers'],
  ...['messages', 'message_deliveries', 'notifications'],
];

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Keeps the rows of the tables. The returned function puts them back, as a restore does. */
async function backup(): Promise<() => Promise<void>> {
  const { pool } = everkept.database;
  const kept = new Map<string, string>();
  for (const table of tables) {
    const { rows } = await pool.query(`select coalesce(json_agg(t), '[]')::text as rows from ${table} t`);
    kept.set(table, rows[0].rows);
  }
  return async () => {
    const client = await pool.connect();
    try {
      await client.query('begin; set local session_replication_role = replica');
      for (const table of tables) await client.query(`delete from ${table}`);
      for (const [table, rows] of kept)
        await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [rows]);
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}

async function confirm(path: string): Promise<void> {
  const body = { confirmed: true, reason: 'I was at the funeral.' };
  expect((await createBrowser(everkept.app).send('POST', `${path}/confirm-release`, { body })).statusCode).toBe(200);
  await everkept.work();
}

function sentLetter() {
  const mail = everkept.mailer.sent.findLast(({ to }) => to.address === reader);
  const { messageId, returnPath, text = '' } = mail ?? {};
  return { messageId, returnPath, link: text.match(/\/message\/[\w-]+/)?.[0] };
}

const rowIds = async (): Promise<string[]> =>
  (await everkept.database.pool.query("select id from notifications where kind = 'delivery.letter'")).rows.map(
    ({ id }) => id,
  );

test('a letter that is written again after a restore has the same Message-ID, return path and link', async () => {
  const sam = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
  await everkept.write(sam, { recipientEmail: reader, visibleToTrustedContact: true });
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
  await everkept.signIn(sam);
  const choice = { releaseMethod: 'trusted_contact', inactivityDays: 90 };
  expect((await sam.browser.send('PUT', '/api/user/release-settings', { body: choice })).statusCode).toBe(200);
  await everkept.live(91);

  const portal = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
  const restore = await backup();
  await confirm(portal);
  const [first, firstIds] = [sentLetter(), await rowIds()];
  expect(first.link).toMatch(/^\/message\//);
  expect(first.returnPath).toMatch(/\+[0-9a-z]{39}@/);

  await restore();
  everkept.mailer.clear();
  expect(await rowIds()).toEqual([]);
  await confirm(portal);
  const [second, secondIds] = [sentLetter(), await rowIds()];
  expect(secondIds).toHaveLength(1);
  expect(secondIds).not.toEqual(firstIds);
  expect(second).toEqual(first);
});
