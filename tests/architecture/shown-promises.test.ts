import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cellsOf, isTest, testsIn } from './named-tests.ts';
import { repository } from './sources.ts';

/** Last cell of a row that no test can show: these words, and the reason. */
const notShown = /^not shown: .{20}/;

/** Pages whose tables say in their last cell what shows each row, how many columns they have, and their parts. */
const pages = [
  {
    page: 'docs/abuse.md',
    columns: 3,
    parts: ['A stranger', 'A contact', 'A trustee', 'The administrator', 'database', 'mailbox', 'stop a release'],
  },
  {
    page: 'docs/security-promises.md',
    columns: 3,
    parts: [
      'Stored data',
      'Signing in',
      'Links and requests',
      'Files, money and mail',
      'operator',
      'Traps',
      'ASVS',
      'Data protection',
    ],
  },
];

/** Rows that are not whole, and tests that are not there. */
function untruthsOf(markdown: string, columns: number): string[] {
  return rowsOf(markdown).flatMap((line) => {
    const cells = cellsOf(line);
    const shown = cells.at(-1) ?? '';
    if (cells.length !== columns || cells.includes('')) return [`This row is not whole: ${line}`];
    if (notShown.test(shown)) return [];
    return testsIn(shown)
      .filter((each) => !isTest(each))
      .map((each) => `There is no test "${each}".`);
  });
}

/** The rows of every table, without those above the line of dashes. */
function rowsOf(markdown: string): string[] {
  const lines = markdown.split('\n');
  const isRow = (line: string | undefined) => line?.startsWith('| ') === true && !line.startsWith('| ---');
  return lines.filter((line, at) => isRow(line) && !lines[at + 1]?.startsWith('| ---'));
}

describe.each(pages)('$page', ({ page, columns, parts }) => {
  const markdown = readFileSync(join(repository, page), 'utf8');

  test('names tests that there are, or says that none shows it', () => {
    expect(untruthsOf(markdown, columns)).toEqual([]);
  });

  test('has rows for everybody and everything it is about', () => {
    const sections = markdown.split('\n## ').slice(1);
    const without = parts.filter(
      (part) => !sections.some((section) => section.split('\n')[0]?.includes(part) && rowsOf(section).length > 1),
    );
    expect(without).toEqual([]);
  });
});

/** Adopted requirements of ASVS 5.0, by section. */
const asvs: Record<string, number[]> = {
  '1.1': [1],
  '1.2': [1, 2, 3, 4, 5, 9, 10],
  '1.3': [3, 4, 5, 6, 7, 11, 12],
  '1.5': [2],
  '2.2': [1, 2, 3],
  '2.3': [1, 2, 3, 4, 5],
  '2.4': [1],
  '3.2': [1, 2],
  '3.3': [1, 2, 3, 4],
  '3.4': [1, 2, 3, 4, 5, 6, 7, 8],
  '3.5': [1, 2, 3, 8],
  '3.7': [2],
  '4.1': [1, 3, 4],
  '4.2': [1],
  '5.2': [1, 2, 3, 4, 5, 6],
  '5.3': [2, 3],
  '5.4': [1, 2, 3],
  '6.2': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  '6.3': [1, 2, 3, 4, 5, 7, 8],
  '6.4': [1, 2, 3, 4, 6],
  '6.5': [1, 2, 3, 4, 5, 6],
  '6.8': [1, 2],
  '7.2': [1, 2, 3, 4],
  '7.3': [1, 2],
  '7.4': [1, 2, 3, 4, 5],
  '7.5': [1, 2, 3],
  '8.2': [1, 2, 3],
  '8.3': [1, 2],
  '8.4': [1],
  '10.1': [2],
  '10.2': [1, 3],
  '10.5': [1, 2, 3, 4],
  '11.2': [5],
  '11.3': [1, 2, 3, 4],
  '11.4': [2],
  '11.5': [1],
  '12.2': [1],
  '12.3': [2],
  '13.2': [3],
  '13.4': [1, 2, 3, 4, 5, 6],
  '14.2': [1, 4, 6, 7, 8],
  '14.3': [1, 2, 3],
  '15.2': [2, 3],
  '15.3': [1, 2, 3, 4, 5, 6, 7],
  '15.4': [2],
  '16.2': [1, 2, 5],
  '16.3': [1, 2, 3, 4],
  '16.4': [1],
  '16.5': [1, 2, 3, 4],
};

test('every requirement of ASVS that we set ourselves has a row, and one', () => {
  const markdown = readFileSync(join(repository, 'docs/security-promises.md'), 'utf8');
  const [, section = ''] = markdown.split('\n## Requirements of ASVS 5.0\n');
  const rows = rowsOf(section.split('\n## ')[0] ?? '');
  const named = rows.flatMap((row) => cellsOf(row)[0]?.match(/\b\d+\.\d+\.\d+\b/g) ?? []);
  const wanted = Object.entries(asvs).flatMap(([part, numbers]) => numbers.map((number) => `${part}.${number}`));
  expect(named.toSorted()).toEqual(wanted.toSorted());
});

test('a row that names no test, a missing one or too few cells is found out', () => {
  const shown = 'web/lib/api/query.test.ts › is null for a visitor, without an error';
  const head = '| they | what | shown by |\n| --- | --- | --- |';
  expect(
    untruthsOf(
      `${head}\n| can | read | ${shown} |\n| can | write | not shown: there is nothing that could be tried |`,
      3,
    ),
  ).toEqual([]);
  for (const row of [
    '| can | read | no test |',
    '| can | read | not shown |',
    '| can | read |',
    `| can |  | ${shown} |`,
    `| can | read | ${shown}s |`,
  ]) {
    expect(untruthsOf(`${head}\n${row}`, 3)).toHaveLength(1);
  }
});
