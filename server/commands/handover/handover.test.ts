import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addMasterKey, loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import type { Command } from '../command.ts';
import { doctorCommand } from '../doctor/doctor.ts';
import { keyCommand } from '../key.ts';
import { handoverCommand } from './handover.ts';

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-handover-'));
  const environment = {
    ...{ DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent' },
    // Nothing answers there, and no name is looked up.
    ...{ BASE_URL: 'http://192.0.2.1:1', ENDS_MAIL: '2020-02-29' },
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});

async function run(command: Command, words: string[]): Promise<string> {
  await command.run(words, { json: true, flags: new Set(), given: new Map() }).catch((error) => {
    if (command !== doctorCommand) throw error;
  });
  const [line = ''] = takeConsoleOutput();
  return line.replace(/^console\.\w+: /, '');
}

type Told = { findings: { what: string; state: string; found: string }[] };
const examine = async (): Promise<Told> => JSON.parse(await run(doctorCommand, []));
const copyIn = ({ findings }: Told) => findings.find(({ what }) => what === 'copy of the master key');
const today = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: 'Europe/London' }).format();

test('the copy of the master key is confirmed for one key, and doctor and the sheet for a stand-in know it', async () => {
  await expect(run(keyCommand, ['copied'])).rejects.toThrow('There is no master key yet.');
  await expect(run(keyCommand, ['copy'])).rejects.toMatchObject({ exitCode: 2 });
  await createServiceKeys(database.db, await loadMasterKeys({ dataDir }));

  const before = await examine();
  expect(copyIn(before)).toMatchObject({ state: 'poor', found: expect.stringMatching(/^No copy of the master key/) });
  expect(before.findings).toContainEqual(
    expect.objectContaining({ what: 'mail credentials', state: 'bad', found: expect.stringContaining('29 February') }),
  );
  expect(await run(handoverCommand, [])).toContain('No copy of the master key was confirmed');

  expect(JSON.parse(await run(keyCommand, ['copied']))).toEqual({ day: today, version: 1 });
  expect(copyIn(await examine())).toMatchObject({ state: 'well' });
  expect(await run(handoverCommand, [])).toContain('A copy of master key 1 was confirmed on');

  await addMasterKey({ dataDir });
  expect(copyIn(await examine())).toMatchObject({
    state: 'poor',
    found: expect.stringMatching(/^Master key 2 is in use/),
  });
});

test('a copy of a key that does not open this database is not confirmed', async () => {
  vi.stubEnv('MASTER_KEY', Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'));
  await expect(run(keyCommand, ['copied'])).rejects.toMatchObject({ name: 'WrongMasterKeyError' });
  vi.stubEnv('MASTER_KEY', '');
});

test('the sheet is printed without a master key that can be read', async () => {
  const path = join(dataDir, 'master.key');
  const key = await readFile(path);
  await writeFile(path, 'not a key');
  expect(await run(handoverCommand, [])).toContain(`It should be in the file ${path}, but could not be read there.`);
  await writeFile(path, key);
});

test('the sheet is printed without the database too', async () => {
  vi.stubEnv('DATABASE_URL', 'postgresql://everkept:hunter2@127.0.0.1:1/everkept');
  const sheet = await run(handoverCommand, []);
  expect(sheet).toContain('The database could not be read');
  expect(sheet).toContain('PostgreSQL at 127.0.0.1:1, database everkept');
  expect(sheet).not.toContain('hunter2');
  vi.stubEnv('DATABASE_URL', database.url);
});
