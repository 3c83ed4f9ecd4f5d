import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root, runApart } from '#tests/simulation/apart.ts';
import { coreSabotages } from './core-sabotages.ts';
import { databaseSabotages } from './database-sabotages.ts';
import { checkAll, sabotaged } from './sabotage.ts';
import { sabotages } from './sabotages.ts';

/** Three that cost seconds and no database; `npm run prove` plants all of them. */
const chosen = ['quorum ignored', 'a cancel ignored', 'the gap before asking left out'];

test('planted mistakes in quorum, cancel and the gap before asking are found', async () => {
  const noDatabase = () => Promise.reject(new Error('None of these needs a database.'));
  const planted = sabotages.filter(({ name }) => chosen.includes(name));
  const verdicts = await checkAll(planted, noDatabase);
  expect(verdicts.filter(({ isCaught }) => isCaught).map(({ name }) => name)).toEqual(expect.arrayContaining(chosen));
});

test.each([...sabotages, ...coreSabotages, ...databaseSabotages])(
  'the line that "$name" changes is there, once',
  (sabotage) => {
    const source = readFileSync(sabotage.file, 'utf8');
    expect(sabotaged(source, sabotage)).not.toBe(source);
  },
);

test('a run that a mistake has made endless is killed, with its children', async () => {
  const endless =
    "require('node:child_process').spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'inherit' }); for (;;);";
  await expect(runApart(['-e', endless], { cwd: root, limitMs: 1_000 })).rejects.toThrow(
    'did not end within 1 seconds',
  );
});
