import type { Page } from '@playwright/test';
import type { Installation } from './support/installation.ts';
import { sam, settle, signIn } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const title = (page: Page) => page.getByLabel('Message Title *');
const words = (page: Page) => page.getByLabel('Message Content *');
const inVault = (page: Page) => page.getByText(/Draft kept in your vault at/);

async function beginLetter(page: Page, site: Installation): Promise<void> {
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
}

async function kept(page: Page, site: Installation): Promise<{ content: string }[]> {
  return (await page.request.get(`${site.url}/api/drafts`)).json();
}

test('a letter goes on where it was left, on another device; two that were written at once are both shown', async ({
  page,
  browser,
  site,
}) => {
  await settle(page, site);
  await beginLetter(page, site);
  await title(page).fill('For Tom');
  await words(page).fill('Look after the boat.');
  await expect(inVault(page)).toBeVisible();

  const phone = await (await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 800 } })).newPage();
  await signIn(phone, site, sam);
  await beginLetter(phone, site);
  await expect(title(phone)).toHaveValue('For Tom');
  await expect(words(phone)).toHaveValue('Look after the boat.');
  await words(phone).fill('Look after the boat. And the dog.');
  await expect(inVault(phone)).toBeVisible();

  // The laptop was left open and knows nothing of that.
  await words(page).fill('Look after the boat. And the cat.');
  await expect(page.getByRole('heading', { name: 'You have written to this letter in two places' })).toBeVisible();
  await expect(page.getByText('And the cat.')).toBeVisible();
  await expect(page.getByText('And the dog.')).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Go on with this one, on this device' }).click();
  await expect(words(page)).toHaveValue('Look after the boat. And the cat.');
  await expect(words(page)).toBeFocused();
  await expect(inVault(page)).toBeVisible();

  await words(phone).fill('Look after the boat. And the dog. And the shed.');
  await phone.getByRole('button', { name: /^Go on with this one, on another device/ }).click();
  await expect(words(phone)).toHaveValue('Look after the boat. And the cat.');

  // Saved on one device, it is no draft on any other.
  await page.getByLabel('Recipient Email *').fill('tom@example.com');
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');
  await expect.poll(() => kept(page, site)).toEqual([]);
  await beginLetter(phone, site);
  await expect(title(phone)).toHaveValue('');
});

test('from the moment a passphrase is asked for, the words stay on the device', async ({ page, site }) => {
  await settle(page, site);
  await beginLetter(page, site);
  await words(page).fill('Dear Nell, it is in the blue tin.');
  await expect(inVault(page)).toBeVisible();
  expect(JSON.stringify(await kept(page, site))).toContain('blue tin');

  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.getByLabel('Seal the letter with a passphrase').check();
  await expect.poll(() => kept(page, site)).toEqual([]);
  await expect(page.getByText('Until you save it, what you write stays on this device.')).toBeVisible();
  await words(page).fill('Dear Nell, it is under the stairs.');
  await expect(page.getByText(/Draft kept at/)).toBeVisible();
  // Longer than the pause after which it would go.
  await page.waitForTimeout(2_500);
  expect(await kept(page, site)).toEqual([]);
  expect(sent.join()).not.toContain('under the stairs');
});

test('words that were typed just before a passphrase is asked for do not reach the vault either', async ({
  page,
  site,
}) => {
  // Before the sheet is there: a pause that has begun by another clock would not stand still with this one.
  await page.clock.install();
  await settle(page, site);
  await beginLetter(page, site);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.method()} ${request.postData() ?? ''}`));
  // However busy the machine is, the pause after which they would go is not over.
  await page.clock.pauseAt(Date.now() + 60_000);
  await words(page).fill('Dear Nell, it is under the stairs.');
  await page.getByLabel('Seal the letter with a passphrase').check();
  await page.clock.resume();
  await page.waitForTimeout(3_000);
  expect(sent.join()).not.toContain('under the stairs');
  expect(await kept(page, site)).toEqual([]);
});
