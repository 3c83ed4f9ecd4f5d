import { acceptInvitation, addContact, followLink, settle, withoutScripts, writeMessage } from './support/people.ts';
import { expect, expectToast, test } from './support/test.ts';

const letter = { title: 'For Nell', content: 'Dear Nell,\n\nDad', recipient: 'nell@ashworth.example' };
const priya = { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Sister' };

test('a contact whom the owner chose reads the first weeks after the release, without scripts', async ({
  page,
  site,
  browser,
}) => {
  test.slow();
  await settle(page, site);
  await writeMessage(page, site, letter);
  await addContact(page, site, priya);
  const contact = await withoutScripts(browser);
  await acceptInvitation(contact, site, priya.email);

  await page.goto(`${site.url}/first-weeks/notes`);
  await page.getByLabel('Where the will is').fill('In the safe');
  // Typed text survives a reload before it is saved.
  await expect(async () => {
    page.once('dialog', (dialog) => dialog.accept());
    await page.reload();
    await expect(page.getByLabel('Where the will is')).toHaveValue('In the safe', { timeout: 3_000 });
  }).toPass();
  await page.getByLabel('Whose law to show').selectOption('Scotland');
  await page.getByRole('button', { name: 'Save the notes' }).click();
  await expectToast(page, 'Notes saved');
  await expect(page.getByText('Register within 8 days')).toBeVisible();
  await expect(page.getByText('No contact sees this page yet.')).toBeVisible();

  await page.goto(`${site.url}/contacts`);
  await page.getByRole('button', { name: 'Edit Priya Shah' }).click();
  await page.getByLabel('After a release, show this person my page for the first weeks').check();
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await expectToast(page, 'Contact Updated');

  await site.everkept('clock', 'advance', '98d');
  await followLink(contact, site, priya.email, /tell us what you know/, '/trusted-contact-admin/');
  await contact.getByRole('link', { name: 'Read the page' }).click();
  await expect(contact.getByRole('heading', { level: 1 })).toHaveText('The first weeks');
  await expect(contact.getByText('In the safe')).toBeVisible();
  const pdf = contact.waitForEvent('download');
  await contact.getByRole('link', { name: 'Save as PDF' }).click();
  expect((await pdf).suggestedFilename()).toBe('The first weeks.pdf');
});
