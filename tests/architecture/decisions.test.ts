import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from './sources.ts';

const folder = join(repository, 'docs/decisions');
const records = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));

/** A record as the index names it: its number, its title and its file. */
function lineOf(record: string): string {
  const [heading = ''] = readFileSync(join(folder, record), 'utf8').split('\n');
  const [, number, title] = /^# (\d+)\. (.+)$/.exec(heading) ?? [];
  return `- ${number}: [${title}](${record})`;
}

test('the index of decisions names every record by its title', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const lines = index.split('\n').filter((line) => line.startsWith('- '));
  expect(records.length).toBeGreaterThan(50);
  expect(lines).toEqual(records.map(lineOf));
});

const sections = ['## Context', '## Decision', '## Consequences', '## Alternatives'];

test('each record has a context, a decision, its consequences and its alternatives, in this order', () => {
  const wrong = records.filter((record) => {
    const lines = readFileSync(join(folder, record), 'utf8').split('\n');
    return sections.join() !== lines.filter((line) => sections.includes(line)).join();
  });
  expect(wrong).toEqual([]);
});
