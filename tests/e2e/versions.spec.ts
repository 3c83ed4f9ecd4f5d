import type { Browser, Page, Route } from '@playwright/test';
import type { Installation } from './support/installation.ts';
import { sam, settle, signIn, writeMessage } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const words = (page: Page) => page.getByLabel('Message Content *');
const changedHeading = 'This letter was changed in another window or on another device';
const unsure = 'We can’t tell whether this was saved. Your words are still here.';
const letter = { title: 'For Nell', content: 'Dear Nell, the tin is blue.', recipient: 'nell@family.example' };
const saved = { ...letter, save: 'Save as Draft' as const };

type Letter = { title: string; content: string };

async function letters(page: Page, site: Installation): Promise<Letter[]> {
  return (await page.request.get(`${site.url}/api/messages`)).json();
}

async function openLetter(page: Page, site: Installation): Promise<void> {
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  await expect(words(page)).toHaveValue(/the tin is blue/);
}

async function phoneOf(browser: Browser, site: Installation): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 320, height: 800 } });
  const phone = await context.newPage();
  await signIn(phone, site, sam);
  return phone;
}

/** Answers the calls of a page in place of the service, as a proxy between them does. `isPassedOn`: the service had the request. */
async function answerInPlace(
  page: Page,
  path: string | RegExp,
  { isPassedOn = false, status = 200 } = {},
): Promise<void> {
  await page.route(path, async (route: Route) => {
    if (route.request().method() === 'GET') return route.fallback();
    if (isPassedOn) await route.fetch();
    await route.fulfill({ status, contentType: 'text/html', body: '<!doctype html><title>Hotel</title>' });
  });
}

test.use({ mayComplain: /status of (409|413|502)/ });

test('a letter that two devices changed keeps both texts, and its writer chooses', async ({ page, browser, site }) => {
  await settle(page, site);
  await writeMessage(page, site, saved);
  const phone = await phoneOf(browser, site);
  await openLetter(page, site);
  await openLetter(phone, site);

  await words(page).fill('Dear Nell, the tin is blue. The key is in the shed, behind the paint.');
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Updated');

  await words(phone).fill('Dear Nell, the tin is blue and the dog likes you best.');
  await phone.getByRole('button', { name: 'Save as Draft' }).click();
  await expect(phone.getByRole('heading', { name: changedHeading })).toBeFocused();
  const both = phone.getByRole('region', { name: changedHeading });
  await expect(both.getByText('behind the paint')).toBeVisible();
  await expect(both.getByText('the dog likes you best')).toBeVisible();
  expect((await letters(phone, site)).map(({ content }) => content)).toEqual([
    'Dear Nell, the tin is blue. The key is in the shed, behind the paint.',
  ]);
  await expectWellMade(phone);

  // By keys alone: the heading, two texts that scroll, and a button below each.
  for (const _ of ['the words', 'the button']) await phone.keyboard.press('Tab');
  await expect(phone.getByRole('button', { name: 'Go on with this one, in this window, not saved yet' })).toBeFocused();
  await phone.keyboard.press('Enter');
  await expect(words(phone)).toBeFocused();
  await words(phone).fill('Dear Nell, the tin is blue, the dog likes you best, the key is behind the paint.');
  await phone.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(phone, 'Message Updated');
  expect((await letters(phone, site))[0]?.content).toContain('likes you best, the key is behind the paint');

  // The list of the laptop is older than the phone's words. The letter opens with them.
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  await expect(words(page)).toHaveValue(/likes you best, the key is behind the paint/);

  // The phone saves first. The laptop's writer takes the words of the phone.
  await openLetter(phone, site);
  await words(phone).fill('Dear Nell, the key is with Tom.');
  await phone.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(phone, 'Message Updated');
  await words(page).fill('Something old.');
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await page.getByRole('button', { name: /^Go on with this one, saved elsewhere/ }).click();
  await expect(words(page)).toHaveValue('Dear Nell, the key is with Tom.');
});

test('a proxy that answers in place of the service loses no letter and doubles none', async ({ page, site }) => {
  await settle(page, site);
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill(letter.title);
  await words(page).fill(letter.content);
  await page.getByLabel('Recipient Email *').fill(letter.recipient);
  await answerInPlace(page, '**/api/messages', { isPassedOn: true });
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expect(page.locator('form').getByRole('alert').getByText(unsure)).toBeVisible();
  await expect(words(page)).toHaveValue(letter.content);
  await expectWellMade(page);
  expect(await letters(page, site)).toHaveLength(1);

  await page.unroute('**/api/messages');
  await words(page).fill(`${letter.content} And the key is with Tom.`);
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Message Saved');
  expect((await letters(page, site)).map(({ content }) => content)).toEqual([
    `${letter.content} And the key is with Tom.`,
  ]);

  // A wrong answer is no empty vault.
  await page.route('**/api/messages/envelopes', (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '{"status":"ok"}' }),
  );
  await page.goto(`${site.url}/messages`);
  await expect(page.getByText('We could not load your messages')).toBeVisible();
  await expect(page.getByText('No messages yet')).toBeHidden();
});

test('a proxy that answers in place of the service doubles no contact', async ({ page, site }) => {
  await settle(page, site);
  await page.goto(`${site.url}/contacts`);
  await page.getByRole('button', { name: 'Add Trusted Contact' }).first().click();
  await page.getByLabel('Full Name *').fill('Priya Shah');
  await page.getByLabel('Email Address *').fill('priya@post.example');
  await answerInPlace(page, '**/api/trusted-contacts', { isPassedOn: true, status: 502 });
  await page.getByRole('button', { name: 'Add Contact', exact: true }).click();
  await expect(page.locator('form').getByRole('alert').getByText(unsure)).toBeVisible();
  await page.unroute('**/api/trusted-contacts');
  await page.getByRole('button', { name: 'Add Contact', exact: true }).click();
  await expectToast(page, 'Contact Added');
  const contacts = await (await page.request.get(`${site.url}/api/trusted-contacts`)).json();
  expect(contacts).toHaveLength(1);
});

type AskedForm = { path: string; api: string; fill(page: Page): Promise<void>; send: string; kept: [string, string] };

/** Public forms, each with one of its fields and the words typed there. */
const askedForms: Record<string, AskedForm> = {
  registration: {
    path: '/register',
    api: '**/api/register',
    fill: async (page) => {
      await page.getByLabel('First Name').fill('Priya');
      await page.getByLabel('Last Name').fill('Shah');
      await page.getByLabel('Email').fill('priya@post.example');
      await page.getByLabel('Password', { exact: true }).fill(sam.password);
      await page.getByLabel('Confirm Password', { exact: true }).fill(sam.password);
    },
    send: 'Create Account',
    kept: ['Email', 'priya@post.example'],
  },
  complaint: {
    path: '/complaint',
    api: '**/api/complaints',
    fill: async (page) => {
      await page.getByLabel('Your name *').fill('Priya Shah');
      await page.getByLabel('Your email *').fill('priya@post.example');
      await page.getByLabel('What is wrong *').fill('You wrote to my old address again.');
    },
    send: 'Send the complaint',
    kept: ['What is wrong *', 'You wrote to my old address again.'],
  },
  'emergency form': {
    path: '/emergency-activation',
    api: '**/api/emergency-activate',
    fill: async (page) => {
      await page.getByLabel('Account holder’s email *').fill(sam.email);
      await page.getByLabel('Your email *').fill('priya@post.example');
      await page.getByLabel('Your full name *').fill('Priya Shah');
      await page.getByLabel('Reason *').fill('Sam had an accident on Friday.');
    },
    send: 'Send the request',
    kept: ['Reason *', 'Sam had an accident on Friday.'],
  },
};

for (const [name, form] of Object.entries(askedForms)) {
  test(`a proxy that answers in place of the service loses no words of the ${name}`, async ({ page, site }) => {
    await page.goto(`${site.url}${form.path}`);
    await form.fill(page);
    for (const status of [200, 502]) {
      await answerInPlace(page, form.api, { status });
      await page.getByRole('button', { name: form.send, exact: true }).click();
      await expect(page.getByText(unsure).first()).toBeVisible();
      await expect(page.getByLabel(form.kept[0], { exact: true })).toHaveValue(form.kept[1]);
    }
  });
}

test('a proxy that answers in place of the service loses no settings and no number', async ({ page, site }) => {
  await settle(page, site);
  await page.goto(site.url);
  await answerInPlace(page, '**/api/user/release-settings');
  await page.getByLabel('Inactivity period').selectOption('180');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectToast(page, 'Update Failed');
  await expect(page.getByText(unsure).first()).toBeVisible();
  await expect(page.getByLabel('Inactivity period')).toHaveValue('180');

  await answerInPlace(page, '**/api/user-profile', { status: 502 });
  await page.getByLabel('Phone number').fill('07700 900123');
  await page.getByRole('button', { name: 'Save the number' }).click();
  await expect(page.locator('#phone').getByText(unsure)).toBeVisible();
  await expect(page.getByLabel('Phone number')).toHaveValue('07700 900123');
});
