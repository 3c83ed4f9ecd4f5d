import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cellsOf, isTest, testsIn } from './named-tests.ts';
import { repository } from './sources.ts';

/** What stands in the last cell where no test shows what the row says. */
const notShown = 'not shown';

/** Pages whose tables say in their last cell what shows each row, how many columns they have, and their parts. */
const pages = [
  {
    page: 'docs/abuse.md',
    columns: 3,
    parts: ['A stranger', 'A contact', 'A trustee', 'The administrator', 'database', 'mail account', 'stands still'],
  },
  {
    page: 'docs/security-promises.md',
    columns: 3,
    parts: ['stored', 'Signing in', 'Links and requests', 'Files, money and mail', 'runs it', 'Traps'],
  },
];

/** Rows that are not whole, and tests that are not there. */
function untruthsOf(markdown: string, columns: number): string[] {
  return rowsOf(markdown).flatMap((line) => {
    const cells = cellsOf(line);
    const shown = cells.at(-1) ?? '';
    if (cells.length !== columns || cells.includes('')) return [`This row is not whole: ${line}`];
    if (shown === notShown) return [];
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

test('a row that names no test, a missing one or too few cells is found out', () => {
  const shown = 'web/lib/query.test.ts › is null for somebody signed out, without an error';
  const head = '| they | what | shown by |\n| --- | --- | --- |';
  expect(untruthsOf(`${head}\n| can | read | ${shown} |\n| can | write | ${notShown} |`, 3)).toEqual([]);
  for (const row of [
    '| can | read | no test |',
    '| can | read |',
    `| can |  | ${shown} |`,
    `| can | read | ${shown}s |`,
  ]) {
    expect(untruthsOf(`${head}\n${row}`, 3)).toHaveLength(1);
  }
});
