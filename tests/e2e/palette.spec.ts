import { settle, writeMessage } from './support/people.ts';
import { expect, expectWellMade, test } from './support/test.ts';

const letter = {
  title: 'For Zoë, when it is time',
  content: 'Put the kettle on first.',
  recipient: 'zoe@post.example',
};

test('an owner finds a letter in the palette, writes by a key, and turns the keys off', async ({ page, site }) => {
  await settle(page, site);
  await writeMessage(page, site, letter);
  const find = page.getByRole('button', { name: 'Find', exact: true });
  const palette = page.getByRole('dialog', { name: 'Find' });
  const field = palette.getByRole('combobox');
  await expect(find).toContainText('Ctrl K');

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expectWellMade(page);
  await page.keyboard.type('zoe time');
  await expect(palette.getByRole('option')).toHaveCount(3);
  await expectWellMade(page);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Message Title *')).toHaveValue(letter.title);
  // In a field the keys are letters.
  await page.getByLabel('Message Title *').fill('');
  await page.keyboard.type('n/?');
  await expect(page.getByLabel('Message Title *')).toHaveValue('n/?');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard it' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await find.click();
  await expect(field).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(find).toBeFocused();

  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search messages' })).toBeFocused();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await expect(keys.getByText('Write a new letter')).toBeVisible();
  await expectWellMade(page);
  await page.keyboard.press('Escape');

  await page.goto(`${site.url}/privacy`);
  await page.getByRole('checkbox', { name: 'Use these keys' }).uncheck();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('n');
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(`${site.url}/privacy`);
  await expect(find).not.toContainText('Ctrl K');
  await expectWellMade(page);

  // On a phone the palette is in the menu.
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByText('Menu', { exact: true }).click();
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('button', { name: 'Find' }).click();
  await expect(field).toBeFocused();
});
