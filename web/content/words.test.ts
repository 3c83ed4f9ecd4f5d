import { describe, expect, it } from 'vitest';
import type { Block } from './block.ts';
import { questionGroups } from './faq.ts';
import { partnerGroups, statusMeanings } from './integrations.ts';
import { policySections } from './privacy-policy.ts';
import { securityTabs } from './security.ts';
import { guideTabs, quickStart } from './user-guide.ts';

const wordsMax = 25;

const pieces = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => {
    if (typeof block === 'string') return [block];
    return 'list' in block ? [...block.list] : block.facts.map(([, words]) => words);
  });

const texts = [
  ...questionGroups.flatMap(({ questions }) =>
    questions.flatMap(({ question, answer }) => [question, ...pieces(answer)]),
  ),
  ...partnerGroups.flatMap(({ partners }) => partners.map(({ text }) => text)),
  ...Object.values(statusMeanings),
  ...policySections.flatMap(({ blocks }) => pieces(blocks)),
  ...[...securityTabs, ...guideTabs].flatMap(({ sections }) => sections.flatMap(({ blocks }) => pieces(blocks))),
  ...quickStart.map(({ text }) => text),
].map((text) => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1'));

const sentencesOf = (text: string) => text.split(/(?<=[.?!:;])\s+/);
const lengthOf = (sentence: string) => sentence.split(/\s+/).length;

describe('the words of the pages that are read', () => {
  it('are there', () => {
    expect(texts.length).toBeGreaterThan(150);
  });

  it(`stand in sentences of at most ${wordsMax} words`, () => {
    expect(texts.flatMap(sentencesOf).filter((sentence) => lengthOf(sentence) > wordsMax)).toEqual([]);
  });

  it('are short on the whole', () => {
    const lengths = texts.flatMap(sentencesOf).map(lengthOf);
    expect(lengths.reduce((sum, length) => sum + length, 0) / lengths.length).toBeLessThan(16);
  });

  it('are plain: no exclamation marks, no Latin, no jargon, and no softer word for dying', () => {
    const avoided =
      /!|\b(e\.g|i\.e|etc)\b|\b(oops|payload|token|passed away|deceased|loved ones?|leverage|utilise|seamless|military)\b/i;
    expect(texts.filter((text) => avoided.test(text))).toEqual([]);
  });
});
