import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createVoucher, disableVoucherCode } from '#server/features/vouchers/vouchers.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { voucherCodes } from '#server/schema/vouchers.tables.ts';
import type { Owner } from '#tests/support/everkept.ts';
import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { billingOf, subscribe, type Wish } from './billing.test-world.ts';
import { tidyBilling } from './billing.ts';
import { bought, providerWorld } from './provider.test-world.ts';

/**
 * The owner accepts a new price on PayPal's page, at any time. PayPal charges it with the next payment, up to a year
 * later.
 */
const here = providerWorld(createPayPalTill);
const annual = { plan: 'essential', billingCycle: 'annual', finalPrice: 39.99 } as const;
const agreedChange = { plan: 'essential', term: 'annual', pricePence: 3_999 };

async function newVoucher(maxUses: number | null): Promise<string> {
  const code = `YEAR${crypto.randomUUID().slice(0, 8)}`.toUpperCase();
  const whole = { discountType: 'percentage', discountValue: 20, validFrom: null, validUntil: null } as const;
  await createVoucher(here.everkept().opened, { code, maxUses, ...whole });
  return code;
}

async function usesOf(code: string): Promise<number> {
  const { db } = here.everkept().database;
  const [row] = await db.select().from(voucherCodes).where(eq(voucherCodes.code, code));
  return row?.currentUses ?? -1;
}

async function acts(owner: Owner): Promise<string[]> {
  const { db } = here.everkept().database;
  const rows = await db.select().from(auditLogs).where(eq(auditLogs.userId, owner.userId));
  return rows
    .map(({ action }) => action)
    .filter((action) => action.startsWith('voucher.'))
    .sort();
}

/** Goes to PayPal's page for another price. */
async function toPayPal({ browser }: Owner, wish: Wish): Promise<string> {
  return (await subscribe(browser, wish)).json<{ paymentUrl: string }>().paymentUrl;
}

/** A second owner with a monthly plan. */
async function another(): Promise<Owner> {
  const owner = await here.another();
  const { paymentUrl } = (await subscribe(owner.browser, { plan: 'essential' })).json<{ paymentUrl: string }>();
  await here.till().pay(paymentUrl);
  await here.deliver();
  return owner;
}

test('a price with a voucher that is agreed to keeps the use of it until it is paid', async () => {
  const voucherCode = await newVoucher(1);
  const purchase = await bought(here, { plan: 'essential' });
  here.till().approve(await toPayPal(here.owner(), { ...annual, voucherCode }));
  await here.deliver();
  expect(await usesOf(voucherCode)).toBe(1);
  await here.pass(20);
  const other = await here.another();
  await tidyBilling(here.everkept().opened);
  const refused = await subscribe(other.browser, { ...annual, voucherCode });
  expect(refused.json()).toMatchObject({ message: 'This voucher code has already been used.' });
  here.till().renew(purchase);
  await here.deliver();
  expect(await here.billing()).toMatchObject({ term: 'annual', pricePence: 3_999, nextChange: null });
  expect(await usesOf(voucherCode)).toBe(1);
  expect(await acts(here.owner())).toEqual(['voucher.use']);
});

test('an owner who agrees days later gets the price that was shown if the voucher has a use left, even after it ended', async () => {
  const voucherCode = await newVoucher(1);
  await bought(here, { plan: 'essential' });
  const url = await toPayPal(here.owner(), { ...annual, voucherCode });
  await disableVoucherCode(here.everkept().opened, voucherCode);
  await here.pass(3);
  await tidyBilling(here.everkept().opened);
  here.till().approve(url);
  await here.deliver();
  expect(await here.billing()).toMatchObject({ nextChange: agreedChange, refusedChange: null });
  expect(await usesOf(voucherCode)).toBe(1);
});

test('an owner who agrees after the last use is charged nothing, is emailed why, and can choose a plan again', async () => {
  const voucherCode = await newVoucher(1);
  const purchase = await bought(here, { plan: 'essential' });
  const late = here.owner();
  const url = await toPayPal(late, { ...annual, voucherCode });
  await here.pass(2);
  const quick = await another();
  here.till().approve(await toPayPal(quick, { ...annual, voucherCode }));
  await here.deliver();
  here.till().approve(url);
  await here.deliver();
  expect(here.till().calls).toContain(`POST /v1/billing/subscriptions/${purchase}/suspend`);
  expect(await billingOf(late)).toMatchObject({
    plan: 'essential',
    status: 'active',
    term: 'monthly',
    pricePence: 499,
    nextPaymentAt: null,
    nextChange: null,
    refusedChange: agreedChange,
    cancelAtPeriodEnd: true,
    can: { resume: false, change: false },
  });
  const resumed = await here.send('resume');
  expect([resumed.statusCode, resumed.json<{ message: string }>().message]).toEqual([
    409,
    'The voucher of the price that you agreed to has no use left, so this plan cannot go on. Choose a plan again on the subscription page.',
  ]);
  expect(await usesOf(voucherCode)).toBe(1);
  expect(await acts(late)).toEqual(['voucher.refuse']);
  await here.everkept().work();
  const told = here.everkept().mailer.sent.filter(({ to }) => to.address === late.email);
  expect(told.map(({ subject }) => subject)).toContain('Your change to Essential, by the year was not made');

  await here.till().pay(await toPayPal(late, { ...annual, finalPrice: 49.99 }));
  await here.deliver();
  expect(await billingOf(late)).toMatchObject({ term: 'annual', pricePence: 4_999, refusedChange: null });
});

test('an owner who then agrees to another price returns the use of the voucher', async () => {
  const voucherCode = await newVoucher(1);
  await bought(here, { plan: 'essential' });
  here.till().approve(await toPayPal(here.owner(), { ...annual, voucherCode }));
  await here.deliver();
  here.till().approve(await toPayPal(here.owner(), { plan: 'premium' }));
  await here.deliver();
  expect(await here.billing()).toMatchObject({ nextChange: { plan: 'premium', pricePence: 999 } });
  expect(await usesOf(voucherCode)).toBe(0);
  expect(await acts(here.owner())).toEqual(['voucher.return', 'voucher.use']);
});

test('the last use goes to one of two late agreements at the same moment', async () => {
  const voucherCode = await newVoucher(1);
  await bought(here, { plan: 'essential' });
  const urls = [await toPayPal(here.owner(), { ...annual, voucherCode })];
  await here.pass(2);
  const second = await another();
  urls.push(await toPayPal(second, { ...annual, voucherCode }));
  await here.pass(2);
  for (const url of urls) here.till().approve(url);
  expect(await here.atOnce(here.till().take())).toEqual([200]);
  await Promise.all([here.work(), here.work()]);
  await here.deliver();
  const both = [await here.billing(), await billingOf(second)];
  expect(both.filter(({ nextChange }) => nextChange)).toHaveLength(1);
  expect(both.filter(({ refusedChange }) => refusedChange)).toHaveLength(1);
  expect(await usesOf(voucherCode)).toBe(1);
});

test('a cancelled plan is resumed before its price is changed, because PayPal would end it anyway', async () => {
  await bought(here, { plan: 'essential' });
  await here.send('cancel');
  await here.deliver();
  const answer = await subscribe(here.owner().browser, { plan: 'premium' });
  expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
    409,
    'Your plan is cancelled. Choose Keep my plan under Account & Billing first, then change it.',
  ]);
});
