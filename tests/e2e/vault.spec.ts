import { acceptInvitation, addContact, leaveSealed, settle, writeMessage } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('an owner writes, finds, edits and deletes messages, and meets the limit of the free plan', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await page.goto(`${site.url}/messages`);
  await expect(page.getByText('No messages yet')).toBeVisible();
  await expectWellMade(page);

  await writeMessage(page, site, {
    title: 'For Nell',
    content: 'Put the kettle on first.',
    recipient: 'nell@ashworth.example',
    save: 'Save as Draft',
  });
  await expect(page.getByText('1 Message')).toBeVisible();
  await writeMessage(page, site, {
    title: 'Where the papers are',
    content: 'In the blue tin.',
    recipient: 'priya@post.example',
  });
  await expect(page.getByText('2 Messages')).toBeVisible();
  await expectWellMade(page);

  await page.getByPlaceholder('Search messages...').fill('BLUE tin');
  await expect(page.getByText('1 Message')).toBeVisible();
  await page.getByPlaceholder('Search messages...').fill('nothing like it');
  await expect(page.getByText('No messages found')).toBeVisible();
  await page.getByPlaceholder('Search messages...').fill('');
  await page.getByRole('button', { name: 'Legal' }).click();
  await expect(page.getByText('No messages found')).toBeVisible();
  await page.getByRole('button', { name: 'All Categories' }).click();

  await page.getByRole('button', { name: 'Create Message' }).click();
  await expectWellMade(page);
  await page.getByLabel('Message Title *').fill('One too many');
  await page.getByLabel('Recipient Email *').fill('tom@post.example');
  await page.getByLabel('Message Content *').fill('This one does not fit.');
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expectToast(page, 'Plan Limit Reached');
  await expect(page.getByLabel('Message Content *')).toHaveValue('This one does not fit.');

  await page.goto(site.url);
  await expect(
    page.getByText("You've reached your plan limits. Upgrade now to continue adding content."),
  ).toBeVisible();

  await page.goto(`${site.url}/messages`);
  await page.getByText('For Nell').first().click();
  await page.getByLabel('Message Title *').fill('For Nell, when it is time');
  await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
  await expectToast(page, 'Message Updated');
  await expectWellMade(page);
  await leaveSealed(page);
  await expect(page.getByText('For Nell, when it is time')).toBeVisible();

  await page.getByRole('button', { name: /Delete.*Where the papers are/ }).click();
  await expect(
    page.getByText('Are you sure you want to delete this message? It is kept for 30 days under Recently deleted.'),
  ).toBeVisible();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /Delete/ })
    .click();
  await expectToast(page, 'Message Deleted');
  await expect(page.getByText('1 Message')).toBeVisible();
});

test('a trusted contact follows the invitation, accepts with a button, and is shown as confirmed', async ({
  page,
  site,
  browser,
}) => {
  await settle(page, site);
  await addContact(page, site, { name: 'Priya Shah', email: 'priya@post.example', relationship: 'Friend' });
  await expectWellMade(page);
  const theirs = await (await browser.newContext()).newPage();
  await acceptInvitation(theirs, site, 'priya@post.example');
  await expectWellMade(theirs);
  await page.reload();
  await expect(page.getByText(/Confirmed|has said yes/i).first()).toBeVisible();
});

test('the dashboard shows where the owner stands, checks in, and changes the release settings', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await expect(page.getByRole('heading', { name: 'We heard from you today.' })).toBeVisible();
  await expect(page.getByText('Free Plan')).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Check In' }).first().click();
  await expectToast(page, 'Check-in successful');

  await page.getByLabel('Inactivity period').selectOption({ label: '180 days' });
  await expect(page.getByText('day 170')).toBeVisible();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expectToast(page, 'Settings Updated');
  await page.getByLabel('Release method').selectOption('trusted_contact');
  await expect(page.getByLabel('Inactivity period')).toBeHidden();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expect(page.getByText(/nothing (could|can|would) ever be released/i)).toBeVisible();
});
