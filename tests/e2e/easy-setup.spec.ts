import type { Page } from '@playwright/test';
import { settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

// Without transitions, so that a colour is never measured half-way from one theme to the other.
const calm = { reducedMotion: 'reduce' } as const;
test.use({ contextOptions: calm });

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const next = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

async function nameTrustedPerson(page: Page): Promise<void> {
  await page.getByLabel('Name *').fill('Priya Shah');
  await page.getByLabel('Email *').fill('priya@post.example');
  await page.getByLabel('Relationship (optional)').fill('Friend');
}

async function writeFirstMessage(page: Page): Promise<void> {
  await page.getByLabel('Title *').fill('For Nell');
  await page.getByLabel('Message *').fill('The blue tin has the photographs.');
  await page.getByLabel('Recipient Email *').fill('nell@ashworth.example');
}

test('a visitor sets everything up, reloads in the middle, and finds it all in the vault', async ({ page, site }) => {
  await page.goto(`${site.url}/easy-setup`);
  await expect(heading(page, 'Welcome')).toBeVisible();
  await expect(page.getByText('Step 1 of 6')).toBeVisible();
  await expectWellMade(page);

  await next(page);
  await expect(heading(page, 'Safety Settings')).toBeVisible();
  await expect(page.getByLabel('180 days (recommended)')).toBeChecked();
  await page.getByLabel('Phone').fill('07700 900123');
  await expectWellMade(page);

  await next(page);
  await nameTrustedPerson(page);
  await expectWellMade(page);

  await next(page);
  await writeFirstMessage(page);
  await expectWellMade(page);
  await next(page);
  await expect(heading(page, 'Create Your Account')).toBeVisible();
  await page.getByLabel('Email *').fill('sam@ashworth.example');

  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  expect(kept).not.toContain('blue tin');
  // Typed text is stored a moment later.
  await page.waitForTimeout(600);
  await page.reload();
  await expect(heading(page, 'Create Your Account')).toBeVisible();
  await expect(page.getByText('Step 5 of 6')).toBeVisible();
  await expect(page.getByLabel('Email *')).toHaveValue('sam@ashworth.example');
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(page.getByLabel('Message *')).toHaveValue('The blue tin has the photographs.');
  await next(page);

  await page.getByRole('button', { name: 'Create Account' }).click();
  await expectToast(page, 'Email, password, and first name are required.');
  await expectWellMade(page);
  await page.getByLabel('Password *', { exact: true }).fill('twelve lemons in a bowl');
  await page.getByLabel('First Name *').fill('Sam');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expectToast(page, 'Account created successfully!');
  await expect(heading(page, 'All Set!')).toBeVisible();
  await expect(page.getByText('Step 6 of 6')).toBeVisible();
  await expect(page.getByText('Saved', { exact: true })).toHaveCount(3);
  await expectWellMade(page);

  const profile = await page.request.get(`${site.url}/api/user-profile`);
  expect(await profile.json()).toMatchObject({ phone: '07700 900123', inactivityDays: 180, hasChosenSettings: true });
  const messages = await (await page.request.get(`${site.url}/api/messages`)).json();
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatchObject({ category: 'family', status: 'ready', visibleToTrustedContact: true });

  await page.getByRole('button', { name: 'Go to My Vault' }).click();
  await expect(heading(page, 'Dashboard')).toBeVisible();
  await page.goto(`${site.url}/messages`);
  await expect(page.getByText('1 Message')).toBeVisible();
  await page.goto(`${site.url}/contacts`);
  await expect(page.getByText('1 Contact')).toBeVisible();
  await expect(page.getByText('Priya Shah')).toBeVisible();

  const leftovers = await page.evaluate(async () => {
    const request = indexedDB.open('drafts', 1);
    await new Promise((resolve) => {
      request.onsuccess = resolve;
    });
    const names = request.result.transaction('drafts').objectStore('drafts').getAllKeys();
    await new Promise((resolve) => {
      names.onsuccess = resolve;
    });
    return names.result.filter((name) => String(name).startsWith('easy-setup'));
  });
  expect(leftovers).toEqual([]);
});

test('an interrupted visitor continues half-way, and nothing is saved twice', async ({ page, site }) => {
  await page.goto(`${site.url}/easy-setup`);
  await next(page);
  await next(page);
  await nameTrustedPerson(page);
  await next(page);
  await writeFirstMessage(page);
  await next(page);
  await page.getByLabel('Email *').fill('sam@ashworth.example');
  await page.getByLabel('Password *', { exact: true }).fill('twelve lemons in a bowl');
  await page.getByLabel('First Name *').fill('Sam');

  // The message arrives; its answer does not.
  await page.route('**/api/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expectToast(page, 'Error saving data');
  await expect(page.getByText('Your account is open, and you are signed in.')).toBeVisible();
  await expectWellMade(page);
  await page.reload();
  await expect(page.getByText('Step 5 of 6')).toBeVisible();
  await page.unroute('**/api/messages');
  await page.getByRole('button', { name: 'Save the rest' }).click();
  await expect(heading(page, 'All Set!')).toBeVisible();
  expect(await (await page.request.get(`${site.url}/api/messages`)).json()).toHaveLength(1);
  expect(await (await page.request.get(`${site.url}/api/trusted-contacts`)).json()).toHaveLength(1);
});

test('a signed-in owner saves step by step, sees the completed steps, and adds another message', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await page.goto(`${site.url}/easy-setup`);
  await expect(page.getByText('Step 1 of 5')).toBeVisible();
  await expectWellMade(page);
  await next(page);
  await page.getByLabel('365 days').check();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectToast(page, 'Safety settings saved!');
  await expect(page.getByText('Your safety settings are saved.')).toBeVisible();
  await expectWellMade(page);

  await next(page);
  await nameTrustedPerson(page);
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Add Trusted Person' }).click();
  await expectToast(page, 'Trusted person added!');
  await expect(page.getByText('Priya Shah is your trusted person.')).toBeVisible();

  await next(page);
  await writeFirstMessage(page);
  await expectWellMade(page);
  await next(page);
  await expectToast(page, 'Message created!');
  await expect(heading(page, 'All Set!')).toBeVisible();
  await expect(page.getByText('Step 5 of 5')).toBeVisible();
  await expectWellMade(page);

  await page.getByRole('button', { name: 'Add Another Message' }).click();
  await expect(page.getByLabel('Title *')).toHaveValue('');
  await writeFirstMessage(page);
  await page.getByLabel('Title *').fill('For Nell, later');
  await page.getByRole('button', { name: 'Save Message' }).click();
  await expect(page.getByText('You have written 2 messages.')).toBeVisible();

  await page.reload();
  for (const words of ['You have written 2 messages.', 'Priya Shah is your trusted person.']) {
    await expect(page.getByText(words)).toBeVisible();
    await page.getByRole('button', { name: 'Previous' }).click();
  }
  await expect(page.getByText('Your safety settings are saved.')).toBeVisible();
  await page.getByRole('link', { name: 'Skip to Advanced Dashboard' }).click();
  await expect(heading(page, 'Dashboard')).toBeVisible();
});

test('an address that has an account is explained, and everything stays', async ({ page, site, browser }) => {
  await settle(page, site);
  const theirs = await (await browser.newContext(calm)).newPage();
  await theirs.goto(`${site.url}/easy-setup`);
  for (let step = 0; step < 3; step += 1) await next(theirs);
  await writeFirstMessage(theirs);
  await next(theirs);
  await theirs.getByLabel('Email *').fill('sam@ashworth.example');
  await theirs.getByLabel('Password *', { exact: true }).fill('not the password of Sam');
  await theirs.getByLabel('First Name *').fill('Sam');
  await theirs.getByRole('button', { name: 'Create Account' }).click();
  await expect(theirs.getByRole('alert').filter({ hasText: 'There may already be an account' })).toBeVisible();
  await expectWellMade(theirs);
  await theirs.getByRole('button', { name: 'Previous' }).click();
  await expect(theirs.getByLabel('Message *')).toHaveValue('The blue tin has the photographs.');
  await next(theirs);
  await theirs.getByLabel('Password *', { exact: true }).fill('twelve lemons in a bowl');
  await theirs.getByRole('button', { name: 'Create Account' }).click();
  await expect(heading(theirs, 'All Set!')).toBeVisible();
  expect(await (await theirs.request.get(`${site.url}/api/messages`)).json()).toHaveLength(1);
});
