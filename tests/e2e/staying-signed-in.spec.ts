import { sam, settle } from './support/people.ts';
import { expect, expectWellMade, test } from './support/test.ts';

test('a letter that was being written when the session went with the browser is there after the next sign-in', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill('For Tom');
  await page.getByLabel('Message Content *').fill('Look after the boat.');
  await expect(page.getByText(/Draft kept/)).toBeVisible();
  // That was said of the first words; the last are written down within a moment.
  await page.waitForTimeout(500);

  await page.context().clearCookies();
  await page.goto(`${site.url}/login`);
  await expectWellMade(page);
  await page.getByLabel('Email').fill(sam.email);
  await page.getByLabel('Password', { exact: true }).fill(sam.password);
  await page.getByLabel('Keep me signed in').uncheck();
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name === 'everkept')?.expires).toBe(-1);

  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await expect(page.getByLabel('Message Title *')).toHaveValue('For Tom');
  await expect(page.getByLabel('Message Content *')).toHaveValue('Look after the boat.');
});
