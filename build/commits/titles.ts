import { execFileSync } from 'node:child_process';

/** Newest commit whose title is older than the rule. `at` serves a shallow clone, which may lack the commit. */
const beginning = { commit: '24b45c694938763ecd1deca1444b4f63178cfb2d', at: '2026-11-29T14:38:48Z' };

const titleMax = 72;

type Fault = { breaks: (title: string) => boolean; advice: string };

/** Words that end like a participle or a third person but are imperatives. */
const imperatives = new Set(
  'Access Address Bring Bypass Compress Cross Discuss Dismiss Embed Feed Focus Miss Need Pass Ping Press Process Proceed Seed Shed Speed String Suppress Wring'.split(
    ' ',
  ),
);

const firstWordOf = (title: string) => title.split(/\s/)[0] ?? '';

const faults: readonly Fault[] = [
  { breaks: (title) => title.length > titleMax, advice: `Shorten it to at most ${titleMax} characters.` },
  { breaks: (title) => title.endsWith('.'), advice: 'Leave out the full stop.' },
  {
    breaks: (title) => !/^[A-Z][a-z]+(-[a-z]+)?$/.test(firstWordOf(title)) || isNoImperative(firstWordOf(title)),
    advice: 'Start with a verb in the imperative, such as Add, Fix, Move or Rename.',
  },
  {
    breaks: (title) =>
      /\b(what|who(m)?ever|nobody|somebody|anybody|anew|mended)\b|^(Mend|Let|Have|Ask for|Say)\b/i.test(title),
    advice: 'Name the thing that changed, with a plain verb.',
  },
];

const isNoImperative = (word: string) =>
  !imperatives.has(word) && /(ed|ing|[^s]s)$|^(The|A|An|No|New|All|Some|This|It|When|If|So|More|Now)$/.test(word);

/** Advice for a title that breaks the rule of commits. Empty if the title follows it. */
export const faultsOf = (title: string): string[] =>
  faults.filter(({ breaks }) => breaks(title)).map(({ advice }) => advice);

export type Checked = { note: string; checked: number; bad: string[] };

/** Titles of the commits since the beginning. Merges are left out. Never throws for a missing history. */
export function checkTitles(folder: string, from = beginning): Checked {
  const git = (...given: string[]) => execFileSync('git', given, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const titlesOf = (...given: string[]) =>
    git('log', '--no-merges', '--format=%h %s', ...given)
      .split('\n')
      .filter((line) => line !== '');
  let titles: string[];
  let note = '';
  try {
    git('rev-parse', 'HEAD');
  } catch {
    return { note: 'No commit here, so no title was checked.', checked: 0, bad: [] };
  }
  try {
    git('merge-base', '--is-ancestor', from.commit, 'HEAD');
    titles = titlesOf(`${from.commit}..HEAD`);
  } catch {
    note = `The history lacks ${from.commit.slice(0, 8)}, so only commits since ${from.at} that are here were checked.`;
    titles = titlesOf(`--since=${from.at}`);
  }
  const bad = titles.flatMap((line) => {
    const [hash = '', title = ''] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    return faultsOf(title).map((advice) => `${hash} ${title}\n  ${advice}`);
  });
  return { note, checked: titles.length, bad };
}

function main(): void {
  const { note, checked, bad } = checkTitles(process.cwd());
  for (const line of [note, ...bad].filter((each) => each !== '')) console.log(line);
  console.log(`Commit titles: ${checked} checked, ${bad.length} to fix.`);
  if (bad.length > 0) process.exitCode = 1;
}

if (import.meta.main) main();
