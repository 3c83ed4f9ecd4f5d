import { sam, settle, writeMessage } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('an owner deletes the account, restores it, deletes it again, and 31 days later it is gone', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await writeMessage(page, site, { title: 'Still here', content: 'Words', recipient: 'nell@family.example' });
  const remove = async () => {
    await page.goto(`${site.url}/data-export`);
    await page.getByLabel(/I understand that my account/).check();
    await page.getByRole('button', { name: 'Delete My Account' }).click();
    await expectToast(page, 'Account Deleted');
    await expect(page).toHaveURL(`${site.url}/`);
    await expect(page.getByRole('heading', { name: 'Your Digital Legacy, Protected Forever' })).toBeVisible();
  };
  const signIn = async () => {
    await page.goto(`${site.url}/login`);
    await page.getByLabel('Email').fill(sam.email);
    await page.getByLabel('Password', { exact: true }).fill(sam.password);
    await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  };

  await page.goto(`${site.url}/data-export`);
  await expectWellMade(page);
  await remove();
  await signIn();
  await expect(page.getByRole('heading', { name: 'Your account is being deleted' })).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Restore my account' }).click();
  await expectToast(page, 'Account Restored');
  await page.goto(`${site.url}/messages`);
  await expect(page.getByText('Still here')).toBeVisible();

  await remove();
  const mail = await site.mailTo(sam.email, /will be deleted/);
  expect(mail.text).toContain('Restore my');
  await site.everkept('clock', 'advance', '31d');
  await signIn();
  await expectToast(page, 'Login Failed');
});
