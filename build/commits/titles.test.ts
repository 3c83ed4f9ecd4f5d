import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkTitles, faultsOf } from './titles.ts';

describe('a commit title', () => {
  test.each([
    'Fix four lazy-loading bugs from review',
    'Limit functions to 70 lines, factories to 150',
    'Count former contacts as gone when a release is undone',
    'Address complaints from the mail provider',
    'Process bounces before replies',
  ])('%s follows the rule', (title) => {
    expect(faultsOf(title)).toEqual([]);
  });

  test.each([
    ['Fixed the outbox', 'imperative'],
    ['Fixes the outbox', 'imperative'],
    ['The outbox sends faster', 'imperative'],
    ['fix the outbox', 'imperative'],
    [`Fix the outbox ${'of the worker '.repeat(5)}`.trim(), '72 characters'],
    ['Fix the outbox.', 'full stop'],
    ['Mend what a second attack on late parts found', 'Name the thing'],
    ['Count whoever left the role', 'Name the thing'],
    ['Let no function be longer than seventy lines', 'Name the thing'],
  ])('%s breaks it: %s', (title, advice) => {
    expect(faultsOf(title).join(' ')).toContain(advice);
  });
});

describe('the check of commit titles', () => {
  let folder: string;
  const git = (...given: string[]) => gitAt(undefined, ...given);
  const gitAt = (time: string | undefined, ...given: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...given],
      {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
        env: { ...process.env, ...(time && { GIT_COMMITTER_DATE: time }) },
      },
    ).trim();
  const commit = (title: string, time?: string) => gitAt(time, 'commit', '--allow-empty', '-m', title);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'titles-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('reads the commits after the beginning, and no merge', () => {
    git('init', '-b', 'main');
    commit('What was before');
    const from = { commit: git('rev-parse', 'HEAD'), at: '2020-01-01T00:00:00Z' };
    git('checkout', '-b', 'side');
    commit('Fix the outbox');
    git('checkout', 'main');
    commit('Fixed the outbox');
    git('merge', '--no-ff', '-m', 'Whatever was merged', 'side');
    const { note, checked, bad } = checkTitles(folder, from);
    expect({ note, checked, bad: bad.map((each) => each.slice(8).split('\n')[0]) }).toEqual({
      note: '',
      checked: 2,
      bad: ['Fixed the outbox'],
    });
  });

  test('without the beginning, reports so and checks the commits since its time', () => {
    git('init', '-b', 'main');
    commit('Fixed the outbox', '2025-01-01T00:00:00Z');
    const missing = 'a'.repeat(40);
    expect(checkTitles(folder, { commit: missing, at: '2020-01-01T00:00:00Z' })).toMatchObject({
      note: expect.stringContaining('history lacks aaaaaaaa'),
      checked: 1,
      bad: [expect.stringContaining('Fixed the outbox')],
    });
    expect(checkTitles(folder, { commit: missing, at: '2026-01-01T00:00:00Z' })).toMatchObject({ checked: 0, bad: [] });
  });

  test('without a commit, reports so and finds no fault', () => {
    expect(checkTitles(folder)).toEqual({ note: expect.stringContaining('No commit'), checked: 0, bad: [] });
    git('init', '-b', 'main');
    expect(checkTitles(folder)).toEqual({ note: expect.stringContaining('No commit'), checked: 0, bad: [] });
  });
});
