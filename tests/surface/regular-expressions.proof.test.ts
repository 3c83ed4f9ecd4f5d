import { pathToFileURL } from 'node:url';
import { checkSync } from 'recheck';
import { parseSync } from 'vite';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readSources, repository, type Source } from '#tests/architecture/sources.ts';

/** One text of a stranger must not hold the event loop: patterns read in linear time, or a named bound keeps them short. */

const isTest = /\.(test|spec|fixture|test-world)\.tsx?$/;
const sources = readSources().filter(({ path }) => /^(?:server|shared|web)\//.test(path) && !isTest.test(path));

/** Patterns that may need more than linear time, by file and beginning, and the bound of their text. Add none without a bound. */
const bounded = [
  ['server/platform/mail/mail-codes.ts', String.raw`<[^>]*>|\S*@\S*|http`, 'wordsLengthMax'],
  ['server/platform/mail/mail-codes.ts', String.raw`\b(?:mailbox|inbox|a`, 'wordsLengthMax'],
  ['server/platform/mail/mail-codes.ts', String.raw`\b(?:unknown|no such`, 'wordsLengthMax'],
  ['server/platform/mail/mail-codes.ts', String.raw`\b5\.7\.\d{1,3}\b|\b`, 'wordsLengthMax'],
  ['server/platform/mail/markup.ts', String.raw` *\n *`, 'the words of our own templates'],
] as const;
const beginning = 20;

/** Far above the need of a pattern, because one that could not be judged counts as slow. */
const judgedWithinMs = 600_000;

/** Limits by characters read. The usual ones in time call a sound pattern slow on a busy machine, but end sooner. */
const countsOnly = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

type Pattern = { path: string; source: string; flags: string };
type Node = { type: string; name?: unknown; regex?: { pattern: string; flags: string } };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The literals of a file, and how often it names `RegExp` as a value. */
function read({ path, text }: Source): { literals: Pattern[]; sites: number } {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} could not be read.`);
  const literals: Pattern[] = [];
  let sites = 0;
  const visit = (node: Node, parent: Node | null) => {
    if (node.type === 'Literal' && node.regex)
      literals.push({ path, source: node.regex.pattern, flags: node.regex.flags });
    if (node.type === 'Identifier' && node.name === 'RegExp' && parent?.type !== 'TSTypeReference') sites += 1;
    for (const child of Object.values(node).flat().filter(isNode)) visit(child, node);
  };
  visit(program as unknown as Node, null);
  return { literals, sites };
}

type Module = Record<string, (...given: unknown[]) => unknown>;

/** Files that construct patterns from our own routes inside a function, and a call of it. */
const callOf: Record<string, (module: Module) => unknown> = {
  'server/http/pages/linked-pages.ts': ({ patternOf }) => patternOf?.('/message/:one/:token?'),
  'server/http/not-found.ts': ({ handleUnknown }) =>
    handleUnknown?.({
      addHook: (_: string, hook: (route: unknown) => void) => hook({ url: '/api/messages/:id/:part/*', method: 'GET' }),
      setNotFoundHandler: () => {},
    }),
};

afterEach(() => vi.unstubAllGlobals());

/** Patterns that a file constructs when it is loaded, and when the call named above is made. */
async function constructedBy(path: string): Promise<Pattern[]> {
  const found: Pattern[] = [];
  const heard = new Proxy(RegExp, {
    construct(target, given, self) {
      const pattern = Reflect.construct(target, given, self) as RegExp;
      const [, , caller = ''] = new Error('Who constructs it?').stack?.split('\n') ?? [];
      if (caller.includes(path)) found.push({ path, source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  vi.resetModules();
  vi.stubGlobal('RegExp', heard);
  const module = await import(/* @vite-ignore */ pathToFileURL(`${repository}${path}`).href);
  callOf[path]?.(module);
  vi.unstubAllGlobals();
  return found;
}

function isBounded({ path, source }: Pattern): boolean {
  return bounded.some(([file, begin]) => path === file && source.slice(0, beginning) === begin);
}

/** Patterns that need more than linear time, or that could not be judged. */
function slow(patterns: readonly Pattern[]) {
  const distinct = new Map(patterns.map((pattern) => [`${pattern.path} /${pattern.source}/${pattern.flags}`, pattern]));
  return [...distinct.values()].flatMap((pattern) => {
    const judge = (limits: object) => checkSync(pattern.source, pattern.flags, { timeout: judgedWithinMs, ...limits });
    const first = judge({});
    const judged = first.status === 'safe' || isBounded(pattern) ? first : judge(countsOnly);
    if (judged.status === 'safe') return [];
    return { ...pattern, how: judged.status === 'vulnerable' ? judged.complexity.type : judged.status };
  });
}

describe('regular expressions', () => {
  test('none is exponential, and each polynomial one has a named bound', { timeout: 1_800_000 }, async () => {
    const patterns: Pattern[] = [];
    const unheard: unknown[] = [];
    for (const source of sources) {
      const { literals, sites } = read(source);
      patterns.push(...literals);
      if (sites === 0) continue;
      const constructed = await constructedBy(source.path);
      patterns.push(...constructed);
      if (constructed.length !== sites) unheard.push([source.path, { sites, constructed: constructed.length }]);
    }
    expect(unheard).toEqual([]);
    expect(patterns.length).toBeGreaterThan(300);
    const found = slow(patterns);
    expect(found.filter(({ how }) => how === 'exponential')).toEqual([]);
    expect(found.filter((pattern) => !isBounded(pattern))).toEqual([]);
    expect(new Set(patterns.filter(isBounded).map(({ source }) => source)).size).toBe(bounded.length);
  });

  test('a slow one would be found, as a literal and by its constructor', () => {
    const text =
      'const thanks = /^(?:ta|x{1,6}| )+$/; const end = /=+$/; const own = new RegExp(given); let a: RegExp;';
    const { literals, sites } = read({ path: 'a.ts', text });
    expect(slow(literals).map(({ how }) => how)).toEqual(['exponential', 'polynomial']);
    expect(sites).toBe(1);
  });
});
