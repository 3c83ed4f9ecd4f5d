import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payments, subscriptions } from '#server/schema/billing.tables.ts';
import type { Revenue } from '#shared/contract/admin.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let administrator: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
  administrator = await everkept.signUp({ email: adminEmail });
});
afterAll(() => everkept.close());

const read = async () => {
  const answer = await administrator.browser.send('GET', '/api/admin/revenue');
  expect(answer.statusCode).toBe(200);
  return answer.json<Revenue>();
};

type Bought = Pick<typeof subscriptions.$inferInsert, 'plan' | 'term' | 'pricePence' | 'status'> & { userId: string };

async function buy({ userId, ...bought }: Bought, paid: { at: Date; refundedPence?: number }[]): Promise<void> {
  const id = randomUUID();
  const now = new Date();
  const row = { ...bought, id, userId, email: `${id}@people.example`, createdAt: now, updatedAt: now };
  await everkept.database.db.insert(subscriptions).values({ ...row, provider: 'sandbox' });
  for (const { at, refundedPence = 0 } of paid) {
    await everkept.database.db.insert(payments).values({
      id: randomUUID(),
      userId,
      payerId: userId,
      subscriptionId: id,
      provider: 'sandbox',
      providerPaymentId: randomUUID(),
      plan: bought.plan,
      term: bought.term,
      amountPence: bought.pricePence,
      refundedPence,
      currency: 'GBP',
      status: 'paid',
      paidAt: at,
      createdAt: at,
    });
  }
}

/** The middle of the month this many months ago. */
function monthsAgo(months: number): Date {
  const at = new Date();
  at.setUTCDate(15);
  at.setUTCMonth(at.getUTCMonth() - months);
  return at;
}
const monthOf = (at: Date) => at.toISOString().slice(0, 7);

describe('the revenue', () => {
  test('is zero before the first payment, in each of twelve months', async () => {
    const revenue = await read();
    expect(revenue).toMatchObject({ totalMonthlyRevenue: 0, accountUpgrades: 0, averageLifetimeValue: 0 });
    expect(revenue.months.map(({ month }) => month)).toEqual(
      Array.from({ length: 12 }, (_, index) => monthOf(monthsAgo(11 - index))),
    );
    expect(revenue.months.every(({ received }) => received === 0)).toBe(true);
  });

  test('follows from payments and active subscriptions; a given plan adds nothing', async () => {
    const people: string[] = [];
    while (people.length < 5) people.push((await everkept.signUp()).userId);
    const [one, two, three, four, five] = people as [string, string, string, string, string];
    await buy({ userId: one, plan: 'essential', term: 'monthly', pricePence: 499, status: 'active' }, [
      { at: monthsAgo(0) },
      { at: monthsAgo(1) },
    ]);
    await buy({ userId: two, plan: 'premium', term: 'annual', pricePence: 9_999, status: 'active' }, [
      { at: monthsAgo(3) },
    ]);
    await buy({ userId: three, plan: 'essential', term: 'monthly', pricePence: 499, status: 'lapsed' }, [
      { at: monthsAgo(3), refundedPence: 499 },
    ]);
    await buy({ userId: four, plan: 'lifetime', term: 'once', pricePence: 29_900, status: 'active' }, [
      { at: monthsAgo(14) },
    ]);
    const body = { plan: 'premium', role: 'user', isEmailVerified: true };
    await administrator.browser.send('PUT', `/api/admin/users/${five}`, { body });

    const revenue = await read();
    expect(revenue).toMatchObject({
      totalUsers: 6,
      totalMonthlyRevenue: 13.32,
      accountUpgrades: 4,
      averageLifetimeValue: 102.24,
    });
    const brought = revenue.months.filter(({ received }) => received > 0);
    expect(brought).toEqual([
      { month: monthOf(monthsAgo(3)), received: 99.99 },
      { month: monthOf(monthsAgo(1)), received: 4.99 },
      { month: monthOf(monthsAgo(0)), received: 4.99 },
    ]);
  });
});
