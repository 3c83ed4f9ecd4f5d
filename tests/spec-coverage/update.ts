/**
 * `npm run spec:coverage` updates moved tests in the tables, by their titles, and moved files of the product, by
 * their names. Entries without a match, or with several, are printed and left as they are.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isTest } from '#tests/architecture/named-tests.ts';
import { readSources, repository } from '#tests/architecture/sources.ts';
import { coveragePage } from './table.ts';

const pagesThatNameTests = [coveragePage, 'docs/abuse.md', 'docs/security-promises.md'];

const namedTest = /[\w./-]+\.(?:test|spec)\.tsx? › [^|]+?(?=<br>| \|)/g;
const namedFile = /(?<=[| >])(?:server|shared|web)\/[\w./-]+\.(?:tsx?|css|mjs)(?=<br>| \|)/g;

/** The text with every place that has changed, and what could not be found. */
export function updated(text: string, paths: readonly string[]): { text: string; lost: string[] } {
  const lost: string[] = [];
  const only = (found: string[], named: string) => {
    if (found.length === 1) return found[0] ?? named;
    lost.push(found.length === 0 ? named : `${named} (in ${found.join(', ')})`);
    return named;
  };
  const withTests = text.replace(namedTest, (named) => {
    if (isTest(named)) return named;
    const title = named.slice(named.indexOf(' › '));
    return only(
      paths.map((path) => `${path}${title}`).filter((candidate) => isTest(candidate)),
      named,
    );
  });
  const withFiles = withTests.replace(namedFile, (named) => {
    if (existsSync(join(repository, named))) return named;
    return only(
      paths.filter((path) => basename(path) === basename(named)),
      named,
    );
  });
  return { text: withFiles, lost };
}

if (import.meta.main) {
  const paths = readSources().map(({ path }) => path);
  for (const page of pagesThatNameTests) {
    const before = readFileSync(join(repository, page), 'utf8');
    const { text, lost } = updated(before, paths);
    if (text !== before) writeFileSync(join(repository, page), text);
    for (const name of lost) process.stderr.write(`${page}: ${name}\n`);
    if (lost.length > 0) process.exitCode = 1;
  }
}
