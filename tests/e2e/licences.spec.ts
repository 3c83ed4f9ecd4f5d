import { expect, test } from './support/test.ts';

test.use({ javaScriptEnabled: false });

test('the page of licences is read without scripts, in both themes and on a narrow phone', async ({ page, site }) => {
  await page.goto(site.url);
  await page.getByRole('navigation', { name: 'Footer' }).getByRole('link', { name: 'Licences' }).click();
  await expect(page).toHaveURL(`${site.url}/licences`);
  await expect(page.getByRole('heading', { level: 1, name: 'Licences' })).toBeVisible();
  await page.getByText('GNU Lesser General Public License, version 3', { exact: true }).click();
  await expect(page.getByText('GNU LESSER GENERAL PUBLIC LICENSE Version 3')).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [320, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.locator('html').evaluate((html) => html.scrollWidth > html.clientWidth);
      expect(wide).toBe(false);
      if (process.env.LICENCE_SHOTS)
        await page.screenshot({ path: `${process.env.LICENCE_SHOTS}/l-${colorScheme}-${width}.png` });
    }
  }
});
