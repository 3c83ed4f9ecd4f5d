import { describe, expect, it } from 'vitest';
import { fileNameOf, letterAsText } from './letter-text.ts';

describe('the saved copy', () => {
  const letter = {
    title: 'For Nell',
    content: 'Dear Nell,\r\n\r\nDad',
    encryptedContent: null,
    senderName: 'Sam Ashworth',
    createdAt: '2026-03-02T10:00:00.000Z',
    deliveredAt: '2026-09-10T09:00:00.000Z',
    expiresAt: '2026-10-10T09:00:00.000Z',
    attachment: null,
    alsoFor: [],
    enclosures: [],
    recipientName: null,
    openedAt: null,
    letters: [],
  };

  it('holds all that the page shows of the letter', () => {
    expect(letterAsText(letter)).toBe(
      'For Nell\n\nSam Ashworth wrote this for you.\nWritten 2 March 2026. Delivered 10 September 2026.\n\nDear Nell,\n\nDad\n',
    );
  });

  it('names what was enclosed', () => {
    const attachment = { name: 'lemon-cake-card.jpg', sizeBytes: 2_400_000, mimeType: 'image/jpeg' };
    expect(letterAsText({ ...letter, attachment })).toMatch(/Dad\n\nEnclosed: lemon-cake-card\.jpg\n$/);
  });

  it('has the words of a voice, and names each picture', () => {
    const rest = { id: 'x', sizeBytes: 1, mimeType: 'x', position: 1, afterParagraph: null };
    const enclosures = [
      { ...rest, kind: 'voice' as const, name: 'voice.m4a', caption: 'Dad', transcript: 'Hello,\r\nlove.' },
      { ...rest, kind: 'picture' as const, name: 'garden.png', caption: '', transcript: '' },
    ];
    expect(letterAsText({ ...letter, enclosures })).toMatch(
      /Dad\n\nEnclosed: voice\.m4a, Dad\n\nHello,\nlove\.\n\nEnclosed: garden\.png\n$/,
    );
  });

  it('has a name that every file system takes', () => {
    expect(fileNameOf('For Nell, when it is time')).toBe('For Nell, when it is time.txt');
    expect(fileNameOf('../a\\b: "c"?\u202Egnp')).toBe('a b c gnp.txt');
    expect(fileNameOf('???')).toBe('Letter.txt');
    expect(fileNameOf('x'.repeat(300))).toHaveLength(84);
  });
});
