import type { Page } from '@playwright/test';
import { codeAt } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { contractRoutes } from '#tests/support/routes.ts';
import type { Installation } from './support/installation.ts';
import { type Person, sam, settle } from './support/people.ts';
import { startCopy } from './support/ready-made.ts';
import { test as base, expect, expectToast, expectWellMade } from './support/test.ts';

const operator: Person = { ...sam, firstName: 'Opal', lastName: 'Marsh', email: 'operator@everkept.example' };
const nia: Person = {
  firstName: 'Nia',
  lastName: 'Reed',
  email: 'nia@people.example',
  password: 'a bag of eleven limes',
};
const ownPassword = 'seven pears in a net';

const test = base.extend<{ site: Installation }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a function needs from this pattern.
  site: async ({}, use) => {
    const site = await startCopy({ ADMIN_EMAIL: operator.email });
    await use(site);
    await site.stop();
  },
});

/** From the notice of the panel to an app that is set up. */
async function setUpApp(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Set up a second step' }).click();
  await page.getByRole('button', { name: 'Set up an app' }).click();
  await page.getByText('You can’t scan it?').click();
  const secret = (await page.locator('.secret-text').textContent()) ?? '';
  await page.getByLabel('Code from the app').fill(codeAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByLabel('I have kept these codes').check();
  await page.getByRole('button', { name: 'Done' }).click();
}

/** Answers to a person who tries every administrator call from their own browser, each kind once. */
async function answersTo(page: Page): Promise<string[]> {
  const calls = contractRoutes
    .filter(({ route }) => route.access === 'administrator')
    .map(({ route: { method, path } }) => ({ method, path: path.replace(/:\w+/g, crypto.randomUUID()) }));
  expect(calls.length).toBeGreaterThan(5);
  return page.evaluate(async (all) => {
    const told = new Set<string>();
    for (const { method, path } of all) {
      const sent = method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' };
      told.add((await (await fetch(path, { method, ...sent })).json()).type);
    }
    return [...told];
  }, calls);
}

/**
 * More accounts than three rounds of a bulk email, so that a rest is left to cancel. The regular round may coincide
 * with the one after the press. On a slow machine a second one may come before the cancel.
 */
async function openAccounts(page: Page, count: number): Promise<void> {
  const statuses = await page.evaluate(
    (people) =>
      Promise.all(
        people.map(async (person) => {
          const headers = { 'content-type': 'application/json' };
          return (await fetch('/api/admin/users', { method: 'POST', headers, body: JSON.stringify(person) })).status;
        }),
      ),
    Array.from({ length: count }, (_, index) => ({
      ...nia,
      firstName: `Number ${index + 1}`,
      email: `number${index + 1}@people.example`,
    })),
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
}

test('the administrator opens an account, edits it, writes to it and deletes it; its owner comes no further than their own', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await settle(page, site, operator);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin Panel' }).click();
  await expect(page.getByRole('heading', { name: 'Set up a second step first' })).toBeVisible();
  await expectWellMade(page);
  await setUpApp(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin Panel' }).click();
  await expect(page.getByRole('region', { name: 'State of the service' })).toContainText('Everything is running.');
  await page.getByRole('button', { name: 'Create a user' }).click();
  await page.getByLabel('First name').fill(nia.firstName);
  await page.getByLabel('Last name').fill(nia.lastName);
  await page.getByLabel('Email address').fill(nia.email);
  await page.getByLabel('First password', { exact: true }).fill(nia.password);
  await page.getByRole('button', { name: 'Create the user' }).click();
  await expectToast(page, 'User created successfully');
  await expectWellMade(page);

  const own = await (await browser.newContext()).newPage();
  await site.mailTo(nia.email, /is open/);
  await own.goto(`${site.url}/login`);
  await own.getByLabel('Email').fill(nia.email);
  await own.getByLabel('Password', { exact: true }).fill(nia.password);
  await own.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(own.getByRole('heading', { name: 'Choose a password of your own' })).toBeVisible();
  await expectWellMade(own);
  await own.goto(`${site.url}/messages`);
  await own.getByLabel('The password you were given', { exact: true }).fill(nia.password);
  await own.getByLabel('New password', { exact: true }).fill(ownPassword);
  await own.getByLabel('New password again', { exact: true }).fill(ownPassword);
  await own.getByRole('button', { name: 'Save and go on' }).click();
  await expect(own.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
  await own.goto(`${site.url}/admin`);
  await expect(own.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await expect(own.getByRole('link', { name: 'Admin Panel' })).toHaveCount(0);
  expect(await answersTo(own)).toEqual(['FORBIDDEN']);

  await page.getByRole('button', { name: 'Edit Nia Reed' }).click();
  await page.getByLabel('Plan').selectOption('Premium');
  await page.getByLabel('The email address is verified').uncheck();
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await expectToast(page, 'User updated successfully');
  await page.getByRole('button', { name: 'Verify Nia Reed' }).click();
  await expectToast(page, 'User verified successfully');
  await page.getByLabel('Select Nia Reed').check();
  await page.getByRole('button', { name: 'Send bulk email' }).click();
  await page.getByLabel('Subject').fill('New guides');
  await page.getByLabel('Message').fill('We wrote a guide.');
  await page.getByRole('button', { name: 'Send the email' }).click();
  await expectToast(page, 'Bulk email sent successfully');
  await expect(page.getByText('1 of 1 sent')).toBeVisible();

  await openAccounts(page, 39);
  await page.reload();
  await page.getByLabel('Select everybody on this page').check();
  await page.getByRole('button', { name: 'Send bulk email' }).click();
  await page.getByLabel('Subject').fill('A second thought');
  await page.getByLabel('Message').fill('We take it back.');
  await page.getByRole('button', { name: 'Send the email' }).click();
  await page.getByRole('button', { name: 'Cancel the rest' }).click();
  await expectToast(page, 'Nobody else is written to.');
  await expect(page.getByText(/of 41 sent, \d+ cancelled/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel the rest' })).toHaveCount(0);

  const news = await site.mailTo(nia.email, /New guides/);
  await own.goto(news.links.find((link) => link.includes('/news/')) ?? '');
  await expectWellMade(own);
  await own.getByRole('button', { name: 'Stop the news' }).click();
  await expect(own.getByRole('heading', { name: 'You get no more news' })).toBeVisible();

  await page.getByRole('button', { name: 'Delete Nia Reed' }).click();
  await page.getByRole('button', { name: 'Delete the user' }).click();
  await expectToast(page, 'User deleted successfully');
  await expect(page.getByText(/Goes on/)).toBeVisible();
  await own.goto(`${site.url}/messages`);
  await expect(own.getByRole('heading', { name: 'Messages', level: 1 })).toHaveCount(0);
});
