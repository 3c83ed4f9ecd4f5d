import { describe, expect, it } from 'vitest';
import { namedByContent } from './named-by-content.ts';

const container = (...brands: string[]) =>
  `\0\0\0${String.fromCharCode(12 + brands.length * 4)}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}more`;
const fileOf = (content: string, name: string, type = 'image/jpeg') =>
  new File([Uint8Array.from(content, (letter) => letter.charCodeAt(0))], name, { type });

describe('A chosen picture', () => {
  it.each([
    ['HEIC', container('heic', 'mif1'), 'IMG_0042.JPG', 'IMG_0042.heic', 'image/heic'],
    ['HEIC of another brand', container('mif1', 'heic'), 'a.jpg', 'a.heic', 'image/heic'],
    ['AVIF', container('avif', 'mif1'), 'a.jpg', 'a.avif', 'image/avif'],
    ['AVIF of another brand', container('mif1', 'avif'), 'a.heic', 'a.avif', 'image/avif'],
    ['WebP', 'RIFF\0\0\0\0WEBPVP8 ', 'a.jpg', 'a.webp', 'image/webp'],
    ['PNG', '\x89PNG\r\n\x1a\n', 'a.b.jpeg', 'a.b.png', 'image/png'],
    ['JPEG', '\xff\xd8\xff\xe0', 'a.heic', 'a.jpg', 'image/jpeg'],
    ['GIF', 'GIF89a', 'a.jpg', 'a.gif', 'image/gif'],
  ])('that is %s gets the ending and type of its content', async (_kind, content, name, newName, type) => {
    const named = await namedByContent(fileOf(content, name));
    expect([named.name, named.type, named.size]).toEqual([newName, type, content.length]);
  });

  it.each([
    ['a JPEG of Windows', '\xff\xd8\xff\xe0', 'a.jfif'],
    ['a file that nothing tells', 'hello', 'a.jpg'],
    ['an empty file', '', 'a.jpg'],
    ['a video', container('isom', 'mp42'), 'a.jpg'],
  ])('stays as it is if it is %s', async (_what, content, name) => {
    const file = fileOf(content, name);
    expect(await namedByContent(file)).toBe(file);
  });

  it('gets its type by its content if the browser does not know its ending', async () => {
    const named = await namedByContent(fileOf('\xff\xd8\xff\xe0', 'a.jfif', ''));
    expect([named.name, named.type]).toEqual(['a.jfif', 'image/jpeg']);
  });
});
