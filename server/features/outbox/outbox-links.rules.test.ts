import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLinks, linksOf } from './outbox-links.rules.ts';

describe('the links of a text', () => {
  it('are its web addresses without the sentence around them, each once', () => {
    const text = `Press Check in:
https://everkept.test/check-in/abc-_1?x=1&y=2

Help (http://localhost:3000/help). See https://everkept.test/check-in/abc-_1?x=1&y=2, or ftp://old.test.`;
    expect(linksOf(text)).toEqual(['https://everkept.test/check-in/abc-_1?x=1&y=2', 'http://localhost:3000/help']);
  });

  it('are none in a text without addresses', () => {
    expect(findLinks('Hello Sam')).toEqual([{ text: 'Hello Sam', href: null }]);
    expect(findLinks('')).toEqual([]);
    expect(linksOf('javascript:alert(1) www.example.test')).toEqual([]);
  });

  it('lose nothing of the text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.webUrl())), (words) => {
        const text = words.join(' ');
        expect(
          findLinks(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});
