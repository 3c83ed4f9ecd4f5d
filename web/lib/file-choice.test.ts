import { describe, expect, it } from 'vitest';
import { acceptedWords, acceptOf, refusalOf } from '#web/lib/file-choice.rules.ts';
import { sizeAndKind } from '#web/lib/file-words.ts';

const tooLarge = { title: 'File too large', description: 'Please select a file smaller than 10MB.' };

describe('Choosing a file', () => {
  it('offers the types of the plan', () => {
    expect(acceptOf('essential')).toBe(
      '.pdf,.doc,.docx,.txt,.jpg,.jpeg,.png,.gif,.rtf,.odt,.tif,.tiff,.webp,.jpe,.jfif',
    );
    expect(acceptOf('premium')).toBe(
      '.pdf,.doc,.docx,.txt,.jpg,.jpeg,.png,.gif,.mp4,.webm,.mov,.rtf,.odt,.tif,.tiff,.webp,.jpe,.jfif,.m4v,.3gp,.3g2,.qt',
    );
    expect(acceptedWords('essential')).toBe('PDF, Word, text or picture, up to 10 MB');
    expect(acceptedWords('lifetime')).toBe('PDF, Word, text or picture, up to 10 MB, or video, up to 250 MB');
  });

  it.each(['will.pdf', 'a.doc', 'b.DOCX', 'c.txt', 'd.jpg', 'e.jpeg', 'f.PNG', 'g.gif'])('takes %s', (name) => {
    expect(refusalOf({ name, size: 10_000_000 }, 'essential')).toBeUndefined();
  });

  it.each(['will.pdf', 'photo.jpg', 'archive.zip'])('refuses %s over 10 MB', (name) => {
    expect(refusalOf({ name, size: 10_000_001 }, 'essential')).toEqual(tooLarge);
    expect(refusalOf({ name, size: 10_000_001 }, 'premium')).toEqual(tooLarge);
  });

  it('takes a video of up to 250 MB on plans that have video, and on no other', () => {
    const film = { name: 'sea.mov', size: 250_000_000 };
    expect(refusalOf(film, 'premium')).toBeUndefined();
    expect(refusalOf(film, 'lifetime')).toBeUndefined();
    expect(refusalOf(film, 'essential')?.title).toBe('Upgrade Required');
    expect(refusalOf({ ...film, size: 250_000_001 }, 'premium')).toEqual({
      title: 'File too large',
      description: 'Please select a video smaller than 250MB.',
    });
  });

  it.each(['scan.tif', 'will.odt', 'will.rtf', 'IMG_0042.HEIC', 'deed.jfif', 'deed.jpe'])('takes %s', (name) => {
    expect(refusalOf({ name, size: 5_000 }, 'essential')).toBeUndefined();
  });

  it.each([
    ['sums.xlsx', 'This is a spreadsheet. Save it as a PDF, and choose that.'],
    ['will.pages', 'This is a Pages document. Export it there as Word or PDF, and choose that.'],
    ['Ann.vcf', 'Copy what this file says into a document, and choose that.'],
    ['mail.eml', 'This is an email. Print it to a PDF, and choose that.'],
    ['will.docm', 'This document may hold macros. Save it as .docx or PDF, and choose that.'],
  ])('says what to do with %s', (name, description) => {
    expect(refusalOf({ name, size: 5_000 }, 'essential')).toEqual({ title: 'File type not accepted', description });
  });

  it('refuses unknown extensions, missing extensions and empty files', () => {
    expect(refusalOf({ name: 'virus.exe', size: 5 }, 'premium')?.title).toBe('File type not accepted');
    expect(refusalOf({ name: 'will', size: 5 }, 'premium')?.title).toBe('File type not accepted');
    expect(refusalOf({ name: 'will.pdf', size: 0 }, 'premium')?.title).toBe('Empty file');
  });
});

describe('The everyday word for a file', () => {
  it.each([
    ['image/jpeg', '2.4 MB, picture'],
    ['video/quicktime', '2.4 MB, video'],
    ['application/pdf', '2.4 MB, PDF'],
    ['application/msword', '2.4 MB, Word'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '2.4 MB, Word'],
    ['text/plain', '2.4 MB, text'],
    ['', '2.4 MB, file'],
  ])('%s: %s', (mimeType, words) => {
    expect(sizeAndKind({ sizeBytes: 2_400_000, mimeType })).toBe(words);
  });
});
