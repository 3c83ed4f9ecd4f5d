import type { Browser, Page } from '@playwright/test';
import { withDatabaseOf } from '#tests/support/visitor.ts';
import { bytesOf, usedBytesMax } from './support/bytes.ts';
import type { Installation } from './support/installation.ts';
import {
  acceptInvitation,
  addContact,
  enter,
  followLink,
  linkIn,
  sam,
  settle,
  writeMessage,
} from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const letter = {
  title: 'For Nell, when it is time',
  content: 'Dear Nell,\n\nPut the kettle on first.\n\nDad',
  recipient: 'nell@ashworth.example',
  visible: true,
};
const priya = { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' };

/** Highest size of a letter's page at the first visit: markup, scripts, styles and typefaces, compressed. */
const letterBytesMax = 120_000;
/** Scripts among them, before the page is used. */
const scriptBytesMax = 8_000;

async function prepare(page: Page, site: Installation, browser: Browser): Promise<Page> {
  await settle(page, site);
  await writeMessage(page, site, letter);
  await addContact(page, site, priya);
  const other = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await acceptInvitation(other, site, priya.email);
  return other;
}

const subjects = async (site: Installation, address: string) =>
  (await site.outbox()).filter((mail) => mail.to.address === address).map((mail) => mail.subject);

test('after long silence a contact confirms, and the recipient reads the letter', { tag: '@first' }, async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  const contact = await prepare(page, site, browser);

  await site.everkept('clock', 'advance', '95d');
  const mails = await subjects(site, sam.email);
  expect(mails.length).toBeGreaterThanOrEqual(3);

  const portal = await followLink(contact, site, priya.email, /Sam/, '/trusted-contact-admin/');
  await expect(contact.getByRole('heading', { level: 1 })).toContainText('Sam');
  await expect(contact.getByText(letter.title).first()).toBeVisible();
  await contact.waitForLoadState('networkidle');
  expect(await bytesOf(contact)).toBeLessThanOrEqual(usedBytesMax);
  await expectWellMade(contact);
  const confirm = contact.getByRole('button', { name: 'Confirm Message Release' });
  await expect(confirm).toBeDisabled();
  await contact.getByLabel(/Reason/).fill('Sam died on 1 September. I was at the funeral.');
  await confirm.click();
  await contact.getByLabel(/Type/).fill('SEND');
  await contact.getByRole('button', { name: 'Send the messages now' }).click();
  await expect(contact.getByText('Release Confirmed')).toBeVisible();

  const reader = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await followLink(reader, site, letter.recipient, /Sam/, '/message/');
  await expect(reader.getByRole('heading', { name: 'Sam Ashworth wrote this for you' })).toBeVisible();
  await expect(reader.getByText('Put the kettle on first.')).toBeHidden();
  const bytes = await bytesOf(reader);
  expect(bytes, 'the page and all that it loads').toBeGreaterThan(letterBytesMax / 2);
  expect(bytes).toBeLessThanOrEqual(letterBytesMax);
  expect(await bytesOf(reader, '.js')).toBeLessThanOrEqual(scriptBytesMax);
  await expectWellMade(reader);
  await reader.getByRole('button', { name: 'Open it when you are ready' }).focus();
  await expect.poll(() => bytesOf(reader, '.js')).toBeGreaterThan(scriptBytesMax);
  await reader.waitForLoadState('networkidle');
  expect(await bytesOf(reader)).toBeLessThanOrEqual(usedBytesMax);
  await reader.getByRole('button', { name: 'Open it when you are ready' }).click();
  await expect(reader.getByRole('heading', { name: letter.title })).toBeVisible();
  await expect(reader.getByText('Put the kettle on first.')).toBeVisible();
  await expectWellMade(reader);
  await reader.getByRole('button', { name: 'Keep it for me' }).click();
  await expect(reader.getByText(/We keep it for you until/)).toBeVisible();
  await contact.goto(portal);
  await expect(contact.getByText(/Release Confirmed/)).toBeVisible();

  await page.context().clearCookies();
  await enter(page, site, sam);
  await expect(page.getByRole('heading', { name: 'Are you Sam?', level: 1 })).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'I am Sam: leave it so' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
  await page.goto(`${site.url}/messages`);
  await expect(page.getByText('Delivered', { exact: true }).first()).toBeVisible();
  await expectWellMade(page);
});

test('an owner who comes back stops everything, and every link is dead', async ({ page, site, browser }) => {
  test.slow();
  const contact = await prepare(page, site, browser);
  await site.everkept('clock', 'advance', '91d');
  const portal = await followLink(contact, site, priya.email, /Sam/, '/trusted-contact-admin/');
  await expect(contact.getByRole('button', { name: 'Cancel Release' })).toBeVisible();

  await page.context().clearCookies();
  await enter(page, site, sam);
  await expect(page.getByRole('heading', { name: 'Welcome back, Sam.' })).toBeVisible();
  await expect(page.getByText('Nothing was sent. We have told Priya you are here.')).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Go to my dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'We heard from you today.' })).toBeVisible();

  await contact.goto(portal);
  await expect(contact.getByText('Access Error')).toBeVisible();
  await site.mailTo(priya.email, /nothing was sent/i);
  await site.everkept('clock', 'advance', '20d');
  expect(await subjects(site, letter.recipient)).toEqual([]);
});

test('with method inactivity, silence alone delivers after the answer time', async ({ page, site, browser }) => {
  test.slow();
  await prepare(page, site, browser);
  await site.everkept('clock', 'advance', '96d');
  expect(await subjects(site, letter.recipient)).toEqual([]);
  await site.everkept('clock', 'advance', '3d');
  expect((await subjects(site, letter.recipient)).length).toBe(1);
});

test('with method trusted_contact, silence alone never delivers', async ({ page, site, browser }) => {
  test.slow();
  await prepare(page, site, browser);
  await page.goto(site.url);
  await page.getByLabel('Release method').selectOption('trusted_contact');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectToast(page, 'Settings Updated');
  await site.everkept('clock', 'advance', '200d');
  expect(await subjects(site, letter.recipient)).toEqual([]);
});

test('a scanner that opens every emailed link changes nothing, and the button behind one checks in', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await prepare(page, site, browser);
  await site.everkept('clock', 'advance', '91d');
  const checkIn = await linkIn(site, sam.email, '/check-in/');
  const portal = await linkIn(site, priya.email, '/trusted-contact-admin/');
  const seen = async () => ({
    checkIn: await (await fetch(checkIn.replace('/check-in/', '/api/check-in/'))).json(),
    // Seconds that no heart has beaten through yet move the moment that is foreseen, and not its day.
    portal: await (await fetch(portal.replace('/trusted-', '/api/trusted-')))
      .json()
      .then(({ goAloneAt, ...shown }) => ({ ...shown, goAloneOn: goAloneAt.slice(0, 10) })),
    mails: (await site.outbox()).length,
  });
  const before = await seen();
  expect(before).toMatchObject({ checkIn: { firstName: 'Sam' }, portal: { state: 'open', confirmations: 0 } });

  const scanner = await browser.newContext({ locale: 'en-GB' });
  for (const link of [checkIn, portal]) await openAsScannersDo(await scanner.newPage(), link);
  expect(await seen()).toEqual(before);

  const owner = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await owner.goto(checkIn);
  await expectWellMade(owner);
  await owner.getByRole('button', { name: 'Check in' }).click();
  await expect(owner.getByRole('heading', { name: 'Thank you, Sam' })).toBeVisible();
  await expect(owner.getByText(/^Next check-in by /)).toBeVisible();
  await expectWellMade(owner);
});

/** Asks for the head, then runs the page's scripts, moves over it and scrolls to its end. It presses nothing. */
async function openAsScannersDo(page: Page, link: string): Promise<void> {
  await page.request.head(link);
  await page.goto(link);
  await expect(page.getByRole('button').first()).toBeVisible();
  await page.mouse.move(300, 300);
  await page.mouse.wheel(0, 5000);
  await page.waitForLoadState('networkidle');
  await page.close();
}

test('a contact gives another address of an owner whom no email reached, and the owner reads it on their return', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  const contact = await prepare(page, site, browser);
  await site.everkept('clock', 'advance', '91d');
  // The outbox accepts every mail, so the closed mailbox is written into the rows.
  await withDatabaseOf(site.dataDir, (client) =>
    client.query(
      "update release_notices set email_outcome = 'tried' where topic in ('first_reminder', 'last_reminder')",
    ),
  );
  const portal = await followLink(contact, site, priya.email, /Sam/, '/trusted-contact-admin/');
  const question = { name: 'Do you know another email address of Sam?' };
  await expect(contact.getByRole('heading', question)).toBeVisible();
  await expectWellMade(contact);
  await takeShots(contact, 'asked');

  const bare = await (await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })).newPage();
  await bare.goto(portal);
  await bare.getByRole('textbox', { name: 'Email address of Sam' }).fill(sam.email);
  await bare.getByRole('button', { name: 'Give this address' }).click();
  await expect(bare.getByText('We already write to this address of Sam')).toBeVisible();
  await expect(bare.getByRole('textbox', { name: 'Email address of Sam' })).toHaveValue(sam.email);
  await bare.getByRole('textbox', { name: 'Email address of Sam' }).fill(priya.email);
  await bare.getByRole('button', { name: 'Give this address' }).click();
  await expect(bare.getByText('This is the address of another person')).toBeVisible();

  await contact.getByRole('textbox', { name: 'Email address of Sam' }).fill('Sam.New@elsewhere.example ');
  await contact.getByRole('button', { name: 'Give this address' }).click();
  await expect(contact.getByText('Thank you. We send one email there')).toBeVisible();
  await expectWellMade(contact);
  await takeShots(contact, 'given');
  const mail = await site.mailTo('sam.new@elsewhere.example', /We cannot reach Sam Ashworth/);
  expect(mail.links.map((link) => new URL(link).pathname).sort()).toEqual(['/', '/login']);
  expect(mail.text).not.toContain(letter.title);

  await page.context().clearCookies();
  await enter(page, site, sam);
  await expect(
    page.getByText('Priya gave us another email address of yours: sam.new@elsewhere.example.'),
  ).toBeVisible();
  await expectWellMade(page);
  await takeShots(page, 'returned');
});

/** Saves the page in both widths and themes for a person to look at, if a folder is named. */
async function takeShots(page: Page, name: string): Promise<void> {
  const folder = process.env.RELEASE_SHOTS;
  if (!folder) return;
  const before = page.viewportSize();
  for (const theme of ['light', 'dark']) {
    await page.evaluate((look) => {
      document.documentElement.classList.remove('light', 'dark');
      document.documentElement.classList.add(look);
    }, theme);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png`, fullPage: true });
    }
  }
  if (before) await page.setViewportSize(before);
}
