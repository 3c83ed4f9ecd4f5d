import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isTest } from '#tests/architecture/named-tests.ts';
import { repository } from '#tests/architecture/sources.ts';
import { contractRoutes } from '#tests/support/routes.ts';
import { coveragePage, parse, type Row } from './table.ts';
import { updated } from './update.ts';

const table = readFileSync(join(repository, coveragePage), 'utf8');
const rowsMin = 300;

/** False statements of a row. */
function untruthsOf({ files, tests, ...row }: Row): string[] {
  return [
    ...files.filter((file) => !existsSync(join(repository, file))).map((file) => `There is no ${file}.`),
    ...tests.filter((shown) => !isTest(shown)).map((shown) => `There is no test "${shown}".`),
    ...(isCallRow(row) ? callUntruths(row) : []),
  ].map((untruth) => `${row.part}, ${row.element}: ${untruth}`);
}

const isCallRow = ({ part, element }: Pick<Row, 'part' | 'element'>) =>
  part.endsWith('the calls') && element.startsWith('`');

/** A call in comparable form, without the names of its parameters. */
const comparable = (call: string) => call.replace(/\{\w+\}|:\w+/g, '*');
const served = new Set(contractRoutes.map(({ route }) => comparable(`${route.method} ${route.path}`)));

function callUntruths({ element, reason }: Pick<Row, 'element' | 'reason'>): string[] {
  const call = /^`((?:GET|POST|PUT|DELETE) \/api\/[^`]+)`/.exec(element)?.[1];
  if (!call) return ['This is no call.'];
  const isServed = served.has(comparable(call));
  if (reason) return isServed ? ['It is built, the contract has it.'] : [];
  return isServed ? [] : ['The contract has no such route.'];
}

describe('the table of built parts of the specification', () => {
  const { rows, broken } = parse(table);

  test('has a row for each element, and every row says three things', () => {
    expect(broken).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(rowsMin);
    const parts = ['Vault 2', 'Vault 5', 'Vault 7', 'Vault 8', 'Vault 9', 'Service 2', 'Service 7'];
    expect(parts.filter((part) => !rows.some((row) => row.part.startsWith(part)))).toEqual([]);
  });

  test('names no element twice in one part', () => {
    const names = rows.map(({ part, element }) => `${part}: ${element}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test('names files, tests and calls that there are', () => {
    expect(rows.flatMap(untruthsOf)).toEqual([]);
  });

  test('holds the calls of both parts of the specification', () => {
    const callsOf = (part: string) => rows.filter((row) => row.part.startsWith(part) && isCallRow(row)).length;
    expect(callsOf('Vault 7')).toBeGreaterThanOrEqual(26);
    expect(callsOf('Service 7')).toBeGreaterThanOrEqual(27);
  });
});

describe('a row', () => {
  const row: Row = {
    part: 'Vault 7: the calls',
    element: '`GET /api/user`',
    files: ['web/app.tsx'],
    reason: '',
    tests: ['web/lib/api/query.test.ts › is null for a visitor, without an error'],
  };

  test('that is true is believed', () => {
    expect(untruthsOf(row)).toEqual([]);
    expect(untruthsOf({ ...row, element: '`DELETE /api/messages/{id}` removes one' })).toEqual([]);
    expect(
      untruthsOf({
        ...row,
        tests: [
          'shared/rules/retention.test.ts › agrees with itself: no plan outlasts the longest time, and no link outlasts what it opens',
        ],
      }),
    ).toEqual([]);
  });

  test.each([
    ['a file that is not there', { files: ['web/app.tsx', 'web/nowhere.tsx'] }],
    ['a test file that is not there', { tests: ['web/nowhere.test.ts › is null'] }],
    ['a title that is not there', { tests: ['web/lib/api/query.test.ts › is null'] }],
    ['words of a test that are not its title', { tests: ['web/lib/api/query.test.ts › /api/messages'] }],
    ['a title of a file that is no test', { tests: ['web/lib/api/query.ts › warns'] }],
    ['a route that the contract lacks', { element: '`GET /api/nowhere`' }],
    ['a route that is there and said not to be', { files: [], tests: [], reason: 'later' }],
    ['a call that is none', { element: '`/api/user`' }],
  ])('with %s is found out', (_, change) => {
    expect(untruthsOf({ ...row, ...change })).toHaveLength(1);
  });

  test.each([
    '| An element | web/app.tsx |',
    '| An element |  | none yet |',
    '| An element | not built: billing | none yet |',
    '| An element | web/app.tsx | none yet | more |',
  ])('that is not whole is found out: %s', (line) => {
    expect(parse(line)).toEqual({ rows: [], broken: [line] });
  });
});

describe('mending the places of tests and files that have moved', () => {
  const title = 'is null for a visitor, without an error';
  const paths = ['web/lib/api/query.test.ts', 'web/lib/query.ts', 'web/app.tsx'];

  test('finds a test by its title and a file by its name', () => {
    const moved = `| Element | web/old/app.tsx | web/old/query.test.ts › ${title} |`;
    expect(updated(moved, paths)).toEqual({
      text: `| Element | web/app.tsx | web/lib/api/query.test.ts › ${title} |`,
      lost: [],
    });
  });

  test('leaves correct entries, and prints those that it did not find', () => {
    const row = `| Element | web/app.tsx<br>web/nowhere.tsx | web/lib/api/query.test.ts › ${title}<br>web/a.test.ts › a title of nothing |`;
    expect(updated(row, paths)).toEqual({ text: row, lost: ['web/a.test.ts › a title of nothing', 'web/nowhere.tsx'] });
  });
});
