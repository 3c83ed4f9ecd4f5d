import { byKeys } from './support/keys.ts';
import { acceptInvitation, addContact, followLink, sam, settle, verify, writeMessage } from './support/people.ts';
import { expect, expectToast, test } from './support/test.ts';

const nell = 'nell@ashworth.example';
const priya = { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' };

test('by keys alone: a newcomer registers, signs in, and writes a letter', async ({ page, site }) => {
  test.slow();
  const keys = byKeys(page);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  await page.goto(site.url);
  await keys.press(page.getByRole('link', { name: /Create|Start/ }).first());
  await expect(page).toHaveURL(/\/register/);
  await keys.type(page.getByLabel('First Name'), sam.firstName);
  await keys.type(page.getByLabel('Last Name'), sam.lastName);
  await keys.type(page.getByLabel('Email'), sam.email);
  await keys.type(page.getByLabel('Password', { exact: true }), sam.password);
  await keys.type(page.getByLabel('Confirm Password', { exact: true }), sam.password);
  await keys.press(button('Create Account'));
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeVisible();
  await verify(page, site, sam);
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

  // Out and in again.
  await page.context().clearCookies();
  await page.goto(`${site.url}/login`);
  await keys.type(page.getByLabel('Email'), sam.email);
  await keys.type(page.getByLabel('Password', { exact: true }), sam.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

  await keys.press(page.getByRole('link', { name: 'Messages', exact: true }).first());
  await expect(page.getByRole('heading', { name: 'Messages', level: 1 })).toBeVisible();
  await keys.press(button('Create Message'));
  await keys.type(page.getByLabel('Message Title *'), 'For Nell, when it is time');
  await keys.type(page.getByLabel('Message Content *'), 'Put the kettle on first.');
  await keys.type(page.getByLabel('Recipient Email *'), nell);
  await keys.press(button('Save & Ready to Send'));
  await expectToast(page, 'Message Saved');
  await keys.press(page.getByRole('dialog', { name: /^Sealed for/ }).getByRole('button', { name: 'All messages' }));
  await keys.press(button('Edit For Nell, when it is time'));
  await expect(page.getByLabel('Message Content *')).toHaveValue('Put the kettle on first.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('by keys alone: a contact is invited and says yes, and their owner says that they are there', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await settle(page, site);
  const keys = byKeys(page);
  await page.goto(`${site.url}/contacts`);
  await keys.press(page.getByRole('button', { name: /Add (Trusted )?Contact/ }).first());
  await keys.type(page.getByLabel('Full Name *'), priya.name);
  await keys.type(page.getByLabel('Email Address *'), priya.email);
  await keys.type(page.getByLabel(/Relationship/), priya.relationship);
  await keys.press(page.getByRole('dialog').getByRole('button', { name: /^Add/ }));
  await expectToast(page, 'Contact Added');

  const contact = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await followLink(contact, site, priya.email, /trusted contact/i, '/trusted-contact-accept/');
  await byKeys(contact).press(contact.getByRole('button', { name: /Accept/ }));
  await expect(contact).toHaveURL(/\/trusted-contact-confirmed/);

  await page.goto(site.url);
  await keys.press(page.getByRole('button', { name: /Check In/i }).first());
  await expectToast(page, 'Check-in');
});

test('by keys alone: a contact confirms a release, and a reader opens the letter', async ({ page, site, browser }) => {
  test.slow();
  await settle(page, site);
  const letter = { title: 'For Nell', content: 'Put the kettle on first.', recipient: nell, visible: true };
  await writeMessage(page, site, letter);
  await addContact(page, site, priya);
  const contact = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await acceptInvitation(contact, site, priya.email);
  await site.everkept('clock', 'advance', '95d');

  await followLink(contact, site, priya.email, /Sam/, '/trusted-contact-admin/');
  const keys = byKeys(contact);
  await keys.type(contact.getByLabel(/Reason/), 'Sam died on 1 September. I was at the funeral.');
  await keys.press(contact.getByRole('button', { name: 'Confirm Message Release' }));
  await keys.type(contact.getByLabel(/Type/), 'SEND');
  await keys.press(contact.getByRole('button', { name: 'Send the messages now' }));
  await expect(contact.getByText('Release Confirmed')).toBeVisible();

  const reader = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  await followLink(reader, site, nell, /Sam/, '/message/');
  await byKeys(reader).press(reader.getByRole('button', { name: 'Open it when you are ready' }));
  await expect(reader.getByText(letter.content)).toBeVisible();
  await byKeys(reader).goTo(reader.getByRole('link', { name: 'Save a copy' }));
});
