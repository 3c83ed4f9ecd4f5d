import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { Installation } from './installation.ts';
import { expect, expectToast } from './test.ts';

export type Person = { firstName: string; lastName: string; email: string; password: string };

export const sam: Person = {
  firstName: 'Sam',
  lastName: 'Ashworth',
  email: 'sam@ashworth.example',
  password: 'twelve lemons in a bowl',
};

export async function register(page: Page, site: Installation, person: Person): Promise<void> {
  await page.goto(`${site.url}/register`);
  await page.getByLabel('First Name').fill(person.firstName);
  await page.getByLabel('Last Name').fill(person.lastName);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByLabel('Confirm Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible();
}

export async function verify(page: Page, site: Installation, person: Person): Promise<void> {
  const mail = await site.mailTo(person.email, /verify|confirm/i);
  const link = mail.links.find((address) => address.includes('/api/verify-email'));
  expect(link).toBeDefined();
  await page.goto(link ?? '');
}

/** The form of the sign-in, wherever it leads. */
export async function enter(page: Page, site: Installation, person: Person): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}

export async function signIn(page: Page, site: Installation, person: Person): Promise<void> {
  await enter(page, site, person);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
}

/** Registered, verified and signed in. */
export async function settle(page: Page, site: Installation, person: Person = sam): Promise<void> {
  await register(page, site, person);
  // In this order, so that a person who stays signed in has chosen that.
  await signIn(page, site, person);
  await verify(page, site, person);
  await expect(page).toHaveURL(`${site.url}/`);
}

export async function writeMessage(
  page: Page,
  site: Installation,
  message: {
    title: string;
    content: string;
    recipient: string;
    save?: 'Save as Draft' | 'Save & Ready to Send';
    visible?: boolean;
  },
): Promise<void> {
  await page.goto(`${site.url}/messages`);
  await page.getByRole('button', { name: 'Create Message' }).click();
  await page.getByLabel('Message Title *').fill(message.title);
  await page.getByLabel('Recipient Email *').fill(message.recipient);
  await page.getByLabel('Message Content *').fill(message.content);
  if (message.visible) await page.getByLabel(/Show its title/).check();
  await page.getByRole('button', { name: message.save ?? 'Save & Ready to Send' }).click();
  await expectToast(page, 'Message Saved');
  if (message.save !== 'Save as Draft') await leaveSealed(page);
}

/** A letter that was saved as ready is shown sealed for a moment; from there one goes back to the list. */
export async function leaveSealed(page: Page): Promise<void> {
  await page
    .getByRole('dialog', { name: /^Sealed for/ })
    .getByRole('button', { name: 'All messages' })
    .click();
}

export async function addContact(
  page: Page,
  site: Installation,
  contact: { name: string; email: string; relationship?: string },
): Promise<void> {
  await page.goto(`${site.url}/contacts`);
  await page
    .getByRole('button', { name: /Add (Trusted )?Contact/ })
    .first()
    .click();
  await page.getByLabel('Full Name *').fill(contact.name);
  await page.getByLabel('Email Address *').fill(contact.email);
  if (contact.relationship) await page.getByLabel(/Relationship/).fill(contact.relationship);
  await page.getByRole('dialog').getByRole('button', { name: /Add/ }).click();
  await expectToast(page, 'Contact Added');
}

/** Follows the invitation in the outbox and accepts it, as the contact in a browser of their own. */
export async function acceptInvitation(page: Page, site: Installation, email: string): Promise<void> {
  const mail = await site.mailTo(email, /trusted contact/i);
  const link = mail.links.find((address) => address.includes('/trusted-contact-accept/'));
  await page.goto(link ?? '');
  await page.getByRole('button', { name: /Accept/ }).click();
  await expect(page).toHaveURL(/\/trusted-contact-confirmed/);
}

export async function followLink(
  page: Page,
  site: Installation,
  address: string,
  subject: RegExp,
  part: string,
): Promise<string> {
  const mail = await site.mailTo(address, subject);
  const link = mail.links.find((candidate) => candidate.includes(part));
  expect(link, `A link with ${part} in: ${mail.text}`).toBeDefined();
  await page.goto(link ?? '');
  return link ?? '';
}

/** The newest link of this kind that reached an address. */
export async function linkIn(site: Installation, address: string, part: string): Promise<string> {
  const links = (await site.outbox()).filter((mail) => mail.to.address === address).flatMap((mail) => mail.links);
  const found = links.filter((link) => link.includes(part)).at(-1);
  if (!found) throw new Error(`No mail to ${address} holds a link with ${part}.`);
  return found;
}

/** @param options.as a browser whose session the new one shares. */
export async function withoutScripts(browser: Browser, { as }: { as?: BrowserContext } = {}): Promise<Page> {
  const storageState = await as?.storageState();
  const context = await browser.newContext({
    locale: 'en-GB',
    javaScriptEnabled: false,
    ...(storageState ? { storageState } : {}),
  });
  return context.newPage();
}
