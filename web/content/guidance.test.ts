import { describe, expect, it } from 'vitest';
import { lastCommitMs } from '#build/commits/last-commit.ts';
import { checklistIds, itemLengthMax } from '#shared/rules/checklists.ts';
import { firstWeeksParts } from '#shared/rules/first-weeks/steps.ts';
import { nations, sourcesOf, type UkFact, ukFacts } from '#shared/uk-facts.ts';
import type { Block } from './block.ts';
import { checklists } from './checklists.ts';
import { findGuide, guideGroups } from './guidance/guides.ts';
import { premiumTemplates } from './premium-templates.ts';
import { templates } from './templates.ts';

const wordsMax = 25;
const averageMax = 20;
const yearMs = 366 * 86_400_000;

const lastMs = lastCommitMs();
/** Age of a check at the last commit, and not now: a commit stays green on every day. */
const ageMsOf = (checkedOn: string) => (lastMs ?? Date.parse(checkedOn)) - Date.parse(checkedOn);

const guides = guideGroups.flatMap((group) => group.guides);
const pieces = (block: Block): string[] => {
  if (typeof block === 'string') return [block];
  return 'list' in block ? [...block.list] : block.facts.map((fact) => fact.join(': '));
};
const textsOf = (guide: (typeof guides)[number]) => [
  guide.intro,
  ...guide.parts.flatMap(({ title, blocks }) => [title, ...blocks.flatMap(pieces)]),
];
const plain = (text: string) => text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
const guideTexts = guides.flatMap(textsOf).map(plain);
const allTemplates = [...templates, ...premiumTemplates];
const templateTexts = allTemplates.flatMap(({ description, note, content }) => [
  description,
  note,
  ...content.split('\n'),
]);
const checklistTexts = checklists.flatMap(({ title, items }) => [title, ...items]);
const texts = [...guideTexts, ...templateTexts, ...checklistTexts];
const sentencesOf = (text: string) => text.split(/(?<=[.?!:;])\s+/).filter((sentence) => sentence !== '');
const lengthOf = (sentence: string) => sentence.split(/\s+/).length;

describe('the facts of the United Kingdom', () => {
  it.each(Object.entries(ukFacts))('were checked in the 12 months before the last commit: %s', (_, fact: UkFact) => {
    expect(Date.parse(fact.checkedOn)).toBeLessThan(Date.now() + 86_400_000);
    expect(ageMsOf(fact.checkedOn)).toBeLessThan(yearMs);
    expect(fact.value).not.toBe('');
    expect(fact.source.title).not.toBe('');
    expect(new URL(fact.source.url).protocol).toBe('https:');
  });

  it('stand below the guide or the step that names them, with where they hold', () => {
    const steps = firstWeeksParts.flatMap((part) => part.steps);
    const named: UkFact[] = [...guides, ...steps].flatMap(({ facts = [] }) => facts);
    expect(Object.values(ukFacts).filter((fact) => !named.includes(fact))).toEqual([]);
    const tellUsOnce = findGuide('tell-us-once')?.facts ?? [];
    expect(sourcesOf(tellUsOnce, 'england').map(({ title }) => title)).toEqual(['GOV.UK: Tell Us Once']);
    const lines = findGuide('support-lines')?.facts ?? [];
    expect(sourcesOf(lines, 'scotland').map(({ title }) => title)).toContain('Cruse Scotland');
    expect(sourcesOf(lines, 'wales').map(({ title }) => title)).not.toContain('Cruse Scotland');
  });

  it('are the only place where amounts of money stand', () => {
    const known = Object.values(ukFacts).map(({ value }) => value);
    const amounts = guideTexts.flatMap((text) => text.match(/£[\d,.]*\d/g) ?? []);
    expect(amounts.length).toBeGreaterThan(8);
    expect(amounts.filter((amount) => !known.some((value) => value.includes(amount)))).toEqual([]);
  });
});

describe('the checklists', () => {
  it('are the five of the product, with 10 to 12 items each', () => {
    expect(checklists.map(({ id }) => id)).toEqual([...checklistIds]);
    for (const { items } of checklists) {
      expect(items.length).toBeGreaterThanOrEqual(10);
      expect(items.length).toBeLessThanOrEqual(12);
      expect(new Set(items).size).toBe(items.length);
    }
  });

  it('have items of one line that state a task', () => {
    const items = checklists.flatMap((category) => category.items);
    expect(items.filter((item) => item.length > itemLengthMax || /[.\n]$/.test(item))).toEqual([]);
    const verbs = /^(List|Note|Put|Write|Say|Name|Choose|Decide|Set|Tell)\b/;
    expect(items.filter((item) => !verbs.test(item))).toEqual([]);
  });

  it('put money, funeral and digital life first', () => {
    expect(checklists.filter(({ priority }) => priority === 'high').map(({ id }) => id)).toEqual([
      'financial',
      'funeral',
      'digital',
    ]);
  });
});

describe('the templates', () => {
  it('are the three of the product, each with placeholders and blanks', () => {
    expect(templates.map(({ title }) => title)).toEqual([
      'Basic Will Template',
      'Emergency Contact Information',
      'Digital Assets Inventory',
    ]);
    for (const { content } of allTemplates) {
      expect(content).toMatch(/\[[^\]]+\]/);
      expect(content).toMatch(/^[^:\n]+: _{4,}$/m);
    }
  });

  it('say that they are not legal advice, and what they must not be taken for', () => {
    for (const { note } of allTemplates) expect(note).toMatch(/^This is not legal/);
    const [will, emergency, digital] = templates;
    expect(will?.content).toMatch(/England and Wales only.*draft until it is printed, signed and witnessed/s);
    expect(will?.note).toContain('not a valid will');
    expect(emergency?.content).toContain('Share this sheet only with people who need it');
    expect(digital?.content).toContain('Never write a password');
  });

  it('are four more with a plan that has premium templates, under names of their own', () => {
    expect(premiumTemplates.map(({ title }) => title)).toEqual([
      'Letter of Wishes',
      'Funeral Wishes',
      'Notes for My Executors',
      'Care of My Pets',
    ]);
    // The address has one place for templates and guides.
    const ids = [...allTemplates, ...guides].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(premiumTemplates.filter(({ note }) => /binding|Never type a password/.test(note))).toHaveLength(4);
  });

  it('have in the will what a will must have', () => {
    const will = templates[0]?.content ?? '';
    const parts = ['revoke all earlier', 'executors', 'Reserve executor', 'guardian', 'rest of my estate', '28 days'];
    expect(parts.filter((part) => !will.includes(part))).toEqual([]);
    expect(will.match(/^Signature: _/gm)).toHaveLength(3);
  });
});

describe('the guides', () => {
  it('have something to say in every nation, once under each heading', () => {
    for (const nation of nations) {
      for (const guide of guides) {
        const titles = guide.parts.filter((part) => part.nations?.includes(nation) ?? true).map(({ title }) => title);
        expect(titles.length).toBeGreaterThan(0);
        expect(new Set(titles).size, `${guide.id} in ${nation}`).toBe(titles.length);
      }
    }
  });

  it('were checked in the 12 months before the last commit', () => {
    for (const { id, checkedOn } of guides) expect(ageMsOf(checkedOn), id).toBeLessThan(yearMs);
  });

  it('lead to guides that exist', () => {
    const links = guides.flatMap(textsOf).flatMap((text) => [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, id]) => id));
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((id) => id !== 'checklists' && !findGuide(id ?? ''))).toEqual([]);
    expect(new Set(guides.map(({ id }) => id)).size).toBe(guides.length);
  });

  it('say of the law that they are not legal advice', () => {
    for (const id of ['wills', 'probate', 'power-of-attorney', 'being-an-executor']) {
      expect(textsOf(findGuide(id) as (typeof guides)[number]).join(' ')).toContain('not legal advice');
    }
  });
});

describe('the words of all of them', () => {
  it(`stand in sentences of at most ${wordsMax} words in the guides`, () => {
    expect(guideTexts.flatMap(sentencesOf).filter((sentence) => lengthOf(sentence) > wordsMax)).toEqual([]);
  });

  it('are short on the whole', () => {
    const lengths = guideTexts.flatMap(sentencesOf).map(lengthOf);
    expect(lengths.reduce((sum, length) => sum + length, 0) / lengths.length).toBeLessThanOrEqual(averageMax);
  });

  it('are plain: no exclamation marks, no Latin, no jargon, and no softer word for dying', () => {
    const avoided =
      /!|\b(e\.g|i\.e|etc)\b|\b(oops|payload|token|passed away|deceased|loved ones?|no longer with us|sadly|utilise|intestate|testator|hereby|heretofore)\b/i;
    expect(texts.filter((text) => avoided.test(text))).toEqual([]);
  });
});
