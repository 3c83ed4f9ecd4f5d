import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { tellActivity } from '#server/features/audit/activity.words.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { importCommand } from './import.ts';

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-import-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  // Vite's own, which means something else.
  vi.stubEnv('BASE_URL', '');
  const vaults = createVaults(await loadMasterKeys({ dataDir }));
  for (const email of ['ada@people.example', 'ben@people.example']) {
    const id = randomUUID();
    await database.db.insert(users).values({ id, email });
    await database.db.insert(vaultKeys).values({ userId: id, ...vaults.create(id) });
  }
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});

/** Runs the command in this process; gives what it printed. */
async function run(
  file: string,
  given: Record<string, string>,
  json = false,
  flags = new Set<string>(),
): Promise<string[]> {
  await importCommand.run([file], { json, flags, given: new Map(Object.entries(given)) });
  return takeConsoleOutput().map((text) => text.replace(/^console\.\w+: /, ''));
}

const at = '2026-11-20T10:00:00.000Z';
const letter = {
  title: 'For Nell',
  content: 'Put the kettle on first.',
  encryptedContent: null,
  recipientEmail: 'nell@family.example',
  category: 'personal',
  status: 'ready',
  visibleToTrustedContact: false,
  attachment: null,
  createdAt: at,
  updatedAt: at,
};
const exported = {
  format: 'everkept-export',
  version: 1,
  exportedAt: at,
  account: { id: randomUUID() },
  messages: [letter],
  documents: [],
  contacts: [],
  checklists: [],
};
const file = () => join(dataDir, 'export.json');
const to = (email: string) => ({ email });

test('takes an export into the vault of an address, once', async () => {
  await writeFile(file(), JSON.stringify(exported));
  const lastSigns = sql`select last_checkin_at, (select count(*)::int from checkins) as signs from users order by email`;
  const { rows: signs } = await database.db.execute(lastSigns);
  expect(await run(file(), to('Ada@people.example'))).toEqual([
    'Added: messages 1, documents 0, trusted contacts 0. There already: 0. Without their file: 0. No room in the plan: 0.',
  ]);
  const [again = ''] = await run(file(), to('ada@people.example'), true);
  expect(JSON.parse(again)).toMatchObject({ messages: 0, alreadyThere: 1 });
  const { rows } = await database.db.execute(
    sql`select status from messages join users on users.id = user_id where email = 'ada@people.example'`,
  );
  expect(rows).toEqual([{ status: 'draft' }]);
  const log = await database.db.execute<{ details: Record<string, unknown> }>(
    sql`select details from audit_logs where action = 'import.create' order by position`,
  );
  const told = log.rows.map(({ details }) => tellActivity('import.create', details).words);
  const byOperator = 'The operator of this service imported an export into your vault';
  expect(told).toEqual([byOperator, byOperator]);
  // An act of the operator is not a sign of life of the owner.
  expect((await database.db.execute(lastSigns)).rows).toEqual(signs);
});

test('names the fault, and imports nothing', async () => {
  await writeFile(file(), JSON.stringify(exported).slice(0, -5));
  await expect(run(file(), to('ben@people.example'))).rejects.toThrow('incomplete or damaged');
  await expect(run(file(), to('nobody@people.example'))).rejects.toThrow('There is no account');
  await expect(run(`${file()}.gone`, to('ben@people.example'))).rejects.toThrow('There is no file');
  await writeFile(file(), '%PDF-1.4 a book');
  await expect(run(file(), to('ben@people.example'))).rejects.toThrow('A PDF book is for reading');
  await expect(run(file(), {})).rejects.toMatchObject({ name: 'CommandError', exitCode: 2 });
  const { rows } = await database.db.execute(
    sql`select 1 from messages join users on users.id = user_id where email = 'ben@people.example'`,
  );
  expect(rows).toEqual([]);
});

test('imports the settings and keeps letters ready if the flags say so', async () => {
  const settings = { releaseMethod: 'trusted_contact', inactivityDays: 200, releaseQuorum: 2 };
  const account = { ...exported.account, ...settings, releaseWaitingDays: 5, releaseAnswerDays: null };
  await writeFile(file(), JSON.stringify({ ...exported, account }));
  const [said] = await run(file(), to('ben@people.example'), false, new Set(['take-settings', 'as-ready']));
  expect(said).toContain('Release settings: taken over.');
  const { rows } = await database.db.execute(
    sql`select status, release_method, inactivity_days, release_quorum, release_waiting_days
      from messages join users on users.id = user_id where email = 'ben@people.example'`,
  );
  const taken = { release_method: 'trusted_contact', inactivity_days: 200, release_quorum: 2, release_waiting_days: 5 };
  expect(rows).toEqual([{ status: 'ready', ...taken }]);
});
