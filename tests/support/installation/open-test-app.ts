import { pino } from 'pino';
import { type App, type GivenParts, openApp } from '#server/app.ts';
import { loggerOptions } from '#server/http/logging.ts';
import { createMemoryStore, type MemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createMemoryMailer, type MemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter, type MemoryTexter } from '#server/platform/sms/memory-texter.ts';
import type { Environment } from '#server/settings.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { cheapPasswords } from '../passwords.ts';
import { newMasterKeys, roomyDisk, testSettings } from './test-settings.ts';

/** `App` of a test, and the parts of it that a test looks into. */
export type TestParts = {
  app: App;
  database: TestDatabase;
  mailer: MemoryMailer;
  texter: MemoryTexter;
  store: MemoryStore;
  /** Lines of the log, from the level `debug`. */
  log: string[];
};

type Given = {
  /** Settings that the test is about. */
  environment?: Environment;
  /** Database that exists already, such as a restored one. */
  database?: TestDatabase;
  store?: MemoryStore;
  parts?: GivenParts;
};

/** Opens an `App` as the server does, on a database of its own, with memory in place of the services outside. */
export async function openTestApp(given: Given = {}): Promise<TestParts> {
  const database = given.database ?? (await createTestDatabase());
  const [mailer, texter] = [createMemoryMailer(), createMemoryTexter()];
  const store = given.store ?? createMemoryStore();
  const log: string[] = [];
  const destination = { write: (line: string) => void log.push(line) };
  const { stream: _, ...options } = loggerOptions({ level: 'debug', destination });
  const app = await openApp(testSettings(given.environment), {
    given: {
      ground: { ...database, log: pino(options, destination) },
      masterKeys: newMasterKeys(),
      ...{ mailer, texter, store },
      scanner: noScanner,
      ledger: createMemoryLedger(),
      passwords: cheapPasswords,
      answerFloorMs: 0,
      readDisk: async () => roomyDisk,
      ...given.parts,
    },
  });
  return { app, database, mailer, texter, store, log };
}
