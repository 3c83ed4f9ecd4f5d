import type { Browser, Page } from '@playwright/test';
import type { Installation } from './support/installation.ts';
import {
  acceptInvitation,
  addContact,
  enter,
  followLink,
  type Person,
  sam,
  settle,
  writeMessage,
} from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

const letter = {
  title: 'For Nell, when it is time',
  content: 'Dear Nell,\n\nPut the kettle on first.\n\nDad',
  recipient: 'nell@ashworth.example',
};
const priya: Person = {
  firstName: 'Priya',
  lastName: 'Shah',
  email: 'priya@post.example',
  password: 'nine pears on a shelf',
};

const newPage = async (browser: Browser) => (await browser.newContext({ locale: 'en-GB' })).newPage();

/** Sam with a letter that is ready, and Priya, who has accepted. */
async function prepare(page: Page, site: Installation, browser: Browser): Promise<Page> {
  await settle(page, site);
  await writeMessage(page, site, letter);
  await addContact(page, site, { name: 'Priya Shah', email: priya.email, relationship: 'Sister' });
  const contact = await newPage(browser);
  await acceptInvitation(contact, site, priya.email);
  return contact;
}

async function readsLetter(site: Installation, browser: Browser): Promise<void> {
  const reader = await newPage(browser);
  await followLink(reader, site, letter.recipient, /Sam/, '/message/');
  await reader.getByRole('button', { name: 'Open it when you are ready' }).click();
  await expect(reader.getByRole('heading', { name: letter.title })).toBeVisible();
  await expect(reader.getByText('Put the kettle on first.')).toBeVisible();
}

test('a contact with an account becomes trustee, and releases the messages after 72 hours', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  const contact = await prepare(page, site, browser);
  await settle(contact, site, priya);
  await contact.getByRole('link', { name: 'Trustee Panel' }).click();
  await expect(contact.getByRole('button', { name: /Sam Ashworth/ })).toContainText('Active');
  await expect(contact.getByText('72 hours after you became a trustee')).toBeVisible();
  const trigger = contact.getByRole('button', { name: 'Trigger Message Release' });
  await expect(trigger).toBeDisabled();
  await expectWellMade(contact);

  await site.everkept('clock', 'advance', '4d');
  await contact.reload();
  await expect(trigger).toBeEnabled();
  await contact.getByRole('button', { name: 'Continue Monitoring' }).click();
  await expectToast(contact, 'Monitoring Continues');

  await trigger.click();
  await expectWellMade(contact);
  await contact.getByLabel(/Type/).fill('SEND');
  await contact.getByRole('button', { name: 'Release the messages' }).click();
  // Four days have gone by since Priya signed in.
  await contact.getByLabel('Password', { exact: true }).fill(priya.password);
  await expectWellMade(contact);
  await contact.getByRole('button', { name: 'Go on with the release' }).click();
  await expectToast(contact, 'Message Release Triggered');
  await site.mailTo(sam.email, /delivered in 3 days, unless you check in/);
  await contact.reload();
  await expect(contact.getByText(/We try to reach Sam until .* Then the letters go/)).toBeVisible();
  await expectWellMade(contact);
  await page.goto(site.url);
  await expect(page.getByText(/We try to reach you until/)).toBeVisible();
  await expectWellMade(page);
  expect((await site.outbox()).filter(({ to }) => to.address === letter.recipient)).toEqual([]);

  await site.everkept('clock', 'advance', '4d');
  await readsLetter(site, browser);
});

test('a trustee who was switched off sees nothing any more', async ({ page, site, browser }) => {
  test.slow();
  const contact = await prepare(page, site, browser);
  await settle(contact, site, priya);
  await contact.goto(`${site.url}/trustee`);
  await expect(contact.getByText('Ready to send')).toBeVisible();

  await page.goto(`${site.url}/contacts`);
  await page.getByRole('button', { name: /Edit/ }).click();
  await page.getByLabel('Ask this person when a release is due').uncheck();
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await expectToast(page, 'Contact Updated');

  await contact.reload();
  await expect(contact.getByText(/Your role has ended/)).toBeVisible();
  await expect(contact.getByRole('button', { name: 'Trigger Message Release' })).toHaveCount(0);
  await expect(contact.getByRole('link', { name: 'Trustee Panel' })).toHaveCount(0);
  await expectWellMade(contact);
});

test('an emergency: the contact gets a link and confirms, and the letter goes out', async ({ page, site, browser }) => {
  test.slow();
  const contact = await prepare(page, site, browser);
  await site.everkept('clock', 'advance', '4d');

  await contact.goto(`${site.url}/emergency-activation`);
  await contact.getByRole('button', { name: 'Send the request' }).click();
  await expect(contact.getByText('Please provide a detailed reason (at least 10 characters)')).toBeVisible();
  await expectWellMade(contact);
  await contact.getByLabel('Account holder’s email *').fill(sam.email);
  await contact.getByLabel('Your email *').fill(priya.email);
  await contact.getByLabel('Your full name *').fill('Priya Shah');
  await contact.getByLabel('Reason *').fill('Sam had an accident on Friday and is not waking up.');
  await contact.getByRole('button', { name: 'Send the request' }).click();
  await expect(contact.getByRole('heading', { name: 'Emergency Activation Request Submitted' })).toBeVisible();
  await expectWellMade(contact);

  const told = await site.mailTo(sam.email, /somebody asked for your messages to be released/);
  expect(told.text.replace(/\s+/g, ' ')).toContain('Sam had an accident on Friday');
  await followLink(contact, site, priya.email, /please tell us what you know/, '/trusted-contact-admin/');
  await contact.getByLabel(/Reason/).fill('I am with the family.');
  await contact.getByRole('button', { name: 'Confirm Message Release' }).click();
  await contact.getByLabel(/Type/).fill('SEND');
  await expect(contact.getByText(/We try to reach Sam for 3 days first/).first()).toBeVisible();
  await contact.getByRole('button', { name: 'Confirm the release' }).click();
  await expect(contact.getByText('Release Confirmed')).toBeVisible();
  await expect(contact.getByText(/Then the letters go/)).toBeVisible();
  await expectWellMade(contact);
  expect((await site.outbox()).filter(({ to }) => to.address === letter.recipient)).toEqual([]);
  await site.everkept('clock', 'advance', '4d');
  await readsLetter(site, browser);
});

test('an emergency is over once the owner signs in: the link is dead', async ({ page, site, browser }) => {
  test.slow();
  const contact = await prepare(page, site, browser);
  await site.everkept('clock', 'advance', '4d');
  const body = {
    userEmail: sam.email,
    contactEmail: priya.email,
    contactName: 'Priya Shah',
    reason: 'Sam had an accident on Friday.',
  };
  const answer = await fetch(`${site.url}/api/emergency-activate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(202);
  const portal = await followLink(
    contact,
    site,
    priya.email,
    /please tell us what you know/,
    '/trusted-contact-admin/',
  );
  await page.context().clearCookies();
  await enter(page, site, sam);
  await expect(page.getByRole('heading', { name: 'Welcome back, Sam.' })).toBeVisible();
  await contact.goto(portal);
  await expect(contact.getByText('Access Error')).toBeVisible();
  expect((await site.outbox()).filter(({ to }) => to.address === letter.recipient)).toEqual([]);
});
