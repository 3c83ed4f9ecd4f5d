import type { Locator, Page } from '@playwright/test';
import { addContact, sam, settle } from './support/people.ts';
import { expect, test } from './support/test.ts';

const publicPages = [
  '/',
  '/login',
  '/register',
  '/faq',
  '/user-guide',
  '/emergency-activation',
  '/complaint',
  '/subscribe',
];
const vaultPages = [
  '/',
  '/messages',
  '/documents',
  '/contacts',
  '/rehearsal',
  '/help',
  '/account',
  '/data-export',
  '/privacy',
  '/trustee',
  '/recently-deleted',
];

/** Goes to a page and waits until it is translated. */
async function openTranslated(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.locator('h1 font').first()).toBeVisible();
}

test('a page that was translated before its scripts came is taken over as it is', async ({ page, site }) => {
  for (const path of ['/faq', '/trusted-contact-demo']) {
    const translated = Promise.withResolvers<void>();
    await page.route(/\/assets\/base-.*\.js$/, async (route) => {
      await translated.promise;
      await route.continue();
    });
    await openTranslated(page, site.url + path);
    await page.locator('main').evaluate((main) => main.setAttribute('data-first', ''));
    await page.locator('a:visible, button:visible').last().hover();
    translated.resolve();
    // React notes on an element that it has taken it over.
    await page.waitForFunction(() =>
      Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__reactFiber')),
    );
    await expect(page.locator('main[data-first] h1').first()).toBeVisible();
    await page.unroute(/\/assets\/base-.*\.js$/);
  }
});

/** Holds the scripts of each page back until `pass` is called. */
async function holdScripts(page: Page): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const scripts = /\/assets\/(start|base)-.*\.js$/;
  await page.route(scripts, async (route) => {
    await held.promise;
    await route.continue();
  });
  return async () => {
    held.resolve();
    await page.waitForLoadState('networkidle');
    await page.unroute(scripts);
  };
}

test('a press that lasts while the scripts take over a page is not lost', async ({ page, browser, site }) => {
  await settle(page, site);
  await addContact(page, site, { name: 'Priya Shah', email: 'priya@post.example' });
  const other = await (await browser.newContext()).newPage();

  const pressAcross = async (button: Locator, pass: () => Promise<void>) => {
    await button.hover();
    await other.mouse.down();
    await pass();
    await other.mouse.up();
  };
  const passLogin = await holdScripts(other);
  await openTranslated(other, `${site.url}/login`);
  await other.getByLabel('Email').fill(sam.email);
  await other.getByLabel('Password', { exact: true }).fill(sam.password);
  await pressAcross(other.getByRole('button', { name: 'Sign In', exact: true }), passLogin);
  await expect(other.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

  const mail = await site.mailTo('priya@post.example', /trusted contact/i);
  const passInvitation = await holdScripts(other);
  await openTranslated(other, mail.links.find((link) => link.includes('/trusted-contact-accept/')) ?? '');
  await pressAcross(other.getByRole('button', { name: /Accept/ }), passInvitation);
  await expect(other).toHaveURL(/\/trusted-contact-confirmed/);
});

test('every page is whole and can be used while the browser translates it', async ({ page, site }) => {
  for (const path of publicPages) await openTranslated(page, site.url + path);
  await settle(page, site);
  for (const path of vaultPages) await openTranslated(page, site.url + path);

  await page.goto(`${site.url}/contacts`);
  await page
    .getByRole('button', { name: /Add (Trusted )?Contact/ })
    .first()
    .click();
  const copy = page.locator('.mail-copy');
  for (const [typed, greeting] of [
    ['Ann', 'Hello Ann,'],
    ['', 'Hello …,'],
    ['Bob', 'Hello Bob,'],
  ] as const) {
    await page.getByLabel('Full Name *').fill(typed);
    await expect(copy).toContainText(greeting);
  }
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Content *').fill('Put the kettle on first.');
  await expect(page.getByText(/Draft kept in your vault at/)).toBeVisible();
});
