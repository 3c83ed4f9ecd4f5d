import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ensureWebBuild } from '#build/build.ts';
import type { Figure } from './figure.ts';

const goalKb = 90;

/** What the landing page loads before it can be used: its own markup, scripts and styles, gzipped; fonts aside. */
export async function sizeFigures(): Promise<Figure[]> {
  const distDir = await ensureWebBuild({ log: () => {} });
  const html = await readFile(join(distDir, 'landing.html'));
  const addresses = [...html.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, address]) => address ?? '',
  );
  const sizes = { markup: gzipSync(html).length, script: 0, style: 0 };
  for (const address of new Set(addresses)) {
    const bytes = gzipSync(await readFile(join(distDir, address))).length;
    sizes[address.endsWith('.css') ? 'style' : 'script'] += bytes;
  }
  const total = (sizes.script + sizes.style + sizes.markup) / 1000;
  return [
    {
      what: 'landing page: script + style + markup, gzip',
      figure: `${total.toFixed(1)} kB`,
      goal: `≤ ${goalKb} kB`,
      met: total <= goalKb,
    },
    {
      what: '  of these script, style, markup',
      figure: [sizes.script, sizes.style, sizes.markup].map((size) => `${(size / 1000).toFixed(1)} kB`).join(', '),
    },
  ];
}
