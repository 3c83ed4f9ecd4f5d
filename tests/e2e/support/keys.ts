import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';

/** Highest number of Tab presses to find a button. */
const tabsMax = 90;

/** A person without a mouse: moves by Tab, and always sees the focus. */
export function byKeys(page: Page) {
  async function goTo(target: Locator): Promise<void> {
    await target.waitFor({ state: 'attached' });
    for (let presses = 0; presses < tabsMax; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) {
        await expectSeen(target);
        return;
      }
      await page.keyboard.press('Tab');
    }
    const where = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
    throw new Error(`${target} is not come to by ${tabsMax} presses of Tab; the last was at ${where}.`);
  }

  return {
    goTo,
    async type(target: Locator, words: string) {
      await goTo(target);
      await page.keyboard.type(words);
    },
    async press(target: Locator, key: 'Enter' | 'Space' = 'Enter') {
      await goTo(target);
      await page.keyboard.press(key);
    },
  };
}

/** The focused element is visible, and not covered. */
async function expectSeen(target: Locator): Promise<void> {
  const hidden = () =>
    target.evaluate((element) => {
      // A box or a file is drawn by its label; the field itself is nowhere to be seen.
      const shown = getComputedStyle(element).opacity === '0' ? (element.closest('label') ?? element) : element;
      const { left, top, width, height } = shown.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + Math.min(height / 2, 20)];
      if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return `outside of the screen (${x}, ${y})`;
      const above = document.elementFromPoint(x, y);
      const isSeen =
        above !== null && (shown.contains(above) || above.contains(shown) || above.matches('label, label *'));
      return isSeen ? '' : `under ${above?.outerHTML.slice(0, 120)}`;
    });
  await expect.poll(hidden, { message: `${target} has the focus` }).toBe('');
}
