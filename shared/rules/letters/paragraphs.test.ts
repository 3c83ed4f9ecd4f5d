import { describe, expect, it } from 'vitest';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';

describe('paragraphs', () => {
  it('are parted by blank lines and keep their own line breaks', () => {
    expect(paragraphsOf('Dear Nell,\r\n\r\nGo to the sea.\nTake the boat.\n \n\n\nDad')).toEqual([
      { lines: ['Dear Nell,'], isSignature: false },
      { lines: ['Go to the sea.', 'Take the boat.'], isSignature: false },
      { lines: ['Dad'], isSignature: true },
    ]);
  });

  it('keep a row of 200,000 spaces and are read without delay', () => {
    const content = `Dear${' '.repeat(200_000)}Nell`;
    expect(paragraphsOf(`${content}  \n\nDad`).map(({ lines }) => lines)).toEqual([[content], ['Dad']]);
  });

  it('take no sentence for a signature, and no letter of one line', () => {
    expect(paragraphsOf('Dad')).toEqual([{ lines: ['Dad'], isSignature: false }]);
    expect(paragraphsOf('Hello\n\nLook after her.').at(-1)?.isSignature).toBe(false);
    expect(paragraphsOf('Hello\n\nThe code is 4711').at(-1)?.isSignature).toBe(false);
  });
});
