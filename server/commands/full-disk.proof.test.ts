import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { createBlankDatabase, createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { backupCommand } from './backup.ts';
import type { Command } from './command.ts';
import { importCommand } from './import.ts';
import { restoreCommand } from './restore.ts';

/**
 * Largest length of a file of the command, in blocks of 512 bytes (POSIX). Beyond it, the system refuses to write in
 * the middle of a file, as on a full disk. The tests need no special rights for it.
 */
const roomBlocks = 16;
const deed = Buffer.alloc(64 * 1_024, 'The key is under the blue pot.\r\n');

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'everkept-full-'));
  vi.stubEnv('LOG_LEVEL', 'silent');
  // Vite's own, which means something else.
  vi.stubEnv('BASE_URL', '');
  const vaults = createVaults(await loadMasterKeys({ dataDir: dataDirOf('here') }));
  const id = randomUUID();
  await database.db.insert(users).values({ id, email: 'ada@people.example', plan: 'lifetime' });
  await database.db.insert(vaultKeys).values({ userId: id, ...vaults.create(id) });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await rm(folder, { recursive: true });
});

const dataDirOf = (place: string) => join(folder, place);

function settleIn({ url }: Pick<TestDatabase, 'url'>, place: string): void {
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('DATA_DIR', dataDirOf(place));
}

/** Runs the real command where there is no room; gives its exit code and what it said. */
function runWithoutRoom(words: readonly string[]): Promise<{ code: number; said: string }> {
  const line = `ulimit -f ${roomBlocks}; exec "$@"`;
  const cli = join(import.meta.dirname, '../cli.ts');
  return new Promise((resolve) => {
    execFile('sh', ['-c', line, 'sh', process.execPath, cli, ...words], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: `${stdout}${stderr}` }),
    );
  });
}

async function runWithRoom(command: Command, file: string, given: Record<string, string> = {}): Promise<string> {
  await command.run([file], { json: true, flags: new Set(), given: new Map(Object.entries(given)) });
  return takeConsoleOutput().join('\n');
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function countOf(table: string): Promise<number> {
  const { rows } = await database.db.execute(sql`select 1 from ${sql.identifier(table)}`);
  return rows.length;
}

/** Looks under a name of its own, or a restore would take the look for a process that works there. */
async function tablesIn({ connection }: TestDatabase): Promise<unknown[]> {
  const client = new pg.Client({ ...connection, application_name: 'looking' });
  await client.connect();
  const { rows } = await client.query("select table_name from information_schema.tables where table_schema = 'public'");
  await client.end();
  return rows;
}

const backup = () => join(folder, 'backups', 'today.backup');

test('an import without room takes nothing, and goes well once there is some', async () => {
  settleIn(database, 'here');
  const file = join(folder, 'export.json');
  await writeFile(file, JSON.stringify(exportWith(deed)));
  expect(await runWithoutRoom(['import', file, '--email', 'ada@people.example'])).toEqual({
    code: 1,
    said: 'The disk of the files or of the database is full, so nothing was imported. Free some space, then import again.\n',
  });
  expect([await countOf('documents'), await countOf('file_objects')]).toEqual([0, 0]);
  expect(await filesBelow(join(dataDirOf('here'), 'files'))).toEqual([]);

  expect(await runWithRoom(importCommand, file, { email: 'ada@people.example' })).toContain('"documents":1');
  expect(await filesBelow(join(dataDirOf('here'), 'files'))).toHaveLength(1);
});

test('a backup without room leaves no file, and goes well once there is some', async () => {
  settleIn(database, 'here');
  await mkdir(join(folder, 'backups'));
  const { code, said } = await runWithoutRoom(['backup', backup()]);
  expect([code, said]).toEqual([
    1,
    `There is not enough space for the backup at ${backup()}. The unfinished file was removed.\n`,
  ]);
  expect(await readdir(join(folder, 'backups'))).toEqual([]);

  expect(await runWithRoom(backupCommand, backup())).toContain('"files":1');
  expect(await readdir(join(folder, 'backups'))).toEqual(['today.backup']);
});

test('a restore without room leaves neither tables nor files, and goes well once there is some', async () => {
  const there = await createBlankDatabase();
  try {
    settleIn(there, 'there');
    await mkdir(dataDirOf('there'));
    await copyFile(join(dataDirOf('here'), 'master.key'), join(dataDirOf('there'), 'master.key'));
    const { code, said } = await runWithoutRoom(['restore', backup()]);
    expect(said).toMatch(/^The backup does not fit: .* Nothing was kept\. .*\n$/);
    expect(code).toBe(1);
    expect(await filesBelow(dataDirOf('there'))).toEqual(['master.key']);

    expect(await tablesIn(there)).toEqual([]);

    expect(await runWithRoom(restoreCommand, backup())).toContain('"files":1');
    expect(await filesBelow(join(dataDirOf('there'), 'files'))).toHaveLength(1);
  } finally {
    await there.close();
  }
});

function exportWith(content: Buffer) {
  const at = '2026-11-20T10:00:00.000Z';
  const file = { name: 'deed.txt', sizeBytes: content.length, base64: content.toString('base64') };
  return {
    format: 'everkept-export',
    version: 1,
    exportedAt: at,
    account: { id: randomUUID() },
    messages: [],
    documents: [{ name: 'Deed', description: '', category: 'personal', file, createdAt: at, updatedAt: at }],
    contacts: [],
    checklists: [],
  };
}
