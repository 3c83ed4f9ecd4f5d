import type { Page } from '@playwright/test';

/** What a page may cost that is to be used, whose readers have one like it for the first time, compressed. */
export const usedBytesMax = 200_000;

/** What a page has cost so far: markup, scripts, styles and typefaces, compressed. @param ending counts only files that end so. */
export function bytesOf(page: Page, ending = ''): Promise<number> {
  return page.evaluate((end) => {
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const counted = loaded.filter(({ name }) => name.endsWith(end)) as PerformanceResourceTiming[];
    return counted.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  }, ending);
}
