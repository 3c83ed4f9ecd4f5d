import type { Locator, Page } from '@playwright/test';
import { enter, sam, settle } from './support/people.ts';
import { expect, test } from './support/test.ts';

function notice(within: Page | Locator, words: string): Locator {
  return within.locator('.toast > div').getByText(words);
}

/** Controls in the window that a notice covers, by their words. */
function covered(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const notice = document.querySelector('.toast')?.getBoundingClientRect();
    if (!notice) return ['there is no notice'];
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
    const controls = (dialog ?? document).querySelectorAll(
      'a[href], button, input, select, textarea, [role=option], h2',
    );
    return [...controls]
      .filter((control) => !control.closest('.toast'))
      .filter((control) => dialog || control.tagName !== 'H2')
      .flatMap((control) => {
        const { top, bottom, left, right, width } = control.getBoundingClientRect();
        const isOver = top < notice.bottom && bottom > notice.top && left < notice.right && right > notice.left;
        // Words that have scrolled out of sight are under nothing.
        const isSeen =
          width > 0 && document.elementsFromPoint((left + right) / 2, (top + bottom) / 2).includes(control);
        return isOver && isSeen ? [control.getAttribute('aria-label') ?? control.textContent ?? control.tagName] : [];
      });
  });
}

for (const width of [320, 1280]) {
  test(`a notice covers no control of a page or a dialog at ${width} pixels`, async ({ page, site }) => {
    await page.setViewportSize({ width, height: 640 });
    await settle(page, site);
    await page.context().clearCookies();
    await enter(page, site, sam);
    await expect(notice(page, 'Logged in successfully')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();
    await expect.poll(() => covered(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
    await expect(notice(page.getByRole('dialog'), 'Logged in successfully')).toBeVisible();
    expect(await covered(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await page.goto(`${site.url}/messages`);
    await page.getByRole('button', { name: 'Create Message' }).click();
    await page.getByLabel('Message Title *').fill('For Nell');
    await page.getByLabel('Recipient Email *').fill('nell@ashworth.example');
    await page.getByLabel('Message Content *').fill('Put the kettle on first.');
    await page.getByRole('button', { name: 'Save & Ready to Send' }).click();
    const sealed = page.getByRole('dialog', { name: /^Sealed for/ });
    await expect(notice(sealed, 'Message Saved')).toBeVisible();
    expect(await covered(page)).toEqual([]);
    await sealed.getByRole('button', { name: 'All messages' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.screenshot({ path: `/tmp/small/notice-${width}.png` });
    expect(await covered(page)).toEqual([]);
  });
}
