import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { createStripeTill } from '#tests/support/tills/stripe-till.ts';
import type { Till } from '#tests/support/tills/till.ts';
import type { Installation } from './support/installation.ts';
import { sam, settle, signIn } from './support/people.ts';
import { startCopy } from './support/ready-made.ts';
import { test as base, expect, expectToast, expectWellMade } from './support/test.ts';

type Tills = { stripe: Till; paypal: Till };

/** An installation that takes money through both providers, and those behind their counters. */
const test = base.extend<{ tills: Tills; site: Installation }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a function needs from this pattern.
  tills: async ({}, use) => {
    const tills = { stripe: await createStripeTill(), paypal: await createPayPalTill() };
    await use(tills);
    for (const till of Object.values(tills)) await till.close();
  },
  site: async ({ tills: { stripe, paypal } }, use) => {
    const site = await startCopy({
      STRIPE_SECRET_KEY: 'sk_test_ours',
      STRIPE_WEBHOOK_SECRET: stripe.secret,
      STRIPE_API_BASE: stripe.url,
      PAYPAL_CLIENT_ID: 'ours',
      PAYPAL_CLIENT_SECRET: 'ours',
      PAYPAL_WEBHOOK_ID: paypal.secret,
      PAYPAL_API_BASE: paypal.url,
    });
    await use(site);
    await site.stop();
  },
});

/** The provider tells all that there is to tell, signed. */
async function tell(site: Installation, till: Till): Promise<void> {
  for (const told of till.take()) {
    const { body, headers } = till.sign(told);
    const answer = await fetch(`${site.url}/api/webhooks/${till.name}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  }
}

test('a plan is bought through PayPal with a voucher, another through Stripe takes its place, and nothing is paid twice', {
  tag: '@first',
}, async ({ page, site, tills: { stripe, paypal } }) => {
  test.slow();
  await site.everkept('vouchers', 'create', 'SPRING20', '20');
  await settle(page, site);
  await page.goto(`${site.url}/subscribe?plan=essential`);
  await page.getByLabel('PayPal').check();
  await page.getByLabel('Voucher code').fill(' spring20 ');
  await page.getByRole('button', { name: 'Subscribe to Essential' }).click();
  await expectToast(page, 'Voucher Applied');
  await expect(page.getByText('£3.99 a month')).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Subscribe to Essential' }).click();
  await page.waitForURL(/\/approve\//);
  await paypal.pay(page.url());
  await page.goto(`${site.url}/account?payment=returned`);
  await tell(site, paypal);
  const billing = page.getByRole('region', { name: 'Billing information' });
  await expect(billing.getByText('£3.99 a month')).toBeVisible();
  await expect(billing.getByText('PayPal', { exact: true })).toBeVisible();
  await expectWellMade(page);

  await page.getByRole('button', { name: 'Upgrade to Lifetime' }).click();
  await expect(page).toHaveURL(/\/subscribe\?plan=lifetime/);
  await page.getByLabel('Card, through Stripe').check();
  await page.getByRole('button', { name: 'Subscribe to Lifetime' }).click();
  await page.waitForURL(/\/checkout\/cs_/);
  await stripe.pay(page.url());
  await page.goto(`${site.url}/account?payment=returned`);
  await tell(site, stripe);
  await expect(billing.getByText('£299 once')).toBeVisible();
  await expect(billing.getByText('None. You paid once.')).toBeVisible();
  await site.mailTo(sam.email, /Your earlier Essential plan is cancelled/);
  expect(paypal.calls.filter((call) => /\/(suspend|cancel)$/.test(call))).not.toEqual([]);
});

base(
  'a payment that fails is told of, and after seven days the plan lapses with everything kept',
  async ({ page, site }) => {
    base.slow();
    await settle(page, site);
    await page.goto(`${site.url}/subscribe?plan=essential`);
    await page.getByRole('button', { name: 'Subscribe to Essential' }).click();
    await page.getByLabel(/ending in 0341/).check();
    await page.getByRole('button', { name: /^Pay £4.99/ }).click();
    const billing = page.getByRole('region', { name: 'Billing information' });
    await expect(billing.getByText('£4.99 a month')).toBeVisible();

    await site.everkept('clock', 'advance', '32d');
    await site.mailTo(sam.email, /Your payment for Essential did not go through/);
    await signIn(page, site, sam);
    await expect(page.getByText(/Your last payment did not go through/)).toBeVisible();
    await expectWellMade(page);
    await page.getByRole('link', { name: 'Look at how you pay' }).click();
    await expect(billing.getByText(/Your last payment did not go through/)).toBeVisible();
    await expect(billing.getByText('Due now')).toBeVisible();
    await expectWellMade(page);

    await site.everkept('clock', 'advance', '8d');
    await site.mailTo(sam.email, /Your Essential plan has ended/);
    await page.goto(`${site.url}/account`);
    await expect(billing.getByText(/Your paid plan ended because it was not paid/)).toBeVisible();
    await expect(page.getByRole('article', { name: 'Free' })).toHaveAttribute('aria-current', 'true');
    await expectWellMade(page);
  },
);
