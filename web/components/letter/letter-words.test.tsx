import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { LetterWords } from './letter-words.tsx';

const elementsIn = (html: string) => html.match(/<[a-z]/g)?.length ?? 0;

test('a letter of 66,000 paragraphs is one block of text with its line breaks', () => {
  const content = Array.from({ length: 66_000 }, (_, number) => String(number)).join('\n\n');
  const html = renderToStaticMarkup(<LetterWords content={content} />);
  expect(elementsIn(html)).toBe(2);
  expect(html).toContain('65998\n\n65999</p>');
});

test('a letter of 100,000 lines keeps a picture between the paragraphs where it stands', () => {
  const content = `${'a\n'.repeat(50_000)}\n${'b\n'.repeat(50_000)}`;
  const after = (paragraphs: number) => (paragraphs === 1 ? <hr /> : null);
  const html = renderToStaticMarkup(<LetterWords content={content} after={after} places={[1]} />);
  expect(elementsIn(html)).toBe(4);
  expect(html).toMatch(/a<\/p><hr\/><p[^>]*>b\n/);
});

test('a shorter letter has an element for each paragraph', () => {
  const html = renderToStaticMarkup(<LetterWords content={'Dear Nell,\n\nPut the kettle on.'} />);
  expect(html.match(/<p /g)).toHaveLength(2);
});
