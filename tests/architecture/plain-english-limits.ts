import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Counts,
  countRiddles,
  folderOf,
  type Kind,
  type Riddle,
  readRiddles,
  riddlesIn,
  rules,
} from './plain-english.ts';
import { repository } from './sources.ts';

const limitsPath = 'tests/architecture/plain-english-limits.json';

export const readLimits = () => JSON.parse(readFileSync(join(repository, limitsPath), 'utf8')) as Counts;

type Place = { folder: string; kind: Kind };

/** Folders and kinds whose count is above the limit. A folder without a limit may hold no riddle. */
export function grown(counts: Counts, limits: Counts): Place[] {
  return placesIn(counts).filter(({ folder, kind }) => numberIn(counts, folder, kind) > numberIn(limits, folder, kind));
}

/** Limits after the counts of today. No limit rises. */
export function lowered(limits: Counts, counts: Counts): Counts {
  const lower: Counts = {};
  for (const { folder, kind } of placesIn(limits)) {
    const limit = Math.min(numberIn(limits, folder, kind), numberIn(counts, folder, kind));
    if (limit > 0) lower[folder] = { ...lower[folder], [kind]: limit };
  }
  return lower;
}

const placesIn = (counts: Counts): Place[] =>
  Object.entries(counts).flatMap(([folder, kinds]) =>
    Object.keys(kinds).map((kind) => ({ folder, kind: kind as Kind })),
  );

const numberIn = (counts: Counts, folder: string, kind: Kind) => counts[folder]?.[kind] ?? 0;

const shownMax = 40;

/** Message for a developer: every count that grew, each new riddle with its place, and the rule that it breaks. */
export function explain(places: readonly Place[], riddles: readonly Riddle[], limits: Counts): string {
  const counts = countRiddles(riddles);
  return places
    .map(({ folder, kind }) => {
      const here = riddles.filter((riddle) => riddle.kind === kind && folderOf(riddle.path) === folder);
      const added = withoutKnown(here, folder, kind);
      const heading = `${folder}, ${kind}: ${numberIn(counts, folder, kind)} riddles, limit ${numberIn(limits, folder, kind)}.`;
      return [heading, ...added.slice(0, shownMax).map(lineOf)].join('\n');
    })
    .join('\n\n');
}

const lineOf = ({ path, line, rule, text }: Riddle) =>
  `  ${path}:${line}: “${text.slice(0, 100)}”\n    ${rules.find(({ name }) => name === rule)?.advice}`;

/** Riddles that were not there when the limits were last committed. Without Git's history: all of them. */
function withoutKnown(riddles: readonly Riddle[], folder: string, kind: Kind): Riddle[] {
  const known = new Map<string, number>();
  for (const riddle of oldRiddles(folder)) {
    if (riddle.kind === kind) known.set(keyOf(riddle), (known.get(keyOf(riddle)) ?? 0) + 1);
  }
  return riddles.filter((riddle) => {
    const left = known.get(keyOf(riddle)) ?? 0;
    known.set(keyOf(riddle), left - 1);
    return left <= 0;
  });
}

const keyOf = ({ rule, text }: Riddle) => `${rule} ${text}`;

function oldRiddles(folder: string): Riddle[] {
  try {
    const commit = git('log', '-1', '--format=%H', '--', limitsPath).trim();
    const paths = git('ls-tree', '-r', '--name-only', commit).split('\n');
    return paths
      .filter((path) => folderOf(path) === folder && /\.(tsx?|md|css|sql|ya?ml|sh|mjs|c)$/.test(path))
      .flatMap((path) => riddlesIn(path, git('show', `${commit}:${path}`)));
  } catch {
    return [];
  }
}

const git = (...given: string[]) =>
  execFileSync('git', given, { cwd: repository, encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 * 1024 * 1024 });

/** Writes the limits of today, if they are lower. */
function lowerLimits(): void {
  const counts = countRiddles(readRiddles());
  const limits = existsSync(join(repository, limitsPath)) ? lowered(readLimits(), counts) : counts;
  const sorted = Object.fromEntries(Object.entries(limits).sort(([one], [other]) => one.localeCompare(other)));
  writeFileSync(join(repository, limitsPath), `${JSON.stringify(sorted, null, 2)}\n`);
}

if (import.meta.main) lowerLimits();
