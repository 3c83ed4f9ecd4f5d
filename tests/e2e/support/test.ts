import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import type { Installation } from './installation.ts';
import { startCopy } from './ready-made.ts';
import { translatePage } from './translated.ts';

/** A journey gets an Everkept of its own, and fails when a page complains in the console or breaks the policy. */
export const test = base.extend<{
  site: Installation;
  quietConsole: undefined;
  mayComplain: RegExp | undefined;
  isTranslated: boolean;
}>({
  /** True if the browser translates each page of the journey. The projects set it. */
  isTranslated: [false, { option: true }],
  /** Console messages that a journey about a failure expects. */
  mayComplain: [undefined, { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a function needs from this pattern.
  site: async ({}, use) => {
    const site = await startCopy();
    await use(site);
    await site.stop();
  },
  quietConsole: [
    // Ends before the server does, because pages of a stopped installation would log errors.
    async ({ context, browser, mayComplain, isTranslated, site: _ }, use) => {
      const complaints: string[] = [];
      const watch = (page: Page) => {
        page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
        page.on('console', (message) => {
          // A refused call is an answer that the page shows; the browser logs it as an error all the same.
          const isAnswer = message.text().startsWith('Failed to load resource');
          // Said by a page that is left while it still reads, as theirs are at the end of a journey.
          const isLeft =
            page.context() !== context &&
            message.text().startsWith('The session could not be read. ApiError: We could not reach');
          if (message.type() === 'error' && !isAnswer && !isLeft) complaints.push(`${page.url()}: ${message.text()}`);
        });
        page.on('request', (request) => {
          const { hostname, protocol } = new URL(request.url());
          if (protocol.startsWith('http') && hostname !== 'localhost') complaints.push(`A page asked ${hostname}`);
        });
      };
      context.on('page', watch);
      if (isTranslated) await context.addInitScript(translatePage);
      for (const page of context.pages()) watch(page);
      // Contacts and readers have browsers of their own.
      const newContext = browser.newContext.bind(browser);
      browser.newContext = async (...given) => {
        const other = await newContext(...given);
        other.on('page', watch);
        if (isTranslated) await other.addInitScript(translatePage);
        return other;
      };
      await use(undefined);
      browser.newContext = newContext;
      expect(complaints.filter((complaint) => !mayComplain?.test(complaint))).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

const themes = ['light', 'dark'] as const;
const colourRules = ['color-contrast', 'link-in-text-block'];
/** In place of axe's half a megabyte of source, on a page that has just run it. */
const isThereAlready = 'void 0';

/** No violation of any axe rule in either theme, and nothing that makes the page scroll sideways at 320 pixels. */
export async function expectWellMade(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  for (const theme of themes) {
    await page.evaluate((name) => {
      document.documentElement.classList.remove('light', 'dark');
      document.documentElement.classList.add(name);
    }, theme);
    const isFirst = theme === themes[0];
    const axe = new AxeBuilder(isFirst ? { page } : { page, axeSource: isThereAlready });
    // Without frames the page itself tells everything, and no second page has to be opened to put it together.
    axe.setLegacyMode(page.frames().length === 1);
    // Colours are all that a theme changes, so they are all that is looked at twice.
    if (!isFirst) axe.withRules(colourRules);
    const { violations } = await axe.analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
    expect(found, `${page.url()} in ${theme}`).toEqual([]);
  }
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 720 });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${page.url()} at 320 pixels`).toBeLessThanOrEqual(0);
  if (before) await page.setViewportSize(before);
}

/** Waits for a toast that says this. The text stands a second time in a live region that only screen readers meet. */
export async function expectToast(page: Page, words: string): Promise<void> {
  await expect(page.locator('.toast', { hasText: words })).toBeVisible();
}
