import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import { extractImages, extractText, getDocumentProxy } from 'unpdf';
import { describe, expect, test } from 'vitest';
import type { DeliveredLetter } from '#server/features/delivery/read-letter.ts';
import { attachmentsOf, hanFacesOf } from '#server/platform/pdf/attachments.test-world.ts';
import { photograph, samples } from '#tests/support/forms.ts';
import { writeKeepsakePage } from './keepsake.page.ts';
import { writeKeepsake } from './keepsake.pdf.ts';

const at = new Date('2026-11-27T10:00:00Z');
const picture: DeliveredLetter['enclosures'][number] = {
  ...{ id: 'a', kind: 'picture', name: 'garden.jpg', sizeBytes: 70, mimeType: 'image/jpeg' },
  ...{ caption: 'The garden', transcript: '', position: 1, afterParagraph: 1, pictureSize: null, original: null },
};
const letter: DeliveredLetter = {
  title: 'For Nell',
  content: 'One.\n\nTwo.',
  encryptedContent: null,
  createdAt: at,
  deliveredAt: at,
  expiresAt: at,
  senderName: 'Sam Ashworth',
  recipientName: 'Nell',
  openedAt: null,
  attachment: null,
  enclosures: [picture],
  alsoFor: [],
};

async function pdfWith(content: Buffer, changes: Partial<DeliveredLetter>): Promise<Uint8Array> {
  const { name, sizeBytes, mimeType } = picture;
  const open = async () => ({
    name,
    sizeBytes,
    mimeType,
    open: async () => Readable.from([content], { objectMode: false }),
  });
  return new Uint8Array(
    await buffer(await writeKeepsake([{ letter: { ...letter, ...changes }, open }], at, { reader: 'Nell' })),
  );
}

async function set(content: Buffer, changes: Partial<DeliveredLetter> = {}) {
  const pdf = await pdfWith(content, changes);
  const { text } = await extractText(pdf.slice());
  const images = await extractImages(await getDocumentProxy(pdf), 1);
  return { text: text.join(' ').replace(/\s+/g, ' '), images: images.length };
}

/** Distance between two texts on the first page, in points. */
async function fallBetween(content: Buffer, upper: string, lower: string): Promise<number> {
  const page = await (await getDocumentProxy(await pdfWith(content, {}))).getPage(1);
  const { items } = await page.getTextContent();
  const heightOf = (words: string) => {
    const found = items.find((item) => 'str' in item && item.str.includes(words));
    return found && 'transform' in found ? Number(found.transform[5]) : Number.NaN;
  };
  return heightOf(upper) - heightOf(lower);
}

/** Height of the photograph at 72 pixels to the inch, and of a quiet line with its gap. */
const pictureHeight = 16;
const lineHeight = 21;

test('text after a picture is set below it', async () => {
  // A line with the picture's name replaces it.
  const without = (await fallBetween(samples.txt, 'One.', 'The garden')) - lineHeight;
  expect(await fallBetween(photograph, 'One.', 'The garden')).toBeGreaterThan(without + pictureHeight);
  expect(await fallBetween(photograph, 'The garden', 'Two.')).toBeGreaterThan(0);
});

test('a picture stands after its paragraph, with its line', async () => {
  const { text, images } = await set(photograph);
  expect([images, text]).toEqual([1, expect.stringMatching(/One\. The garden Two\./)]);
});

/** A PNG of 24 by 16 pixels without a filter (PNG, third edition), with data of the declared length. */
function png({ bits = 8, colours = 2, interlace = 0, more = Buffer.alloc(0) } = {}): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const channels = [1, 0, 3, 1, 2, 0, 4][colours] ?? 0;
  const head = Buffer.from([0, 0, 0, 24, 0, 0, 0, 16, bits, colours, 0, 0, interlace]);
  const rows = Buffer.alloc(16 * (1 + (24 * channels * bits) / 8), 0x50);
  for (let row = 0; row < 16; row += 1) rows[(row * rows.length) / 16] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    ...(colours === 3 ? [chunk('PLTE', Buffer.alloc(768, 9))] : []),
    more,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

test.each([
  ['in colours', 2],
  ['in grey', 0],
  ['with a table of colours', 3],
])('a plain PNG %s is set as well', async (_, colours) => {
  const { images, text } = await set(png({ colours }), { enclosures: [{ ...picture, mimeType: 'image/png' }] });
  expect([images, text]).toEqual([1, expect.stringMatching(/One\. The garden Two\./)]);
});

test.each([
  ['a PNG with an alpha channel, which would have to be unfolded', samples.png],
  ['a PNG in several passes', png({ interlace: 1 })],
  ['a PNG of sixteen bits', png({ bits: 16 })],
  ['a PNG with a colour that is see-through', png({ more: Buffer.from('\0\0\0\x02tRNS\0\0\0\0\0\0', 'latin1') })],
  ['a PNG that breaks off', png().subarray(0, 60)],
  [
    'a PNG whose part is longer than it is',
    Buffer.concat([png().subarray(0, 33), Buffer.from('7fffffff49444154', 'hex')]),
  ],
  ['a JPEG that breaks off', photograph.subarray(0, 30)],
  ['a JPEG without an end to its first part', Buffer.from('ffd8ffe1ffff', 'hex')],
  ['what is no picture at all', samples.txt],
])('the words are there without %s', async (_, content) => {
  const { text, images } = await set(content, { enclosures: [{ ...picture, mimeType: 'image/png' }] });
  expect(images).toBe(0);
  expect(text).toContain('A picture, garden.jpg, saved on its own. The garden');
  expect(text).toContain('Two.');
});

test('a letter under a passphrase is named, and its text is left out', async () => {
  const encryptedContent = {
    version: 2,
    iterations: 600_000,
    salt: 'A',
    nonce: 'A',
    ciphertext: 'A',
    hint: null,
  } as const;
  const { text } = await set(photograph, { encryptedContent, title: 'A sealed letter', content: '' });
  expect(text).toMatch(/^A sealed letter .* sealed with a passphrase\. Open it on its page/);
});

/** Cherokee, a script that no face of the book has. */
const rare = 'ᏣᎳᎩ';

const file = { name: 'a', sizeBytes: 1, mimeType: 'text/plain', pictureSize: null, transcript: '' };

describe('a copy that cannot show a character', () => {
  test.each<[string, Partial<DeliveredLetter>]>([
    ['title', { title: `For ${rare}` }],
    ['words', { content: `One ${rare}.` }],
    ['writer’s name', { senderName: rare }],
    ['reader’s name', { recipientName: rare }],
    ['caption of a picture', { enclosures: [{ ...picture, caption: rare }] }],
    ['name of a picture', { enclosures: [{ ...picture, kind: 'voice', name: `${rare}.mp3` }] }],
    ['transcript of a voice', { enclosures: [{ ...picture, kind: 'voice', transcript: rare }] }],
    ['name of a file', { attachment: { ...file, name: `${rare}.txt` } }],
    ['transcript of a file', { attachment: { ...file, transcript: rare } }],
  ])('in the %s says so and carries the whole letter as text', async (_, changes) => {
    const pdf = await pdfWith(photograph, changes);
    const { text } = await extractText(pdf.slice(), { mergePages: true });
    expect(text.replace(/\s+/g, ' ')).toContain('Some characters cannot be shown here.');
    const { 'letter-001.txt': carried = '' } = await attachmentsOf(pdf);
    expect(carried).toContain(rare);
    expect(carried).toContain(changes.title ?? letter.title);
    expect(carried).toContain(changes.content ?? 'Two.');
  });

  test('has its title in full as the title of the PDF and in its outline', async () => {
    const pdf = await getDocumentProxy(await pdfWith(photograph, { title: `For ${rare}` }));
    const { info } = (await pdf.getMetadata()) as { info: { Title?: string } };
    expect(info.Title).toBe(`For ${rare}`);
    expect((await pdf.getOutline()).map(({ title }) => title)).toEqual([`For ${rare}`]);
  });

  test('carries the title page and the contents of several letters', async () => {
    const named = { ...letter, recipientName: rare, enclosures: [] };
    const open = () => Promise.reject(new Error('There is no picture.'));
    const letters = [rare, 'Second'].map((title) => ({ letter: { ...named, title }, open }));
    const pdf = new Uint8Array(await buffer(await writeKeepsake(letters, at, { reader: 'all' })));
    const carried = await attachmentsOf(pdf);
    expect(carried['title-page.txt']).toContain(rare);
    expect(carried['contents.txt']).toBe(`${rare}\t3\nSecond\t4\n`);
    expect(carried['letter-002.txt']).toContain(rare);
  });
});

test('a copy that shows every character carries nothing else', async () => {
  expect(await attachmentsOf(await pdfWith(photograph, {}))).toEqual({});
});

test('a web page to keep has every character, its pictures, and nothing that acts', async () => {
  const { name, sizeBytes, mimeType } = picture;
  const open = async () => ({ name, sizeBytes, mimeType, open: async () => Readable.from([photograph]) });
  const words = { title: `For <${rare}>`, content: `${rare}\n\nשלום <script>alert(1)</script>`, senderName: rare };
  const page = (await buffer(writeKeepsakePage(words.title, [{ letter: { ...letter, ...words }, open }]))).toString();
  expect(page).toContain(`<title>For &#60;${rare}&#62;</title>`);
  expect(page).toContain(
    `<p dir="auto">${rare}</p>\n<figure><img src="data:image/jpeg;base64,${photograph.toString('base64')}"`,
  );
  expect(page).toContain('<figcaption dir="auto">The garden</figcaption>');
  expect(page).toContain('שלום &#60;script&#62;');
  expect(page).toContain("default-src 'none'");
});

test("a title, a name and a caption in Chinese characters alone use the forms of the letter's language", async () => {
  const words = { title: '遺言書', senderName: '田中健太', recipientName: '直子' };
  const enclosures = [{ ...picture, caption: '東京' }];
  const japanese = await pdfWith(photograph, { ...words, enclosures, content: 'ありがとう。' });
  expect(hanFacesOf(japanese)).toEqual(['BIZUDPMincho']);
  const unknown = await pdfWith(photograph, { ...words, enclosures, content: 'Thank you.' });
  expect(hanFacesOf(unknown)).toEqual(['CactusClassicalSerif']);
});
