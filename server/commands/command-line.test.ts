import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { runCommandLine } from './command-line.ts';

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-command-line-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  // Vite's own, which means something else.
  vi.stubEnv('BASE_URL', '');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});

/** Runs the command with words as a shell passes them. Returns the exit code and the printed output. */
async function type(...words: string[]) {
  const code = await runCommandLine(words);
  const printed = takeConsoleOutput();
  const of = (way: string) => printed.filter((text) => text.startsWith(way)).map((text) => text.slice(way.length));
  return { code, answer: of('console.log: ').join('\n'), complaint: of('console.error: ').join('\n') };
}

test('without a word the help is shown, and the words were off', async () => {
  const { code, answer } = await type();
  expect([code, answer.match(/^ {2}everkept \w/gm)?.length]).toEqual([2, expect.any(Number)]);
  expect(await type('--help')).toEqual({ code: 0, answer, complaint: '' });
});

test('shows the help of one command', async () => {
  const { code, answer } = await type('backup', '--help');
  expect([code, answer.match(/^ {2}everkept .*/gm)]).toEqual([0, ['  everkept backup FILE|- [--with-key] [--json]']]);
});

test.each([['rotate'], ['rotate', '--help'], ['constructor'], ['toString', '--help']])(
  '%s %s is no command',
  async (...words) => {
    const complaint = `There is no command “${words[0]}”. everkept --help lists them.`;
    expect(await type(...words)).toEqual({ code: 2, answer: '', complaint });
  },
);

test.each<[words: string, complaint: RegExp]>([
  ['migrate --now', /^There is no option --now here/],
  ['backup', /^Name the file to write: backup FILE/],
  ['backup FILE --with-key=yes', /^There is no option --with-key here/],
  ['restore', /^Name the backup file: restore FILE/],
  ['import FILE', /^Use import FILE --email ADDRESS/],
  ['import FILE --email', /^Give a value after --email/],
  ['users', /^Use users list, users verify EMAIL/],
  ['users verify', /^Use users list, users verify EMAIL/],
  ['users verify ada@people.example further', /^Use users list, users verify EMAIL/],
  ['users identities', /^Use users list, users verify EMAIL/],
  ['users remove-identity ada@people.example', /^Use users list, users verify EMAIL/],
  ['users list ada@people.example', /^Use users list, users verify EMAIL/],
  ['audit', /^Use audit verify/],
  ['clock show 3d', /^Use clock accept, clock show/],
  ['clock accept -3d', /^Use clock accept/],
  ['clock advance -3d', /^Give a duration such as 95d/],
  ['clock advance', /^Give a duration such as 95d/],
  ['rotate-keys --remove', /^There is no option --remove here/],
])('%s is refused as words that are off', async (words, complaint) => {
  const told = await type(...words.split(' '));
  expect([told.code, told.answer]).toEqual([2, '']);
  expect(told.complaint).toMatch(complaint);
});

// A pattern of the shell becomes many words, and a path with a space two.
test.each([
  'serve',
  'migrate',
  'tick',
  'tasks',
  'mails',
  'release freeze ada@people.example',
  'vouchers create GOOD 20',
  'clock advance 95d',
  'demo',
  'doctor',
  'backup here.backup',
  'restore here.backup',
  'import here.json',
  'users remove-identity ada@people.example google',
  'rotate-keys',
  'integrity',
  'webhook',
  'audit verify',
])('%s takes no further word', async (words) => {
  const told = await type(...words.split(' '), 'further', '--json');
  expect([told.code, told.answer]).toEqual([2, '']);
  const [command = ''] = words.split(' ');
  expect(told.complaint).toMatch(new RegExp(`^There is one argument too many: “further”. Use ${command}.*\\.$`));
});

describe('a database that cannot be reached', () => {
  test.each(['migrate', 'tick', 'tasks', 'backup', 'users list', 'demo', 'audit verify'])(
    'ends %s with one sentence, which repeats no password',
    async (words) => {
      vi.stubEnv('DATABASE_URL', 'postgresql://everkept:hunter2-secret@127.0.0.1:1/everkept');
      const file = words === 'backup' ? [join(dataDir, 'here.backup')] : [];
      const told = await type(...words.split(' '), ...file, '--json');
      vi.stubEnv('DATABASE_URL', database.url);
      const complaint =
        'The database does not answer (ECONNREFUSED). Start PostgreSQL, or check the address and the port in DATABASE_URL.';
      expect(told).toEqual({ code: 1, answer: '', complaint });
    },
  );

  test('names a database that does not exist', async () => {
    vi.stubEnv('DATABASE_URL', database.url.replace(/\/[^/?]+(\?|$)/, '/nowhere$1'));
    const told = await type('migrate');
    vi.stubEnv('DATABASE_URL', database.url);
    expect(told).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/^The database that DATABASE_URL names does not exist/),
    });
  });
});
