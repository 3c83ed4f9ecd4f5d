import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkouts, payments, subscriptions } from '#server/schema/billing.tables.ts';
import type { Everkept, Owner } from '#tests/support/everkept.ts';
import { createEverkept } from '#tests/support/everkept.ts';
import { planOf } from './billing.test-world.ts';

let everkept: Everkept;
let owner: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
  owner = await everkept.signUp();
});
afterAll(() => everkept.close());

afterEach(async () => {
  const { db } = everkept.database;
  expect(await planOf(owner)).toBe('free');
  for (const table of [checkouts, payments, subscriptions]) expect(await db.select().from(table)).toEqual([]);
});

let asked = 0;

/** From another address each time, so that the budget of one does not answer first. Each is in the log. */
async function ask(fields: string) {
  asked += 1;
  const before = everkept.log.length;
  const answer = await owner.browser.send('POST', '/api/subscriptions/create', {
    body: `{"plan":"essential","billingCycle":"monthly","finalPrice":4.99,${fields}}`,
    headers: { 'x-forwarded-for': `203.0.113.${asked}` },
  });
  const entry = `"route":"/api/subscriptions/create","status":${answer.statusCode}`;
  await expect.poll(() => everkept.log.slice(before).some((line) => line.includes(entry))).toBe(true);
  return answer;
}

describe('a price that is not ours', () => {
  test.each([
    ['0', 409],
    ['-1', 409],
    ['0.01', 409],
    ['4.98', 409],
    ['4.990001', 409],
    ['NaN', 400],
    ['null', 400],
    ['1e309', 400],
    ['-1e309', 400],
    ['"4.99"', 400],
    ['[4.99]', 400],
  ])('%s is refused with %i', async (finalPrice, status) => {
    expect((await ask(`"finalPrice":${finalPrice}`)).statusCode).toBe(status);
  });
});

describe('a plan that is not sold', () => {
  test.each([
    'free',
    'Essential',
    'ESSENTIAL',
    'gold',
    '',
    ' essential',
    '__proto__',
    'constructor',
    'x'.repeat(10_000),
  ])('%s is refused with 400', async (plan) => {
    expect((await ask(`"plan":${JSON.stringify(plan)}`)).statusCode).toBe(400);
  });
});

test.each(['weekly', '', 'once'])('a cycle such as "%s" is refused with 400', async (billingCycle) => {
  expect((await ask(`"billingCycle":"${billingCycle}"`)).statusCode).toBe(400);
});

test('a provider that is not offered is refused', async () => {
  expect((await ask('"provider":"stripe"')).statusCode).toBe(400);
});

test("an owner without a plan can't cancel, resume, change, or pay with another card", async () => {
  const answers = [];
  for (const verb of ['cancel', 'resume', 'card']) {
    answers.push(await owner.browser.send('POST', `/api/subscriptions/${verb}`));
  }
  const body = { plan: 'premium', billingCycle: 'monthly', finalPrice: 9.99 };
  answers.push(await owner.browser.send('POST', '/api/subscriptions/change', { body }));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409, 409]);
});
