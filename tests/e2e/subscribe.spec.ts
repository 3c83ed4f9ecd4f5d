import { sam, settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('a plan is bought in the practice checkout, shown with its receipt, cancelled and kept after all', async ({
  page,
  site,
}) => {
  test.slow();
  await settle(page, site);
  await page.goto(`${site.url}/account`);
  await page.getByRole('button', { name: 'Upgrade to Essential' }).click();
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

  await expect(page).toHaveURL(/\/account/);
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
