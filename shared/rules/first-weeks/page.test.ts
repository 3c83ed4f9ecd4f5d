import { describe, expect, test } from 'vitest';
import { ukFacts } from '#shared/uk-facts.ts';
import { type FirstWeeksNotes, firstWeeksFields, firstWeeksNations, noFirstWeeksNotes } from './notes.ts';
import { firstWeeksPage } from './page.ts';
import { firstWeeksParts } from './steps.ts';

const all = Object.fromEntries(firstWeeksFields.map((field) => [field, `noted ${field}`]));
const full = (nation: FirstWeeksNotes['nation']) => ({ ...all, nation }) as FirstWeeksNotes;
const stepsFor = (nation: FirstWeeksNotes['nation']) => firstWeeksPage(full(nation)).flatMap(({ steps }) => steps);
const wordsFor = (nation: FirstWeeksNotes['nation']) =>
  stepsFor(nation)
    .flatMap(({ words, list }) => [...words, ...list])
    .join(' ');

describe('the page for the first weeks', () => {
  test('is in order of days', () => {
    expect(firstWeeksPage(noFirstWeeksNotes).map(({ title }) => title)).toEqual([
      'The first day',
      'The first week',
      'The first month: whom to tell',
      'When there is time',
    ]);
    const titles = stepsFor('scotland').map(({ title }) => title);
    const order = ['If it was at home', 'Wait for the medical certificate', 'Register the death', 'Tell Us Once'];
    expect(titles.filter((title) => order.includes(title))).toEqual(order);
  });

  test.each([
    ['england-and-wales', '5 days', 'medical examiner', 'procurator fiscal'],
    ['scotland', '8 days', 'procurator fiscal', 'medical examiner'],
    ['northern-ireland', '5 days', 'District Registration Office', 'procurator fiscal'],
  ] as const)('has the law of %s alone', (nation, days, named, foreign) => {
    const registering = stepsFor(nation).filter(({ title }) => title === 'Register the death');
    expect(registering).toHaveLength(1);
    expect(registering[0]?.words[0]).toContain(`Register within ${days}`);
    expect(wordsFor(nation)).toContain(named);
    expect(wordsFor(nation)).not.toContain(foreign);
  });

  test('has Tell Us Once with its days in Great Britain, and another way in Northern Ireland', () => {
    for (const nation of ['england-and-wales', 'scotland'] as const) {
      expect(wordsFor(nation)).toContain(`Use it within ${ukFacts.tellUsOnceDays.value}`);
    }
    expect(wordsFor('northern-ireland')).toContain('Tell Us Once does not work in Northern Ireland');
    expect(wordsFor('northern-ireland')).not.toContain('28 days');
  });

  test('names the nation of each step that does not hold everywhere', () => {
    const wheres = stepsFor(null).flatMap(({ title, where }) => (title === 'Register the death' ? [where] : []));
    expect(wheres).toEqual(['England and Wales', 'Scotland', 'Northern Ireland']);
    expect(stepsFor('scotland').find(({ title }) => title === 'Tell Us Once')?.where).toBe('Scotland');
  });

  test.each([null, ...firstWeeksNations])('has every note exactly once (%s)', (nation) => {
    const noted = stepsFor(nation).flatMap(({ notes }) => notes.map(({ words }) => words));
    expect(noted.toSorted()).toEqual(Object.values(all).toSorted());
  });

  test('leaves out empty fields', () => {
    const notes = { ...noFirstWeeksNotes, will: 'In the safe' };
    const noted = firstWeeksPage(notes).flatMap(({ steps }) => steps.flatMap((step) => step.notes));
    expect(noted).toEqual([{ label: 'Where the will is', words: 'In the safe' }]);
  });

  test('gives a source and the day of its check for every amount, deadline and number', () => {
    const amounts = /£\d|\b\d+ (?:days|months)\b|\b(?:111|999)\b/;
    const steps = stepsFor(null).filter(({ words }) => amounts.test(words.join(' ')));
    expect(steps.length).toBeGreaterThan(7);
    for (const { sources } of steps) {
      expect(sources.length).toBeGreaterThan(0);
      for (const { checkedOn } of sources) expect(checkedOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });

  test('keeps sentences to 25 words', () => {
    const sentences = firstWeeksParts
      .flatMap(({ steps }) => steps.flatMap(({ words, list = [] }) => [...words, ...list]))
      .flatMap((words) => words.split(/(?<=[.?!:])\s+/));
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > 25)).toEqual([]);
  });
});
