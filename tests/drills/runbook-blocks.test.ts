import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '#tests/architecture/sources.ts';
import { blocksOf, namesOf, yoursOf } from './runbook-blocks.ts';

const runbook = await readFile(join(repository, 'docs/runbook.md'), 'utf8');

test('every block of the runbook but the first says on which machine it is given, so that none is left out', () => {
  const fences = [...runbook.matchAll(/^```(.*)$/gm)].map(([, words]) => words).filter((words) => words !== '');
  expect(fences[0]).toBe('sh');
  expect(fences.slice(1).filter((words) => !/^sh (?:first|second)$/.test(words ?? ''))).toEqual([]);
  expect(blocksOf(runbook)).toHaveLength(fences.length - 1);
});

test('every value to fill in is named before it is used', () => {
  const [given = ''] = /^```sh\n[\s\S]*?^```$/m.exec(runbook) ?? [];
  const named = [...given.matchAll(/(?:export | )([A-Z]+)=/g)].map(([, name]) => name);
  const explained = ['PASSWORD', 'COPY_OF_KEY'];
  expect(yoursOf(runbook).filter((name) => !named.includes(name))).toEqual(explained.toReversed());
  for (const name of explained)
    expect(
      runbook
        .split('```')
        .filter((_, index) => index % 2 === 0)
        .join(''),
    ).toContain(`$${name}`);
});

test('a block is known by its section and its place in it', () => {
  const blocks = blocksOf('## One\n\n```sh first\na\n```\n\n```sh second\nb\nc\n```\n\n## Two\n\n```sh\nleft\n```\n');
  expect(blocks).toEqual([
    { section: 'One', number: 1, machine: 'first', script: 'a\n' },
    { section: 'One', number: 2, machine: 'second', script: 'b\nc\n' },
  ]);
  expect([...namesOf(blocks)]).toEqual(['One/0', 'One/1', 'One/2']);
});
