import { sam, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('a plan is bought in the practice checkout, shown with its receipt, cancelled and kept after all', async ({
  page,
  site,
}) => {
  test.slow();
  await settle(page, site);
  await page.goto(`${site.url}/account`);
  // A press on the card is a press on its button.
  await page.getByRole('article', { name: 'Essential' }).click({ position: { x: 24, y: 24 } });
  await expect(page).toHaveURL(/\/subscribe\?plan=essential/);
  await expect(page.getByRole('heading', { name: 'Your choice' })).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Subscribe to Essential' }).click();

  await expect(page.getByText(/No money moves here/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Essential, every month' })).toBeVisible();
  await expectWellMade(page);
  await page.getByLabel(/ending in 0002/).check();
  await page.getByRole('button', { name: /^Pay £4.99/ }).click();
  await expectToast(page, 'Payment Failed');
  await page.getByLabel(/ending in 4242/).check();
  await page.getByRole('button', { name: /^Pay £4.99/ }).click();

  await expectToast(page, 'Subscription Activated');
  await expect(page).toHaveURL(`${site.url}/account`);
  const billing = page.getByRole('region', { name: 'Billing information' });
  await expect(billing.getByText('£4.99 a month')).toBeVisible();
  await expect(page.getByText('0 of 10 used')).toBeVisible();
  await expectWellMade(page);
  const receipt = page.waitForEvent('download');
  await page.getByRole('region', { name: 'Payments' }).getByRole('link').click();
  expect((await receipt).suggestedFilename()).toMatch(/\.pdf$/);
  await site.mailTo(sam.email, /receipt/i);

  await billing.getByRole('button', { name: 'Cancel the plan' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the plan' }).click();
  await expect(page.getByText(/Your plan is cancelled/)).toHaveCount(1);
  await expect(billing.getByText(/Your plan is cancelled and runs until/)).toBeVisible();
  await billing.getByRole('button', { name: 'Keep my plan' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep my plan' }).click();
  await expect(billing.getByText(/Your plan is cancelled/)).toHaveCount(0);
});

test('a visitor who has paid is asked to create an account, and a voucher makes the change of plan cheaper', async ({
  page,
  site,
}) => {
  test.slow();
  await site.everkept('vouchers', 'create', 'MOVEUP', '20');
  await page.goto(`${site.url}/subscribe?plan=essential`);
  await page.getByLabel('Email').fill(sam.email);
  await page.getByRole('button', { name: 'Subscribe to Essential' }).click();
  await page.getByRole('button', { name: /^Pay £4.99/ }).click();
  await expect(page.getByRole('heading', { name: 'What comes next' })).toBeVisible();
  await expect(page.getByText(/^If you have just paid/)).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('link', { name: 'Create your account' }).click();
  await expect(page).toHaveURL(/\/register/);

  await settle(page, site);
  await page.goto(`${site.url}/subscribe?plan=premium`);
  await page.getByLabel('Voucher code').fill('moveup');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('£7.99 a month')).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Change to Premium, by the month' }).click();
  await expect(page.getByRole('region', { name: 'Billing information' }).getByText('£7.99 a month')).toBeVisible();
});
