import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { vaultPages } from '#web/vault-pages.ts';
import { repository } from './sources.ts';

/** Replaced by their values when the web is built, so that no browser fetches what they import. */
const evaluated = ['web/lib/api/light-routes.ts', 'web/lib/api/vault-routes.ts'];
const statement = /^(?:import|export)\s+(?!type\b)([^;]*?)\s*from\s+'(#web|#shared|\.{1,2})([^']+)';/gms;

/** Files whose values a file imports, from the root of the repository. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(repository, file), 'utf8');
  return [...text.matchAll(statement)].flatMap(([, names = '', root = '', path = '']) => {
    const isType = /^\{/.test(names) && !/[{,]\s*(?!type\b)[\w$]/.test(names);
    if (isType) return [];
    return root.startsWith('#') ? `${root.slice(1)}${path}` : join(file, '..', `${root}${path}`);
  });
}

/** Files that a page loads before it is shown. */
function firstView(page: string): Set<string> {
  const found = new Set([page]);
  for (const file of found) {
    const isRead = /\.tsx?$/.test(file) && !evaluated.includes(file) && existsSync(join(repository, file));
    for (const imported of isRead ? importsOf(file) : []) found.add(imported);
  }
  return found;
}

test.each(['/', '/messages', '/documents', '/contacts'] as const)(
  '%s is shown without a schema of the contract',
  (address) => {
    const files = [...firstView(`web/${vaultPages[address].source}`)];
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => file.startsWith('shared/contract/'))).toEqual([]);
  },
);
