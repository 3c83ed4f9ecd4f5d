import { act, cleanup, render } from '@testing-library/react';
import fc from 'fast-check';
import { Fragment, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { guardTranslatedPage, restoreOriginals } from './translation-guard.ts';

/** Its translation is upper case, so that old and new text differ. */
const translated = (words: string) => words.toUpperCase();

function wrapperOf(text: Text): HTMLElement {
  const [outer, inner] = [document.createElement('font'), document.createElement('font')];
  inner.textContent = translated(text.data);
  outer.append(inner);
  return outer;
}

/** Ways in which a translator puts its `<font>` in place of a text. */
const translators: Record<string, (text: Text) => void> = {
  'replaces the text': (text) => text.replaceWith(wrapperOf(text)),
  'inserts before it removes the text': (text) => {
    text.before(wrapperOf(text));
    text.remove();
  },
  'moves the text into its own element': (text) => {
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    text.replaceWith(outer);
    inner.append(text);
    outer.append(inner);
  },
};

/** A translator works in a task of its own, and leaves alone what it has translated. */
async function translate(by: (text: Text) => void, within: Node): Promise<void> {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) if (text.data.trim() !== '' && text.parentElement?.localName !== 'font') by(text);
  await Promise.resolve();
}

/** Words of the page, whether they are translated or not. */
const wordsOf = (element: Element) => element.textContent?.toLowerCase();

beforeAll(() => guardTranslatedPage());
afterEach(cleanup);

type Part = string | null | { key: string; words: string };

function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <p>
      {parts.map((part, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: a part without a key changes in place, as in a page.
        if (part === null || typeof part === 'string') return <Fragment key={index}>{part}</Fragment>;
        return <Fragment key={part.key}>{part.key.startsWith('b') ? <b>{part.words}</b> : part.words}</Fragment>;
      })}
    </p>
  );
}

const plainWords = (parts: readonly Part[]) =>
  parts.map((part) => (typeof part === 'string' ? part : (part?.words ?? ''))).join('');

describe.each(Object.entries(translators))('A page whose translator %s', (_, translator) => {
  it.each<[string, Part[], Part[]]>([
    ['shows an element in place of a text', ['hello ', '…', ','], ['hello ', { key: 'b', words: 'ann' }, ',']],
    ['shows a text in place of an element', ['hello ', { key: 'b', words: 'ann' }, ','], ['hello ', '…', ',']],
    ['changes a text between others', ['kept at ', '22:55', '.'], ['kept at ', '22:56', '.']],
    ['removes a text', ['one ', 'two ', 'three'], ['one ', null, 'three']],
    ['adds a text before another', [null, 'two'], ['one ', 'two']],
    [
      'changes the order of texts',
      [
        { key: 'x', words: 'one ' },
        { key: 'y', words: 'two ' },
      ],
      [
        { key: 'y', words: 'two ' },
        { key: 'x', words: 'one ' },
      ],
    ],
  ])('%s', async (_name, before, after) => {
    const { container, rerender } = render(<Parts parts={before} />);
    await translate(translator, container);
    await act(async () => rerender(<Parts parts={after} />));
    expect(wordsOf(container)).toBe(plainWords(after));
  });

  it('shows what React would show after any changes', async () => {
    const word = fc.stringMatching(/^[a-z]{1,3} $/);
    const keyed = fc.record({ key: fc.constantFrom('x', 'y', 'b1', 'b2'), words: word });
    const parts = fc.uniqueArray(fc.oneof(word, fc.constant(null), keyed), {
      maxLength: 6,
      selector: (part) => (part !== null && typeof part === 'object' ? part.key : {}),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { minLength: 2, maxLength: 5 }), async (states) => {
        const { container, rerender, unmount } = render(<Parts parts={[]} />);
        for (const state of states) {
          await act(async () => rerender(<Parts parts={state} />));
          expect(wordsOf(container)).toBe(plainWords(state));
          await translate(translator, container);
        }
        unmount();
      }),
      { numRuns: 60 },
    );
  });

  it('is taken over with its field, if it was translated before React came', async () => {
    const container = document.createElement('div');
    container.innerHTML = '<p>hello <!-- -->ann<!-- -->,</p><input name="reason"/>';
    document.body.append(container);
    await act(async () => undefined);
    const field = container.querySelector('input');
    await translate(translator, container);
    const different = vi.fn();
    expect(restoreOriginals(container)).toBe(true);
    const root = await act(async () => hydrateRoot(container, <Greeting />, { onRecoverableError: different }));
    expect(different).not.toHaveBeenCalled();
    expect(container.querySelector('input')).toBe(field);
    await act(async () => root.unmount());
    container.remove();
  });
});

function Greeting() {
  const [name] = useState('ann');
  return (
    <>
      <p>hello {name},</p>
      <input name="reason" />
    </>
  );
}

it('words of several texts in one element come back one by one', async () => {
  const { container, rerender } = render(<Parts parts={['kept at ', '22:55', '.']} />);
  const [first, ...others] = [...(container.querySelector('p')?.childNodes ?? [])] as Text[];
  first?.replaceWith(wrapperOf(new Text('kept at 22:55.')));
  for (const other of others) other.remove();
  await Promise.resolve();
  await act(async () => rerender(<Parts parts={['kept at ', '22:56', '.']} />));
  expect(wordsOf(container)).toBe('kept at 22:56.');
});
