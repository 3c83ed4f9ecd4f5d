import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

/** One client with very many calls at once must not hold up the others. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** More than a pool has. */
const calls = 40;
const patienceMs = 20_000;

test('changes of one account that wait for its own row hold up no other account', async () => {
  const busy = await everkept.signUp();
  const other = await everkept.signUp();
  const holder = await everkept.database.pool.connect();
  await holder.query('begin');
  await holder.query('select from users where id = $1 for update', [busy.userId]);
  const waiting = Array.from({ length: calls }, () => busy.browser.send('POST', '/api/checkin'));
  // Until those calls have taken all connections that they get.
  await sleep(1_000);

  const read = other.browser.send('GET', '/api/user');
  const answer = await Promise.race([read, sleep(patienceMs, 'no answer')]);
  const change = other.browser.send('POST', '/api/checkin');
  const changed = await Promise.race([change, sleep(patienceMs, 'no answer')]);
  await holder.query('rollback');
  holder.release();

  expect(answer).toMatchObject({ statusCode: 200 });
  expect(changed).toMatchObject({ statusCode: 200 });
  const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
