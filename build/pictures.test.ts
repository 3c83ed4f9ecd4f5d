import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { previewedPages } from '#web/previewed-pages.ts';
import { pictureSources, previewSize } from './pictures.ts';
import { readmePicture } from './readme-picture.ts';

const publicDir = path.resolve(import.meta.dirname, '../web/public');
const read = (file: string) => readFileSync(path.join(publicDir, file));
/** Width and height of a PNG (third edition, §11.2.1). */
const sizeOf = (file: string) => {
  const png = read(file);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
};

describe('the committed pictures', () => {
  it('are as new as the mark, the words and the dashboard that they show (npm run pictures draws them again)', async () => {
    const drawn = JSON.parse(readFileSync(path.join(import.meta.dirname, 'picture-sources.json'), 'utf8'));
    expect(drawn).toEqual(await pictureSources());
  });

  it('have the dashboard for the README, which names its file', () => {
    expect(readFileSync(path.resolve(publicDir, '../../README.md'), 'utf8')).toContain(`](${readmePicture})`);
    expect(existsSync(path.resolve(publicDir, '../..', readmePicture))).toBe(true);
  });

  it.each(previewedPages)('have a preview for $paths.0, with words that need no escaping', ({ picture, ...words }) => {
    expect(sizeOf(`pictures/${picture}`)).toEqual(previewSize);
    expect(read(`pictures/${picture}`).length).toBeLessThan(100_000);
    expect(`${words.title}${words.description}`).not.toMatch(/[<>&"]/);
  });
});

describe('the manifest', () => {
  const manifest = JSON.parse(read('site.webmanifest').toString());

  it('says what an installed site needs, for icons of any shape', () => {
    expect(manifest).toMatchObject({ name: 'Everkept', short_name: 'Everkept', display: 'standalone' });
    expect([manifest.id, manifest.start_url, manifest.scope]).toEqual(['/', '/', '/']);
    const icons = manifest.icons.map(({ purpose, sizes }: Record<string, string>) => `${purpose} ${sizes}`);
    expect(icons).toEqual(['any 192x192', 'any 512x512', 'maskable 192x192', 'maskable 512x512']);
    for (const { src, sizes } of manifest.icons) {
      const { width, height } = sizeOf(src);
      expect(`${width}x${height}`).toBe(sizes);
    }
  });

  it('has the colours of the page, and no service worker stores anything', () => {
    const page = readFileSync(path.resolve(publicDir, '../index.html'), 'utf8');
    const colours = [...page.matchAll(/name="theme-color" content="([^"]+)"/g)].map(([, colour]) => colour);
    expect([manifest.theme_color, manifest.background_color]).toEqual([colours[0], colours[0]]);
    expect(colours).toHaveLength(2);
    expect(existsSync(path.join(publicDir, 'sw.js'))).toBe(false);
  });
});
