import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { repository, roots } from './sources.ts';

/** Kinds of text that the rules cover. Pages and mails have `words.test.ts`. */
export type Kind = 'comments' | 'docs' | 'names of tests';

/** One sentence that breaks one rule. */
export type Riddle = { path: string; line: number; kind: Kind; rule: string; text: string };

type Passage = { line: number; kind: Kind; text: string };
type Rule = { name: string; advice: string; breaks: (text: string) => number };

const wordsPerSentenceMax = 25;

/** Number of places in a text that match the pattern. */
const countOf = (pattern: RegExp) => (text: string) => text.match(pattern)?.length ?? 0;

const openers =
  /^(what|whether|how|where|when|whoever|whose|whom|who|why|which|the same|of|those|it|so|such)\b(?![-:=(.’'])/gi;

/** The rules of CONTRIBUTING.md that a program can check. */
export const rules: readonly Rule[] = [
  {
    name: 'opening',
    advice:
      'Start with the subject, a verb or a noun, not with What, Whether, How, Where, When, The same, Of, It or So.',
    breaks: countOf(openers),
  },
  {
    name: 'person',
    advice: 'Name the role (the owner, the contact, the caller) in place of nobody, somebody, anybody or whoever.',
    breaks: countOf(/\b(nobody|somebody|anybody|who(m)?ever)\b/gi),
  },
  {
    name: 'noun',
    advice: 'Use the noun itself in place of “what is …” or “what was …”.',
    breaks: countOf(/\bwhat (is|was|are|were|has|had|becomes|became|follows|stands|lies|comes|came)\b/gi),
  },
  {
    name: 'told',
    advice: 'Say “is notified”, “is emailed” or “is reported” in place of “is told”.',
    breaks: countOf(/\b(is|are|was|were|be|been|being) told\b/gi),
  },
  {
    name: 'dialect',
    advice: 'Say “again” for anew, “fixed” for mended, “failed” for in vain, “permanently” for for good.',
    breaks: countOf(/\b(anew|mended|in vain|for good|none of ours)\b/gi),
  },
  {
    name: 'length',
    advice: `Split the sentence: at most ${wordsPerSentenceMax} words.`,
    breaks: (text) => sentencesOf(text).filter((sentence) => wordsOf(sentence) > wordsPerSentenceMax).length,
  },
];

const sentencesOf = (text: string) => text.split(/(?<=[.!?:;][)”’"*]*)\s+(?=[^a-z])|\n/);
const wordsOf = (sentence: string) => sentence.split(/\s+/).filter((word) => /[a-z0-9]/i.test(word)).length;

/** Riddles of one file. The path decides how it is read. */
export function riddlesIn(path: string, text: string): Riddle[] {
  return passagesIn(path, text).flatMap(({ line, kind, text: words }) =>
    rules.flatMap(({ name, breaks }) =>
      Array.from({ length: breaks(words) }, () => ({ path, line, kind, rule: name, text: words })),
    ),
  );
}

/** Riddles of every file that people of this project write. */
export function readRiddles(): Riddle[] {
  return writtenFiles().flatMap((path) => riddlesIn(path, readFileSync(join(repository, path), 'utf8')));
}

/** Paths of all files that the counter reads. */
export function writtenFiles(): string[] {
  const inFolders = [...roots, 'docs', 'deploy'].flatMap((root) =>
    readdirSync(join(repository, root), { recursive: true, encoding: 'utf8' }).map((name) => `${root}/${name}`),
  );
  return [...readdirSync(repository), ...inFolders].map((path) => path.replaceAll('\\', '/')).filter(isWritten);
}

/** True if people of this project write the file by hand. Quotations of the specification are not ours. */
const isWritten = (path: string) =>
  /\.(tsx?|md|css|sql|ya?ml|sh|mjs|c)$|Dockerfile$|\.env\.example$/.test(path) &&
  !/^build\/licences\/|^tests\/spec-coverage\/spec-coverage\.md$|^tests\/architecture\/plain-english/.test(path);

function passagesIn(path: string, text: string): Passage[] {
  if (path.endsWith('.md')) return passagesOfMarkdown(text);
  if (/\.tsx?$/.test(path)) return [...commentsOfCode(path, text), ...namesOfTests(path, text)];
  return commentsOfOther(path, text);
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** Comments of TypeScript. Line comments on successive lines are one passage. */
function commentsOfCode(path: string, text: string): Passage[] {
  const { comments } = parseSync(path, text);
  const passages: (Passage & { end: number })[] = [];
  for (const { type, value, start, end } of comments) {
    const last = passages.at(-1);
    const continues = type === 'Line' && last && /^\n[ \t]*$/.test(text.slice(last.end, start));
    if (continues) Object.assign(last, { text: `${last.text} ${value.trim()}`, end });
    else passages.push({ line: lineAt(text, start), kind: 'comments', text: wordsOfComment(value), end });
  }
  return passages.filter(({ text: words }) => !isDirective(words));
}

/** Text of a comment without asterisks and tags. */
const wordsOfComment = (value: string) =>
  value
    .split('\n')
    .map((line) => line.replace(/^\s*\*+ ?/, '').trim())
    .join(' ')
    .replace(/^\*/, '')
    .trim();

const isDirective = (words: string) => /^(biome-ignore|@|#__|vite-|prettier|!)/.test(words);

function commentsOfOther(path: string, text: string): Passage[] {
  const pattern = /\.(css|c)$/.test(path)
    ? /\/\*([\s\S]*?)\*\//g
    : path.endsWith('.sql')
      ? /((?:^[ \t]*--.*\n?)+)/gm
      : path.endsWith('.mjs')
        ? /((?:^[ \t]*(?:\/\/|\/?\*).*\n?)+)/gm
        : /((?:^[ \t]*#(?!!).*\n?)+)/gm;
  const passages = [...text.matchAll(pattern)].map((match) => ({
    line: lineAt(text, match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0)),
    kind: 'comments' as const,
    text: (match[1] ?? '')
      .replace(/^[ \t]*(\*+\/?|#+|--|\/\/|\/\*+)[ \t]?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  }));
  return passages.filter(({ text: words }) => !isDirective(words));
}

/** Paragraphs, list items, headings and lines of cells. Code is left out. */
function passagesOfMarkdown(text: string): Passage[] {
  const passages: Passage[] = [];
  let inCode = false;
  let continues = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) inCode = !inCode;
    const isText = !inCode && !/^( {4}|\s*```|\s*$|\|[-| :]+\|$)/.test(line);
    const starts = /^\s*([-*] |\d+\. |#|\|)/.test(line);
    const last = passages.at(-1);
    if (isText && continues && !starts && last) last.text += ` ${withoutMarks(line)}`;
    else if (isText)
      passages.push(...blocksOf(line).map((words) => ({ line: index + 1, kind: 'docs' as const, text: words })));
    continues = isText && !/^\s*[#|]/.test(line);
  }
  return passages;
}

const blocksOf = (line: string) =>
  (/^\s*\|/.test(line) ? line.split(/\||<br>/) : [line.replace(/^\s*([-*] |\d+\. |#+ (\d+\. )?)/, '')]).map(
    withoutMarks,
  );

const withoutMarks = (line: string) =>
  line
    .replace(/\]\([^)]*\)/g, '')
    .replace(/`[^`]*`/g, 'code')
    .replace(/[[\]*_]/g, '')
    .trim();

type Call = { type: 'CallExpression'; start: number; callee: unknown; arguments: { type: string; value?: unknown }[] };

/** First arguments of `test`, `it` and `describe`, with their `each`, `skipIf` and so on. */
function namesOfTests(path: string, text: string): Passage[] {
  if (!/\.(test|spec)\.tsx?$|-cases\.tsx?$/.test(path)) return [];
  const found: Passage[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    else if (typeof node === 'object' && node !== null) {
      const name = nameOfTest(node as Call);
      if (name !== null) found.push({ line: lineAt(text, (node as Call).start), kind: 'names of tests', text: name });
      for (const each of Object.values(node)) visit(each);
    }
  };
  visit(parseSync(path, text).program);
  return found;
}

function nameOfTest({ type, callee, arguments: given }: Call): string | null {
  if (type !== 'CallExpression' || !isTestFunction(callee)) return null;
  const [title] = given;
  return title?.type === 'Literal' && typeof title.value === 'string' ? title.value : null;
}

function isTestFunction(callee: unknown): boolean {
  const { type, name, object, callee: inner } = callee as Record<string, unknown>;
  if (type === 'Identifier') return ['test', 'it', 'describe'].includes(String(name));
  if (type === 'MemberExpression') return isTestFunction(object);
  return type === 'CallExpression' && isTestFunction(inner);
}

const folders = [
  'server/features',
  'server/commands',
  'server/platform',
  'server/http',
  'server/schema',
  'web/features',
  'web/components',
  'web/content',
  'web/lib',
  'web/pages',
  'docs/decisions',
  'tests/e2e',
  'tests/simulation',
  'tests/support',
  'tests/surface',
];

/** Folder whose limit counts the file. */
export const folderOf = (path: string) =>
  folders.find((folder) => path.startsWith(`${folder}/`)) ?? (path.includes('/') ? (path.split('/')[0] ?? '') : '.');

export type Counts = Record<string, Partial<Record<Kind, number>>>;

/** Number of riddles per folder and kind. */
export function countRiddles(riddles: readonly Riddle[]): Counts {
  const counts: Counts = {};
  for (const { path, kind } of riddles) {
    const folder = folderOf(path);
    const ofFolder = counts[folder] ?? {};
    counts[folder] = { ...ofFolder, [kind]: (ofFolder[kind] ?? 0) + 1 };
  }
  return counts;
}
