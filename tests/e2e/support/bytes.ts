import type { Page } from '@playwright/test';

/** Highest size of an interactive page at its first visit, compressed. */
export const usedBytesMax = 200_000;

/**
 * Size of a page so far: markup, scripts, styles and typefaces, compressed.
 *
 * @param ending counts only files with this ending.
 */
export function bytesOf(page: Page, ending = ''): Promise<number> {
  return page.evaluate((end) => {
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const counted = loaded.filter(({ name }) => name.endsWith(end)) as PerformanceResourceTiming[];
    return counted.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  }, ending);
}
