import { describe, expect, test } from 'vitest';
import { countRiddles, folderOf, readRiddles, riddlesIn, writtenFiles } from './plain-english.ts';
import { explain, grown, lowered, readLimits } from './plain-english-limits.ts';
import { roots } from './sources.ts';

const riddles = readRiddles();
const limits = readLimits();

const rulesBroken = (path: string, text: string) => riddlesIn(path, text).map(({ rule }) => rule);

describe('plain English', () => {
  test('is counted in every folder that people write in', () => {
    const read = new Set(writtenFiles().map(folderOf));
    expect([...read]).toEqual(
      expect.arrayContaining([...roots, 'docs', 'docs/decisions', 'deploy', '.', 'web/features']),
    );
  });

  test('no folder has more riddles than its limit', () => {
    const places = grown(countRiddles(riddles), limits);
    expect(explain(places, riddles, limits)).toBe('');
  });
});

describe('the counter of riddles', () => {
  test.each([
    ['/** What the gate refuses. */', ['opening']],
    ['// Of one that is damaged, the row is skipped.', ['opening']],
    ['/** Waits for whoever holds the lock. */', ['person']],
    ['/** Returns what was held. */', ['noun']],
    ['/** The operator is told of it. */', ['told']],
    ['/** Begins anew. */', ['dialect']],
    [`/** ${'word '.repeat(26)}. */`, ['length']],
    ['/** True if the row is locked. */', []],
    ['// biome-ignore lint/style: what is here', []],
  ])('reads the comment %s', (comment, expected) => {
    expect(rulesBroken('server/a.ts', `${comment}\nexport const a = 1;`)).toEqual(expected);
  });

  test('reads successive line comments as one passage', () => {
    expect(rulesBroken('server/a.ts', `// ${'word '.repeat(20)}\n// so it ends here after some more words.`)).toEqual([
      'length',
    ]);
  });

  test('reads names of tests, with and without cases', () => {
    const code =
      "describe('when asked', () => { test.each([1])('it is told %s', run); test('a letter leaves', run); });";
    expect(rulesBroken('server/a.test.ts', code)).toEqual(['opening', 'opening', 'told']);
    expect(rulesBroken('server/a.ts', code)).toEqual([]);
  });

  test('reads headings, items, cells and wrapped paragraphs of a document, but no code', () => {
    expect(rulesBroken('docs/a.md', '# What this is\n\n- Nobody knows.\n\n| a | So it is |\n')).toEqual([
      'opening',
      'person',
      'opening',
    ]);
    expect(rulesBroken('docs/a.md', `${'word '.repeat(20)}\n${'word '.repeat(6)}.`)).toEqual(['length']);
    const line = 'word '.repeat(20);
    expect(rulesBroken('docs/a.md', `| ${line}<br>${line} | ${line} |`)).toEqual([]);
    expect(rulesBroken('docs/a.md', `| ${line}${line} |`)).toEqual(['length']);
    expect(rulesBroken('docs/a.md', '```\nWhat is this\n```\n\n    Whoever\n')).toEqual([]);
  });

  test.each([
    ['web/a.css', '/* What stays. */'],
    ['server/a.sql', '-- What stays.\nSELECT 1;'],
    ['deploy/a.yaml', '# What stays.\na: 1'],
    ['server/a.mjs', '// What stays.\nrun();'],
  ])('reads comments of %s', (path, text) => {
    expect(rulesBroken(path, text)).toEqual(['opening']);
  });
});

describe('limits of riddles', () => {
  const one = { shared: { comments: 1 } };
  const two = { shared: { comments: 2 } };

  test('a count above its limit is reported with the place and the rule', () => {
    const found = riddlesIn('shared/a.ts', '// What stays.\nrun();\n// What goes.');
    expect(grown(countRiddles(found), one)).toEqual([{ folder: 'shared', kind: 'comments' }]);
    const message = explain([{ folder: 'shared', kind: 'comments' }], found, one);
    expect(message).toContain('shared, comments: 2 riddles, limit 1.');
    expect(message).toContain('shared/a.ts:3: “What goes.”\n    Start with the subject');
  });

  test('a folder without a limit may hold none', () => {
    expect(grown(one, {})).toEqual([{ folder: 'shared', kind: 'comments' }]);
    expect(grown(one, two)).toEqual([]);
  });

  test('a lowered limit follows the count, and never rises', () => {
    expect(lowered(two, one)).toEqual(one);
    expect(lowered(one, two)).toEqual(one);
    expect(lowered(two, {})).toEqual({});
  });
});
