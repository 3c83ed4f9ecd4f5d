import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';
import { readSources, type Source } from './sources.ts';

/**
 * Words that people stumbled over, and that do not come back. What we ask for is presence, not health: these sentences
 * reach people who are dying. The rest was translated rather than spoken. Comments may say "sign of life"; it is the field's.
 */
const gone: readonly RegExp[] = [
  /\bsigns? of life\b/i,
  /\bperiods? of silence\b/i,
  /\b(you’re|you are|they are) (fine|well)\b/i,
  /\bis well(?=[.,?]|$)/i,
  /\b(whether|tell us|told us) (that )?all is well\b/i,
  /\b(you|they) are all right\b/i,
  /\bmended\b/i,
  /\bno (legal|medical) advice\b/i,
  /\bnot even we\b(?! can)/i,
  /\bin two presses\b/i,
  /\bevery way we have\b/i,
  /\bbegin once more\b/i,
  /\bpapers to begin with\b/i,
  /\bfirst “no” of anybody\b/i,
  /\banswer (STOP|START|YES)\b/i,
  /\bno need to hurry\b/i,
  /\banswer this email\b/i,
  /\byou need (not|do nothing)\b/i,
  /\byou need no account\b/i,
  /\byou have nothing to do\b/i,
  /\bwas it not you\?/i,
  /\b(take|took|taken) our records back\b|\brecords were taken back\b/i,
  /\btake our (mail|emails?)\b/i,
  /\blook (whether|if)\b/i,
  /\bcut or damaged\b/i,
  /\btook nothing of it\b/i,
  /\byour time of silence\b/i,
  /\b(code|hour|checkout) is over\b/i,
  /\bdo not belong together\. Check\b/i,
  /\bthere is this in it\b/i,
  /\bwith it the account goes\b/i,
  /\btakes no answer\b/i,
  /\bloses time to answer\b/i,
  // A letter has up to twenty readers.
  /\b(each|goes|go) (goes )?to one person\b/i,
  /\bwrite to one person at a time\b/i,
];

/** Text for people: pages, mails, texts and errors. Commands and mails for operators are left out. */
const isRead = (path: string) =>
  /^(web|shared)\/|^server\/features\//.test(path) && !/\.test\.tsx?$|test-world|operator\.emails|metrics/.test(path);

type Node = { type: string; value?: unknown };

/** Strings, templates and the words between tags; comments and names are none. */
function wordsOf({ path, text }: Source): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    else if (typeof node === 'object' && node !== null) {
      const words = wordsIn(node as Node);
      if (words !== null) found.push(words);
      else for (const each of Object.values(node)) visit(each);
    }
  };
  visit(parseSync(path, text).program);
  return found;
}

function wordsIn({ type, value }: Node): string | null {
  if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') return value;
  if (type !== 'TemplateElement') return null;
  return (value as { cooked: string | null }).cooked ?? '';
}

const read = readSources()
  .filter(({ path }) => isRead(path))
  .map((source) => ({ path: source.path, words: wordsOf(source) }));

describe('the words of pages, mails, texts and errors', () => {
  test('are found', () => {
    const all = read.flatMap(({ words }) => words);
    expect(all.length).toBeGreaterThan(5_000);
    expect(all.some((words) => words.startsWith('We heard from you'))).toBe(true);
  });

  test.each(gone)('%s does not come back', (word) => {
    const found = read.flatMap(({ path, words }) =>
      words.filter((each) => word.test(each)).map((each) => `${path}: ${each.slice(0, 120)}`),
    );
    expect(found).toEqual([]);
  });

  test('each of them is caught where it stands', () => {
    const planted = [
      'without a sign of life',
      'your period of silence is over',
      'You’re fine.',
      'If you know that Sam is well, choose',
      'Press Check in to tell us all is well',
      'whether you are all right',
      'until it is mended',
      'This is no legal advice',
      'Nobody can, not even we.',
      'cancel it in two presses',
      'You are told by every way we have',
      'Begin once more.',
      'Papers to begin with.',
      'A first “no” of anybody',
      'Answer STOP for no more texts',
      'There is no need to hurry',
      'If not, answer this email.',
      'You need do nothing, unless it surprises you',
      'You need no account.',
      'You have nothing to do.',
      'Was it not you? Then choose',
      'we had to take our records back',
      'too few of them take our emails',
      'Please look whether you know the address',
      'This archive is cut or damaged',
      'so we took nothing of it',
      'Your time of silence counts from today',
      'That code is over.',
      'That email address and password do not belong together. Check both.',
      'So far there is this in it:',
      'one button, and with it the account goes',
      'the link takes no answer any more',
      'nobody loses time to answer',
      'each to one person',
      'write to one person at a time',
    ];
    expect(gone.map((word, index) => word.test(planted[index] ?? ''))).toEqual(gone.map(() => true));
  });
});
