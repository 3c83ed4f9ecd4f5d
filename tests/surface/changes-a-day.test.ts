import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesLimitPerDay } from '#server/http/rate-limits.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

/** Rows of one account stay in the database; most of them, such as its log, for two years. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const addresses = 200;
const checkInFrom = ({ browser }: Owner, address: number) =>
  browser.send('POST', '/api/checkin', { headers: { 'x-forwarded-for': `198.18.4.${address}` } });

/** As if the account had made these today already. */
async function haveChanged({ userId }: Owner, count: number) {
  const key = createHash('sha256').update(`changes of ${userId}`).digest('base64url');
  await everkept.database.pool.query(
    "insert into rate_limits (key, count, window_ends_at) values ($1, $2, now() + interval '1 day')",
    [key, count],
  );
}

test('one account that changes things without end is refused, from however many addresses; reading and signing in go on', async () => {
  const busy = await everkept.signUp();
  const other = await everkept.signUp();
  await haveChanged(busy, changesLimitPerDay);
  const statuses: number[] = [];
  for (let address = 0; address < addresses; address += 1) statuses.push((await checkInFrom(busy, address)).statusCode);
  const refused = statuses.indexOf(429);
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(30);
  expect(new Set(statuses.slice(refused))).toEqual(new Set([429]));

  expect((await busy.browser.send('GET', '/api/messages')).statusCode).toBe(200);
  const before = (await busy.browser.send('GET', '/api/user')).json<{ lastCheckinAt: string }>().lastCheckinAt;
  await everkept.jump(1);
  await everkept.signIn(busy);
  const after = (await busy.browser.send('GET', '/api/user')).json<{ lastCheckinAt: string }>().lastCheckinAt;
  expect(after > before).toBe(true);
  expect((await checkInFrom(other, 1)).statusCode).toBe(200);
});
