import { describe, expect, it } from 'vitest';
import { asKept, letterAsPage } from './letter-page.ts';

describe('the saved page of a letter that was sealed', () => {
  const letter = {
    title: 'For <Nell> & Tom',
    content: 'Dear Nell,\r\n\r\nThe key is "there".\nLook & see <b>.\n\nDad',
    senderName: 'Sam Ashworth',
    createdAt: '2026-03-02T10:00:00.000Z',
    deliveredAt: '2026-09-10T09:00:00.000Z',
    attachment: null,
  };
  const shownOf = (page: string) => {
    const { body } = new DOMParser().parseFromString(page, 'text/html');
    return [...body.querySelectorAll('h1, p')].map((each) => each.textContent?.replaceAll('\u00a0', ' '));
  };

  it('holds all that the page shows of the letter, as it was written', () => {
    expect(shownOf(letterAsPage(letter))).toEqual([
      'Sam Ashworth wrote this for you.',
      'For <Nell> & Tom',
      'Written 2 March 2026. Delivered 10 September 2026.',
      'Dear Nell,',
      'The key is "there".Look & see <b>.',
      'Dad',
    ]);
  });

  it('names each enclosure, and has its transcript', () => {
    const attachment = {
      name: 'sea.mp4',
      sizeBytes: 1,
      mimeType: 'video/mp4',
      pictureSize: null,
      transcript: 'Hello,\nNell.',
    };
    expect(shownOf(letterAsPage({ ...letter, attachment })).slice(-2)).toEqual([
      'Enclosed: sea.mp4, saved on its own.',
      'Hello,Nell.',
    ]);
  });

  it('gives back the original of a picture, below it', async () => {
    const words = { caption: '', transcript: '', afterParagraph: 1 };
    const file = (name: string, type: string) => new File(['p'], name, { type });
    const kept = await Promise.all(
      [
        { ...words, kind: 'picture' as const, file: file('pier.jpg', 'image/jpeg') },
        { ...words, kind: 'original' as const, file: file('IMG <42>.heic', 'image/heic') },
      ].map(asKept),
    );
    const { body } = new DOMParser().parseFromString(letterAsPage(letter, kept), 'text/html');
    const link = body.querySelector('figure + p a');
    expect([link?.textContent, link?.getAttribute('download')]).toEqual([
      'Save the original, IMG <42>.heic',
      'IMG <42>.heic',
    ]);
    expect(link?.getAttribute('href')).toMatch(/^data:image\/heic;base64,/);
  });

  it('holds what lay in the envelope where it stood: pictures, voice, and a file that it gives back', async () => {
    const packed = { caption: '', transcript: '', afterParagraph: null };
    const kept = await Promise.all(
      [
        {
          ...packed,
          kind: 'picture' as const,
          file: new File(['p'], 'a<b.jpg', { type: 'image/jpeg' }),
          afterParagraph: 1,
        },
        {
          ...packed,
          kind: 'voice' as const,
          file: new File(['v'], 'v.m4a', { type: 'audio/mp4' }),
          transcript: 'Hello.',
        },
        { ...packed, kind: 'file' as const, file: new File(['f'], 'will.pdf', { type: 'application/pdf' }) },
      ].map(asKept),
    );
    const { body } = new DOMParser().parseFromString(letterAsPage(letter, kept), 'text/html');
    const shown = [...body.querySelectorAll('img, audio, a[download]')].map((each) => [
      each.tagName,
      each.getAttribute('src') ?? each.getAttribute('href'),
      each.getAttribute('download') ?? each.getAttribute('alt'),
    ]);
    expect(shown).toEqual([
      ['IMG', `data:image/jpeg;base64,${btoa('p')}`, 'a<b.jpg'],
      ['AUDIO', `data:audio/mp4;base64,${btoa('v')}`, null],
      ['A', `data:audio/mp4;base64,${btoa('v')}`, 'v.m4a'],
      ['A', `data:application/pdf;base64,${btoa('f')}`, 'will.pdf'],
    ]);
    expect(body.querySelector('figure')?.previousElementSibling?.textContent).toBe('Dear Nell,');
    expect(body.textContent).toContain('Hello.');
  });

  it('loads nothing, and nothing that was written in it acts', () => {
    const page = letterAsPage({ ...letter, content: '<script>alert(1)</script>\n\n<img src="https://x.example/">' });
    const parsed = new DOMParser().parseFromString(page, 'text/html');
    expect(parsed.querySelectorAll('script, img, link, iframe')).toHaveLength(0);
    expect(page).toContain("default-src 'none'");
  });
});
