import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { failureReport } from '#tests/support/failure-reports.ts';
import { startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { runCommandLine } from './command-line.ts';

let database: TestDatabase;
let server: TestMailServer;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startMailServer();
  dataDir = await mkdtemp(join(tmpdir(), 'everkept-bounce-'));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('DATA_DIR', dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('SMTP_URL', server.url);
  vi.stubEnv('MAIL_FROM', 'Everkept <hello@everkept.example>');
  // Vite's own, which means something else.
  vi.stubEnv('BASE_URL', '');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await database.close();
  await rm(dataDir, { recursive: true });
});

/** Hands a mail to the command as a pipe does; gives its exit code and what it says. */
async function pipe(mail: Buffer): Promise<[code: number, said: string]> {
  const input = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([mail]) as typeof process.stdin);
  const code = await runCommandLine(['bounce']);
  input.mockRestore();
  return [code, takeConsoleOutput().join('\n').replace('console.log: ', '')];
}

test('a mail that a server took, and that is handed back to us by a pipe, counts as accepted no more', async () => {
  const installation = await openInstallation(loadSettings());
  const words = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
  const address = 'nell@family.example';
  await installation.db.transaction((tx) =>
    enqueueNotification(installation, tx, {
      channel: 'email',
      kind: 'billing.receipt',
      userId: null,
      subjectId: null,
      dedupeKey: 'one',
      at: new Date(),
      to: { address },
      mail: words,
    }),
  );
  await dispatchDue(installation);
  await installation.close();
  const returnPath = server.received[0]?.envelope.from;
  expect(returnPath).toMatch(/^hello\+[0-9a-z]{39}@everkept\.example$/);

  const report = failureReport({ returnPath, address });
  expect(await pipe(report)).toEqual([0, 'One of our mails came back, and no longer counts as accepted.']);
  expect((await database.db.execute(sql`select status, accepted_at from notifications`)).rows).toEqual([
    { status: 'bounced', accepted_at: null },
  ]);
  expect(await pipe(report)).toEqual([0, 'This is about one of our mails that no longer has any effect.']);
});

test('anything else changes nothing and is no failure, or the mail server would send it back', async () => {
  const sentence = 'This does not report that one of our mails failed. Nothing was changed.';
  expect(await pipe(Buffer.from('From: nell@family.example\r\n\r\nThank you.'))).toEqual([0, sentence]);
  expect(await pipe(Buffer.alloc(0))).toEqual([0, sentence]);
  expect(await pipe(Buffer.alloc(5_000_000, 'x'))).toEqual([0, sentence]);
});
