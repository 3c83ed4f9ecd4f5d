import { describe, expect, it } from 'vitest';
import { sealedSegmentBytes } from '#shared/rules/letters/sealed-envelope.ts';
import { openEnvelope, type Packed, sealEnvelope } from './sealed-envelope.ts';

const packedOf = (kind: Packed['kind'], name: string, content: BlobPart): Packed => ({
  kind,
  file: new File([content], name),
  caption: `Words to ${name}`,
  transcript: '',
  afterParagraph: 2,
});
const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());
const large = new Uint8Array(2 * sealedSegmentBytes + 77).map((_, index) => index % 251);

describe('The envelope of a sealed letter', () => {
  it('opens with its key as it was put in, name, words, place and every byte', async () => {
    const packed = [packedOf('picture', 'the yard.jpg', large), packedOf('voice', 'for nell.webm', 'hum')];
    const { file, fileKey } = await sealEnvelope(packed);
    const opened = await openEnvelope(file, fileKey);
    expect(opened.map(({ file: { name, type }, ...words }) => ({ ...words, name, type }))).toEqual([
      {
        kind: 'picture',
        caption: 'Words to the yard.jpg',
        transcript: '',
        afterParagraph: 2,
        name: 'the yard.jpg',
        type: 'image/jpeg',
      },
      {
        kind: 'voice',
        caption: 'Words to for nell.webm',
        transcript: '',
        afterParagraph: 2,
        name: 'for nell.webm',
        type: 'audio/webm',
      },
    ]);
    const [picture, voice] = await Promise.all(opened.map(({ file }) => bytesOf(file)));
    expect(picture).toEqual(large);
    expect(new TextDecoder().decode(voice)).toBe('hum');
  });

  it('has the original of a picture behind it, as a file of its kind and of no other', async () => {
    const originals = ['IMG_0042.HEIC', 'page.html'].map((name) => packedOf('original', name, 'bytes'));
    const { file, fileKey } = await sealEnvelope([packedOf('picture', 'the yard.jpg', 'small'), ...originals]);
    const opened = await openEnvelope(file, fileKey);
    expect(opened.map(({ kind, file: { name, type } }) => [kind, name, type])).toEqual([
      ['picture', 'the yard.jpg', 'image/jpeg'],
      ['original', 'IMG_0042.HEIC', 'image/heic'],
      ['original', 'page.html', 'application/octet-stream'],
    ]);
  });

  it('holds nothing of it in the clear, and no more of it than its size', async () => {
    const { file } = await sealEnvelope([packedOf('picture', 'grandmother.jpg', 'the lemon tree')]);
    const text = await file.text();
    expect(text).not.toMatch(/grandmother|lemon|picture/);
    expect([file.name, file.type]).toEqual([expect.stringMatching(/^envelope-[0-9a-f]{8}\.sealed$/), '']);
  });

  it('does not open under another key, cut, rearranged, or with a byte changed', async () => {
    const { file, fileKey } = await sealEnvelope([packedOf('picture', 'the yard.jpg', large)]);
    const other = await sealEnvelope([packedOf('picture', 'the yard.jpg', 'other')]);
    const sealed = await bytesOf(file);
    const piece = sealedSegmentBytes + 16;
    const [first, second, rest] = [
      sealed.slice(8, 8 + piece),
      sealed.slice(8 + piece, 8 + 2 * piece),
      sealed.slice(8 + 2 * piece),
    ];
    const mark = sealed.slice(0, 8);
    const changed = sealed.slice();
    changed[5_000] = (changed[5_000] ?? 0) ^ 1;
    for (const [what, blob, key] of [
      ['another key', file, other.fileKey],
      ['without its end', new Blob([mark, first, second]), fileKey],
      ['in another order', new Blob([mark, second, first, rest]), fileKey],
      ['without its beginning', new Blob([mark, second, rest]), fileKey],
      ['with a byte changed', new Blob([changed]), fileKey],
      ['with more behind it', new Blob([file, 'more']), fileKey],
      ['with nothing in it', new Blob([mark]), fileKey],
      ['something else', new Blob(['A letter']), fileKey],
    ] as const)
      await expect(openEnvelope(blob, key), what).rejects.toThrow();
  });

  it('gives out as its type what its name says, and never a page', async () => {
    const { file, fileKey } = await sealEnvelope([
      packedOf('file', 'letter.html', '<script>'),
      packedOf('file', 'note.svg', '<svg/>'),
    ]);
    const types = (await openEnvelope(file, fileKey)).map((packed) => packed.file.type);
    expect(types).toEqual(['application/octet-stream', 'application/octet-stream']);
  });
});
