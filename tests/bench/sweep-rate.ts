import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database } from '#server/platform/db/database.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryQueue } from '#server/platform/queue/memory-queue.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { createServices } from '#server/services.ts';
import type { Figure } from './figure.ts';

const visitsMin = 300;

/** How many owners a second one worker moves on, each a first reminder: for orientation. `db` has due owners. */
export async function sweepRate(db: Database): Promise<Figure[]> {
  const key = randomBytes(32);
  const masterKeys = { current: { version: 1, key }, find: () => key };
  const { releases } = createServices({
    db,
    log: pino({ level: 'silent' }),
    clock: createDatabaseClock(db, { testClock: false }),
    masterKeys,
    serviceKeys: await createServiceKeys(db, masterKeys),
    mailer: createMemoryMailer(),
    texter: createMemoryTexter(),
    queue: createMemoryQueue(),
    store: createMemoryStore(),
    scanner: noScanner,
    ledger: createMemoryLedger(),
    limits: createRateLimits({ db }),
    baseUrl: 'https://everkept.example',
    mailFrom: 'Everkept <hello@everkept.example>',
    adminEmail: null,
    answerDaysDefault: 7,
  });
  await releases.beat();

  const start = performance.now();
  let visited = 0;
  while (visited < visitsMin) {
    const more = await releases.sweep();
    if (more === 0) throw new Error('The sweep found nobody, though owners are due.');
    visited += more;
  }
  const seconds = (performance.now() - start) / 1000;
  const { rows } = await db.execute<{ steps: number }>(
    sql`select count(*)::int as steps from audit_logs where action = 'release.first_reminder'`,
  );
  const steps = rows[0]?.steps ?? 0;
  if (steps < visitsMin) throw new Error(`The sweep visited ${visited} owners and took ${steps} steps.`);
  return [{ what: 'steps a second of a sweep, one worker', figure: (steps / seconds).toFixed(0) }];
}
