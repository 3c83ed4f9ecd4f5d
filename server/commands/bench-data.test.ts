import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { auditCommand } from './audit.ts';
import { benchDataCommand } from './bench-data.ts';
import { integrityCommand } from './integrity.ts';

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-crowd-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('BASE_URL', '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(dataDir, { recursive: true });
});
afterEach(() => void takeConsoleOutput());

const options = (given: Record<string, string> = {}) => ({
  json: true,
  flags: new Set<string>(),
  given: new Map(Object.entries(given)),
});
const said = () => takeConsoleOutput().map((line) => line.replace(/^console\.\w+: /, ''));

test('the number of owners must be within the limits', async () => {
  for (const owners of ['0', 'many', '-5', '1e3', '10000001'])
    await expect(benchDataCommand.run([], options({ owners }))).rejects.toThrow('Give a whole number of owners');
});

test('no owner is made if mail would be sent to them', async () => {
  vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:2525');
  vi.stubEnv('MAIL_FROM', 'Everkept <post@vault.example>');
  await expect(benchDataCommand.run([], options({ owners: '10' }))).rejects.toThrow('have no mailboxes');
  vi.stubEnv('SMTP_URL', '');
  vi.stubEnv('MAIL_FROM', '');
  expect((await database.db.execute(sql`select id from users`)).rows).toEqual([]);
});

test('a crowd has everything that owners have, sealed and with a log that verifies; and is made once', async () => {
  await benchDataCommand.run([], options({ owners: '300' }));
  expect(JSON.parse(said()[0] ?? '')).toMatchObject({ owners: 300 });
  const { rows } = await database.db.execute(sql`
    select (select count(*)::int from users) as users, (select count(*)::int from messages) as messages,
      (select count(*)::int from notifications) as mails, (select count(*)::int from audit_logs) as lines`);
  expect(rows[0]).toEqual({ users: 300, messages: 900, mails: 900, lines: 2_400 });

  await auditCommand.run(['verify'], options());
  expect(JSON.parse(said()[0] ?? '')).toMatchObject({ ok: true });
  await integrityCommand.run([], options());
  expect(JSON.parse(said()[0] ?? '')).toMatchObject({ broken: 0 });

  await expect(benchDataCommand.run([], options())).rejects.toThrow('This installation has been used already');
});
