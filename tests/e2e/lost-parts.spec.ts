import type { Page, Route } from '@playwright/test';
import { settle } from './support/people.ts';
import { expect, test } from './support/test.ts';

const documentsPart = /\/assets\/documents-.*\.(js|css)$/;
const documentsStyles = /\/assets\/documents-.*\.css$/;

test.use({ mayComplain: /A part of the page could not be fetched|dynamically imported module/ });

const pageLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const lose = (route: Route) => route.abort();

test('a part that cannot be fetched says so, and takes neither the page nor the other pages with it', async ({
  page,
  site,
}) => {
  await settle(page, site);

  // The list of notices.
  await page.route(/\/assets\/toast-list-.*\.js$/, lose);
  await page.reload();
  await page.getByRole('button', { name: 'Check In' }).first().click();
  await expect(page.locator('.toast', { hasText: 'Check-in successful' })).toBeVisible();
  await page.locator('.toast').getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.locator('.toast')).toHaveCount(0);

  // A whole page, also with the second try.
  await page.route(documentsPart, lose);
  await pageLink(page, 'Documents').click();
  await expect(heading(page, 'This page could not be shown')).toBeVisible();
  await expect(page.getByText('The connection failed.')).toBeVisible();
  await pageLink(page, 'Messages').click();
  await expect(heading(page, 'Messages')).toBeVisible();
  await page.unroute(documentsPart);
  await pageLink(page, 'Documents').click();
  await expect(heading(page, 'Documents')).toBeVisible();
});

test('a page whose styles were lost once is shown with them, and leaving a page is no error', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await page.route(documentsStyles, lose, { times: 1 });
  await pageLink(page, 'Documents').click();
  await expect(heading(page, 'Documents')).toBeVisible();
  await page.waitForFunction(() => [...document.styleSheets].some(({ href }) => href?.includes('/documents-')));

  // The browser ends an unanswered request when the person goes to another page.
  await page.route(documentsStyles, () => undefined);
  const asked = page.waitForRequest(documentsStyles);
  await page.goto(site.url);
  await pageLink(page, 'Documents').click();
  await asked;
  await page.goto(`${site.url}/messages`);
  await expect(heading(page, 'Messages')).toBeVisible();
});

test('a visitor whose application cannot be fetched reads so, and loads the page again', async ({ page, site }) => {
  const application = /\/assets\/app-.*\.js$/;
  await page.route(application, lose);
  await page.goto(`${site.url}/faq`);
  await page.getByRole('link', { name: 'Sign In' }).first().click();
  await expect(heading(page, 'This page could not be shown')).toBeVisible();
  await page.unroute(application);
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await expect(heading(page, 'Sign in')).toBeVisible();
});
