import { settle, writeMessage } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('a letter that was deleted by mistake is back with one press, or weeks later from its own page', async ({
  page,
  site,
}) => {
  await settle(page, site);
  await writeMessage(page, site, { title: 'For Tom', content: 'The boat.', recipient: 'tom@example.com' });
  const remove = async () => {
    await page
      .getByRole('button', { name: /Delete/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete the message' }).click();
    await expectToast(page, 'Message Deleted');
    await expect(page.getByRole('heading', { name: '0 Messages' })).toBeVisible();
  };
  await remove();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'Taken Back');
  await expect(page.getByRole('heading', { name: '1 Message' })).toBeVisible();

  await remove();
  await page.getByRole('link', { name: 'Recently deleted' }).click();
  await expect(page.getByRole('heading', { name: 'Recently deleted', level: 1 })).toBeVisible();
  await expect(page.getByText(/^Message, deleted on/)).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Take it back: For Tom' }).click();
  await expect(page.getByText('You have deleted nothing lately.')).toBeVisible();
  await page.goto(`${site.url}/messages`);
  await expect(page.getByRole('heading', { name: '1 Message' })).toBeVisible();
});

test('a letter is kept for 30 days, and deleted permanently only from its own page', async ({ page, site }) => {
  await settle(page, site);
  await writeMessage(page, site, { title: 'For Tom', content: 'The boat.', recipient: 'tom@example.com' });
  await page
    .getByRole('button', { name: /Delete/ })
    .first()
    .click();
  const kept = 'It is kept for 30 days under Recently deleted.';
  await expect(page.getByText(`Are you sure you want to delete this message? ${kept}`)).toBeVisible();
  await expectWellMade(page);
  await page.getByRole('button', { name: 'Delete the message' }).click();
  await expectToast(page, kept);
  await page.getByRole('link', { name: 'Recently deleted' }).click();
  await page.getByRole('button', { name: 'Delete for good: For Tom' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText('This action cannot be undone.')).toBeVisible();
  await expectWellMade(page);
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await expectToast(page, 'The message has been permanently deleted.');
  await expect(page.getByText('You have deleted nothing lately.')).toBeVisible();
});
