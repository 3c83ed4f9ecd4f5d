// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { prerenderPages } from '#web/prerender.tsx';

const prerendered = await prerenderPages();

describe('pages that are ready to read', () => {
  it.each(prerendered.map((page) => [page.name, page] as const))('%s reads without scripts', (name, { markup }) => {
    document.body.innerHTML = markup;
    expect(document.querySelectorAll('[style], [hidden], script')).toHaveLength(0);
    expect(document.querySelectorAll('h1')).toHaveLength(1);
    expect(document.querySelector('main')?.textContent?.length).toBeGreaterThan(1_000);
    if (name !== 'landing') expect(document.querySelector('header.head')).toBeTruthy();
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    expect(new Set(ids).size, 'every id is there once').toBe(ids.length);
    document.body.innerHTML = '';
  });

  it('holds every part behind tabs, and every answer', () => {
    const wordsOf = (name: string) => prerendered.find((page) => page.name === name)?.markup ?? '';
    for (const title of ['Messages', 'Documents', 'Trusted Contacts', 'Security &amp; Privacy']) {
      expect(wordsOf('user-guide')).toContain(`<h2>${title}</h2>`);
    }
    for (const title of ['Encryption', 'Infrastructure', 'Compliance', 'Global Access']) {
      expect(wordsOf('security')).toContain(`<h2>${title}</h2>`);
    }
    expect(wordsOf('faq')).toContain('A file in this vault is not a valid will');
  });

  it('stands at every address that it names, once', () => {
    const paths = prerendered.flatMap((page) => page.paths);
    expect(paths.toSorted()).toEqual([
      '/',
      '/faq',
      '/first-week',
      '/integrations',
      '/privacy',
      '/privacy-policy',
      '/security',
      '/user-guide',
    ]);
  });
});
