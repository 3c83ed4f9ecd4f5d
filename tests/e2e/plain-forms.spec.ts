import { withDatabaseOf } from '#tests/support/visitor.ts';
import type { Installation } from './support/installation.ts';
import {
  acceptInvitation,
  addContact,
  linkIn,
  register,
  sam,
  settle,
  withoutScripts,
  writeMessage,
} from './support/people.ts';
import { expect, test } from './support/test.ts';

const nell = 'nell@ashworth.example';
const newNell = 'nell@new.example';
const priya = { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' };
const tom = { name: 'Tom Vane', email: 'tom@post.example', relationship: 'Brother' };

const mailsTo = async (site: Installation, address: string) =>
  (await site.outbox()).filter(({ to }) => to.address === address).length;

/** Waits for a mail to this address with a link of this kind. */
async function arrivingLink(site: Installation, address: string, part: string): Promise<string> {
  await expect.poll(() => linkIn(site, address, part).catch(() => null)).not.toBeNull();
  return linkIn(site, address, part);
}

test('a contact without scripts asks for an early release, and keeps the typed text after a mistake', async ({
  page,
  site,
  browser,
}) => {
  await settle(page, site);
  await writeMessage(page, site, { title: 'For Nell', content: 'Put the kettle on.', recipient: nell });
  await addContact(page, site, priya);
  await acceptInvitation(page, site, priya.email);
  // No request counts in the name of a contact who has accepted within 72 hours.
  await site.everkept('clock', 'advance', '4d');
  const contact = await withoutScripts(browser);
  await contact.goto(`${site.url}/emergency-activation`);
  await expect(contact).toHaveTitle('Emergency Activation – Everkept');
  await contact.getByLabel(/Account holder’s email/).fill(sam.email);
  await contact.getByLabel(/Your email/).fill(priya.email);
  await contact.getByLabel(/Your full name/).fill(priya.name);
  await contact.getByLabel(/Reason/).fill('Too short');
  await contact.getByRole('button', { name: 'Send the request' }).click();
  await expect(contact).toHaveTitle('Error: Emergency Activation – Everkept');
  await expect(contact.getByText('Please provide a detailed reason (at least 10 characters)')).toBeVisible();
  await expect(contact.getByLabel(/Account holder’s email/)).toHaveValue(sam.email);
  await expect(contact.getByLabel(/Reason/)).toHaveValue('Too short');
  await contact.getByLabel(/Reason/).fill('Sam died on 1 September. I was at the funeral.');
  await contact.getByRole('button', { name: 'Send the request' }).click();
  await expect(contact.getByRole('heading', { level: 1 })).toHaveText('Emergency Activation Request Submitted');
  await contact.goto(await arrivingLink(site, priya.email, '/trusted-contact-admin/'));
  await expect(contact.getByRole('button', { name: 'Confirm Message Release' })).toBeVisible();
});

test('a newcomer without scripts registers, and keeps the typed text after a mistake', async ({ site, browser }) => {
  const newcomer = await withoutScripts(browser);
  await newcomer.goto(`${site.url}/register?plan=essential`);
  await expect(newcomer).toHaveTitle('Create your account – Everkept');
  await expect(newcomer.getByLabel('Plan', { exact: true })).toHaveValue('essential');
  await newcomer.getByLabel('First Name').fill(sam.firstName);
  await newcomer.getByLabel('Email').fill(sam.email);
  await newcomer.getByLabel('Password', { exact: true }).fill(sam.password);
  await newcomer.getByLabel('Confirm Password', { exact: true }).fill(sam.password);
  await newcomer.getByLabel('Plan', { exact: true }).selectOption('premium');
  await newcomer.getByRole('button', { name: 'Create Account' }).click();
  await expect(newcomer).toHaveTitle('Error: Create your account – Everkept');
  await expect(newcomer.getByText('Last name is required')).toBeVisible();
  await expect(newcomer.getByLabel('First Name')).toHaveValue(sam.firstName);
  await expect(newcomer.getByLabel('Plan', { exact: true })).toHaveValue('premium');
  await expect(newcomer.getByLabel('Password', { exact: true })).toHaveValue('');
  await newcomer.getByLabel('Last Name').fill(sam.lastName);
  await newcomer.getByLabel('Password', { exact: true }).fill(sam.password);
  await newcomer.getByLabel('Confirm Password', { exact: true }).fill(sam.password);
  await newcomer.getByRole('button', { name: 'Create Account' }).click();
  await expect(newcomer.getByRole('heading', { level: 1 })).toHaveText('Check Your Email');
  await newcomer.goto(await arrivingLink(site, sam.email, '/api/verify-email'));
  await expect(newcomer.getByRole('heading', { name: 'Your vault needs scripts' })).toBeVisible();
});

test('a person without scripts or an account complains, and reads the reference', async ({ page, site, browser }) => {
  const nellAmes = await withoutScripts(browser);
  await nellAmes.goto(`${site.url}/complaint`);
  await nellAmes.getByLabel(/Your name/).fill('Nell Ames');
  await nellAmes.getByLabel(/Your email/).fill(nell);
  await nellAmes.getByLabel(/What is wrong/).fill('Bad');
  await nellAmes.getByRole('button', { name: 'Send the complaint' }).click();
  await expect(nellAmes).toHaveTitle('Error: Complain about the use of your data – Everkept');
  await expect(nellAmes.getByText('Please tell us what is wrong (at least 10 characters)')).toBeVisible();
  await expect(nellAmes.getByLabel(/Your name/)).toHaveValue('Nell Ames');
  await expect(nellAmes.getByLabel(/What is wrong/)).toHaveValue('Bad');
  await nellAmes.getByLabel(/What is wrong/).fill('You hold an old address of mine.');
  await nellAmes.getByRole('button', { name: 'Send the complaint' }).click();
  await expect(nellAmes.getByRole('heading', { level: 1 })).toHaveText('We have your complaint');
  await expect(nellAmes.getByText(/^EK-/)).toBeVisible();
  await expect.poll(() => mailsTo(site, nell)).toBe(1);
  // A signed-in person need not type the name and the address again.
  await settle(page, site);
  const owner = await withoutScripts(browser, { as: page.context() });
  await owner.goto(`${site.url}/complaint`);
  await expect(owner.getByLabel(/Your email/)).toHaveValue(sam.email);
});

test('the owner of an expired verification link asks for a new one without scripts', async ({
  page,
  site,
  browser,
}) => {
  await register(page, site, sam);
  const expired = await linkIn(site, sam.email, '/api/verify-email');
  await site.everkept('clock', 'advance', '25h');
  const owner = await withoutScripts(browser);
  await owner.goto(expired);
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('This link has expired');
  const before = await mailsTo(site, sam.email);
  await owner.reload();
  expect(await mailsTo(site, sam.email)).toBe(before);
  await owner.getByRole('button', { name: 'Send a new link' }).click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Check Your Email');
  await expect.poll(() => mailsTo(site, sam.email)).toBe(before + 1);
  const [fresh] = (await site.outbox()).filter(({ to }) => to.address === sam.email);
  await owner.goto(fresh?.links.find((link) => link.includes('/api/verify-email')) ?? '');
  await expect(owner.getByRole('heading', { name: 'Your vault needs scripts' })).toBeVisible();
  // Selectors of text ignore `noscript`.
  const shell = await (await owner.request.get(owner.url())).text();
  expect(shell).toContain('the link that verifies your address');
  expect(owner.url()).toBe(`${site.url}/?verified=true`);
});

test('a signed-in person without scripts confirms that the mailbox is theirs', async ({ page, site, browser }) => {
  await settle(page, site);
  // The verification link, opened where the account was made, has proved it already.
  await withDatabaseOf(site.dataDir, (client) => client.query('update users set mailbox_proven_at = null'));
  expect(
    (await page.request.post(`${site.url}/api/user/mailbox-proof`, { headers: { origin: site.url } })).status(),
  ).toBe(200);
  const link = await arrivingLink(site, sam.email, '/confirm-mailbox/');
  const stranger = await withoutScripts(browser);
  await stranger.goto(link);
  await expect(stranger.getByText('Nobody is signed in here.')).toBeVisible();
  const owner = await withoutScripts(browser, { as: page.context() });
  await owner.goto(link.replace(/.$/, 'x'));
  await owner.getByRole('button', { name: 'Yes, both are mine' }).click();
  await expect(owner.getByRole('alert')).toBeVisible();
  await owner.goto(link);
  await expect(owner.getByText(`You are signed in as ${sam.email}`)).toBeVisible();
  await owner.getByRole('button', { name: 'Yes, both are mine' }).click();
  await expect(owner.getByRole('status')).toContainText('belong to the same person');
});

test('the practice checkout works without scripts', async ({ page, site, browser }) => {
  await settle(page, site);
  await page.goto(`${site.url}/subscribe?plan=essential`);
  await page.getByRole('button', { name: 'Subscribe to Essential' }).click();
  await expect(page.getByRole('heading', { name: 'Essential, every month' })).toBeVisible();
  const buyer = await withoutScripts(browser);
  await buyer.goto(page.url());
  await buyer.getByLabel(/ending in 0002/).check();
  await buyer.getByRole('button', { name: /^Pay £4.99/ }).click();
  await expect(buyer.getByRole('alert')).toBeVisible();
  await expect(buyer.getByLabel(/ending in 0002/)).toBeChecked();
  await buyer.getByLabel(/ending in 4242/).check();
  await buyer.getByRole('button', { name: /^Pay £4.99/ }).click();
  await expect(buyer.getByText('Paid in the sandbox. No money has moved.')).toBeVisible();
  await expect(buyer.getByRole('link', { name: 'Go on' })).toHaveAttribute('href', '/account?payment=returned');
  await buyer.goto(page.url());
  await expect(buyer.getByRole('heading', { name: 'This has been paid already' })).toBeVisible();
  await page.goto(`${site.url}/account`);
  await expect(page.getByRole('region', { name: 'Billing information' }).getByText('£4.99 a month')).toBeVisible();
});

test('two contacts without scripts send an unopened letter to another address', async ({ page, site, browser }) => {
  test.slow();
  await settle(page, site);
  await writeMessage(page, site, { title: 'For Nell', content: 'Put the kettle on.', recipient: nell, visible: true });
  for (const contact of [priya, tom]) {
    await page.goto(`${site.url}/contacts`);
    await addContact(page, site, contact);
    await acceptInvitation(page, site, contact.email);
  }
  await site.everkept('clock', 'advance', '95d');
  const first = await withoutScripts(browser);
  await first.goto(await arrivingLink(site, priya.email, '/trusted-contact-admin/'));
  await first.getByLabel(/Reason/).fill('Sam died on 1 September. I was at the funeral.');
  await first.getByRole('button', { name: 'Confirm Message Release' }).click();
  await first.getByLabel(/Type/).fill('SEND');
  await first.getByRole('button', { name: 'Send the messages now' }).click();
  await expect.poll(() => mailsTo(site, nell)).toBe(1);
  await site.everkept('clock', 'advance', '31d');

  await first.goto(await arrivingLink(site, priya.email, '/new-address/'));
  await first.getByLabel(/Another address/).fill('nell at new');
  await first.getByLabel(/How do you know/).fill('She wrote to me from it.');
  await first.getByRole('button', { name: 'Look at it once more' }).click();
  // A mistake keeps the typed text.
  await expect(first.getByLabel(/How do you know/)).toHaveValue('She wrote to me from it.');
  await first.getByLabel(/Another address/).fill(newNell);
  await first.getByRole('button', { name: 'Look at it once more' }).click();
  await expect(first.getByRole('heading', { name: 'Is this the right person?' })).toBeVisible();
  await first.getByRole('button', { name: 'Propose this address' }).click();
  await expect(first.getByRole('status')).toContainText(newNell);
  await expect(first.getByRole('button', { name: 'Take it back' })).toBeVisible();

  const second = await withoutScripts(browser);
  await second.goto(await arrivingLink(site, tom.email, '/new-address/'));
  await second.getByRole('button', { name: 'I know this address too' }).click();
  await expect(second.getByRole('heading', { name: 'Send it there now?' })).toBeVisible();
  expect(await mailsTo(site, newNell)).toBe(0);
  await second.getByRole('button', { name: 'Agree and send' }).click();
  await expect.poll(() => mailsTo(site, newNell)).toBe(1);
  await second.goto(await arrivingLink(site, newNell, '/message/'));
  await expect(second.getByRole('button', { name: 'Open it when you are ready' })).toBeVisible();
});
