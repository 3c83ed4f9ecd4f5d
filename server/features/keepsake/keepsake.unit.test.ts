import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extractImages, extractText, getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import type { DeliveredLetter } from '#server/features/delivery/delivery.recipient.service.ts';
import { photograph, samples } from '#tests/support/forms.ts';
import { keepsakeName, writeKeepsake } from './keepsake.pdf.ts';

const at = new Date('2026-11-27T10:00:00Z');
const picture: DeliveredLetter['enclosures'][number] = {
  ...{ id: 'a', kind: 'picture', name: 'garden.jpg', sizeBytes: 70, mimeType: 'image/jpeg' },
  ...{ caption: 'The garden', transcript: '', position: 1, afterParagraph: 1 },
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
  letters: [],
};

async function set(content: Buffer, changes: Partial<DeliveredLetter> = {}) {
  const { name, sizeBytes, mimeType } = picture;
  const open = async () => ({
    name,
    sizeBytes,
    mimeType,
    open: async () => Readable.from([content], { objectMode: false }),
  });
  const pdf = new Uint8Array(await buffer(writeKeepsake([{ letter: { ...letter, ...changes }, open }], at)));
  const { text } = await extractText(pdf.slice());
  const images = await extractImages(await getDocumentProxy(pdf), 1);
  return { text: text.join(' ').replace(/\s+/g, ' '), images: images.length };
}

test('a picture stands after its paragraph, with its line', async () => {
  const { text, images } = await set(photograph);
  expect([images, text]).toEqual([1, expect.stringMatching(/One\. The garden Two\./)]);
});

test.each([
  ['a PNG, which would have to be unfolded', samples.png],
  ['a JPEG that breaks off', photograph.subarray(0, 30)],
  ['a JPEG without an end to its first part', Buffer.from('ffd8ffe1ffff', 'hex')],
  ['what is no picture at all', samples.txt],
])('the words are there without %s', async (_, content) => {
  const { text, images } = await set(content);
  expect(images).toBe(0);
  expect(text).toContain('A picture, garden.jpg, saved on its own. The garden');
  expect(text).toContain('Two.');
});

test('a letter under a passphrase is named, and none of it is set', async () => {
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

test('its name is one that every file system takes', () => {
  expect(keepsakeName('For Nell, when it’s time')).toBe('For Nell, when it’s time.pdf');
  expect(keepsakeName('../a\\b: "c"?')).toBe('a b c.pdf');
  expect(keepsakeName('???')).toBe('A letter from Everkept.pdf');
});
