import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVoucher } from '#server/features/vouchers/vouchers.ts';
import { paymentsOf } from '#server/platform/payments/payments.ts';
import { checkouts } from '#server/schema/billing.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { planOf, subscribe } from './billing.test-world.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept({ payments: () => paymentsOf([]) });
});
afterAll(() => everkept.close());

test('a service that sells nothing says so before an order, and an order changes nothing', async () => {
  const owner = await everkept.signUp();
  for (const browser of [owner.browser, createBrowser(everkept.app)]) {
    expect((await browser.send('GET', '/api/payments/providers')).json()).toEqual([]);
    const answer = await subscribe(browser, { plan: 'essential', email: owner.email });
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      503,
      'Plans cannot be bought here at present. Nothing was ordered, and your Free plan stays as it is.',
    ]);
  }
  expect(await everkept.database.db.select().from(checkouts)).toEqual([]);
});

test('a service that sells nothing gives a plan for a voucher that covers the whole price', async () => {
  const owner = await everkept.signUp();
  const voucher = { code: 'GIFT', discountType: 'free' as const, discountValue: 100 };
  await createVoucher(everkept.opened, { ...voucher, maxUses: null, validFrom: null, validUntil: null });
  const answer = await subscribe(owner.browser, { plan: 'premium', voucherCode: 'GIFT', finalPrice: 0 });
  expect(answer.statusCode).toBe(200);
  expect(await planOf(owner)).toBe('premium');
});
