import { describe, expect, it } from 'vitest';
import type { PrerenderedPage } from '#web/prerender.tsx';
import { readyHtml } from './prerender.ts';

const template =
  '<head><title>Everkept</title><meta name="description" content="Words" /><meta property="og:title" content="Everkept" /><meta property="og:description" content="Words" /><meta property="og:image" content="__ORIGIN__/a.png" /></head><body><div id="root"></div></body>';
const fonts = ['newsreader-roman', 'source-sans-3'].map((name) => [
  `fonts/${name}.woff2`,
  { file: `assets/${name}.woff2` },
]);
const manifest = {
  ...Object.fromEntries(fonts),
  'index.html': { file: 'assets/index.js', css: ['assets/index.css'] },
  'pages/faq.tsx': { file: 'assets/faq.js', imports: ['_reading.js', 'index.html'] },
  '_reading.js': { file: 'assets/reading.js', css: ['assets/reading.css'] },
};
const page: PrerenderedPage = {
  name: 'faq',
  paths: ['/faq'],
  source: 'pages/faq.tsx',
  title: 'Questions – Everkept',
  markup: '<main>It costs $& more</main>',
};

describe('a page that is sent ready to read', () => {
  it('has its words, its name, and the styles it needs beyond those of every page; and no script', () => {
    const html = readyHtml({ page, template, manifest });
    expect(html).toContain('<title>Questions – Everkept</title>');
    expect(html).toMatch(/name="description" content="What happens when you stop answering[^"]+"/);
    expect(html).toContain('property="og:title" content="Frequently asked questions"');
    expect(html).toContain('property="og:image" content="__ORIGIN__/pictures/preview-faq.png"');
    expect(html).toContain('<div id="root" data-page="faq"><main>It costs $& more</main></div>');
    expect(html.match(/[\w-]+\.css/g)).toEqual(['reading.css']);
    expect(html).not.toContain('.js');
  });

  it('is refused where it has a style attribute', () => {
    const styled = { ...page, markup: '<main style="color:red">Words</main>' };
    expect(() => readyHtml({ page: styled, template, manifest })).toThrow('The page faq has a style attribute');
  });

  it('is refused where the template lacks the place for it', () => {
    expect(() => readyHtml({ page, template: '<head></head>', manifest })).toThrow('The page template lacks');
  });
});
