import { describe, expect, it } from 'vitest';
import { acceptedWords, acceptOf, refusalOf } from '#web/lib/file-choice.rules.ts';
import { sizeAndKind } from '#web/lib/file-words.ts';

const tooLarge = { title: 'File too large', description: 'Please select a file smaller than 10MB.' };

describe('Choosing a file', () => {
  it('offers the types of the plan', () => {
    expect(acceptOf('essential')).toBe('.pdf,.doc,.docx,.txt,.jpg,.jpeg,.png,.gif');
    expect(acceptOf('premium')).toBe('.pdf,.doc,.docx,.txt,.jpg,.jpeg,.png,.gif,.mp4,.webm,.mov');
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

  it('refuses what it does not know, what has no ending, and what is empty', () => {
    expect(refusalOf({ name: 'virus.exe', size: 5 }, 'premium')?.title).toBe('File type not accepted');
    expect(refusalOf({ name: 'will', size: 5 }, 'premium')?.title).toBe('File type not accepted');
    expect(refusalOf({ name: 'will.pdf', size: 0 }, 'premium')?.title).toBe('Empty file');
  });
});

describe('What a file is called', () => {
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
