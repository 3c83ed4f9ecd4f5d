import { describe, expect, test } from 'vitest';
import { readFolders, readSources, type Source } from './sources.ts';

// The samples below would be found too.
const sources = readSources().filter(({ path }) => path !== 'tests/architecture/style.test.ts');

const linesMax = 300;
/** Tests and texts may have any length. */
const mayBeLong = /^tests\/|^web\/content\/|\.(test|spec|fixture|test-world)\.tsx?$/;

/** Paths and lines in which `pattern` is found, in code and not in remarks. */
function findIn(files: Source[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isRemark = /^\s*(\/\/|\/?\*)/.test(line);
      return !isRemark && pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
}

describe('rules are pure', () => {
  const rules = sources.filter(({ path }) => path.endsWith('.rules.ts'));

  test('there are some', () => {
    expect(rules.length).toBeGreaterThan(5);
  });

  test('none draws lots or reads a clock: the same question always has the same answer', () => {
    expect(findIn(rules, impure)).toEqual([]);
  });

  test.each(['Math.random()', 'Date.now()', 'new Date()', 'performance.now()', 'process.env.HOME', 'await read()'])(
    '%s would be found in one',
    (code) => {
      expect(findIn([{ path: 'a.rules.ts', text: `const a = 1;\nconst b = ${code};` }], impure)).toHaveLength(1);
    },
  );
});

const impure = /Math\.random|\bDate\b\s*[.(]|\bnew Date\b|\bperformance\b\.|\bprocess\.|\bawait\b|\bfetch\(/;

describe('names', () => {
  test('no folder is a drawer for nameless things', () => {
    const drawers = ['utils', 'util', 'common', 'helpers', 'misc', 'types'];
    expect(readFolders().length).toBeGreaterThan(20);
    expect(readFolders().filter((name) => drawers.includes(name))).toEqual([]);
  });

  test('every file is written in small letters and hyphens', () => {
    const odd = sources.filter(({ path }) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.tsx?$/.test(path.split('/').at(-1) ?? ''));
    expect(odd.map(({ path }) => path)).toEqual([]);
  });
});

describe('files', () => {
  test('no file only passes on what others hold', () => {
    expect(sources.filter(({ path }) => /(^|\/)index\.tsx?$/.test(path)).map(({ path }) => path)).toEqual([]);
    expect(findIn(sources, barrel)).toEqual([]);
    expect(findIn([{ path: 'a.ts', text: "export * from './b.ts';" }], barrel)).toHaveLength(1);
  });

  test(`a file fits in a head: at most ${linesMax} lines, but for tests and content`, () => {
    const long = sources
      .filter(({ path }) => !mayBeLong.test(path))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > linesMax);
    expect(long).toEqual([]);
  });

  test('every import of ours carries its extension, and none climbs out of its folder', () => {
    expect(findIn(sources, climbing)).toEqual([]);
    expect(findIn(sources, bare)).toEqual([]);
    expect(findIn([{ path: 'a.ts', text: "import { b } from '#server/b';" }], bare)).toHaveLength(1);
    expect(findIn([{ path: 'a.ts', text: "import { b } from '../../b.ts';" }], climbing)).toHaveLength(1);
  });
});

describe('addresses of the API', () => {
  const web = sources.filter(({ path }) => path.startsWith('web/') && !isTest.test(path));

  test('stand in the contract, and nowhere in the web', () => {
    expect(findIn(web, addressOfApi)).toEqual([]);
    expect(findIn([{ path: 'a.ts', text: "useQuery({ queryKey: ['/api/messages'] });" }], addressOfApi)).toHaveLength(
      1,
    );
  });

  test('are read by a route of the contract, which knows the type of the answer', () => {
    const reading = findIn(web, ownQuery).map((found) => found.split(':')[0] ?? '');
    expect([...new Set(reading)].filter((path) => !path.startsWith('web/lib/'))).toEqual([]);
    expect(reading).toContain('web/lib/api/reads.ts');
  });
});

const isTest = /\.(test|fixture|test-world)\.tsx?$/;
const addressOfApi = /['"`]\/api\//;
const ownQuery = /\buseQuery\b/;
const barrel = /^\s*export\s+(type\s+)?\*\s+from/;
const climbing = /\bfrom '\.\.\/\.\.\/|\bimport\('\.\.\/\.\.\//;
const bare = /\bfrom '(#|\.\/|\.\.\/)[^']*(?<!\.(?:tsx?(?:\?worker&url)?|m?js|css|json|svg))'/;
