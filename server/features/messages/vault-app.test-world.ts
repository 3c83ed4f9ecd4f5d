import { sql } from 'drizzle-orm';
import { registerAccountRoutes } from '#server/account-routes.ts';
import { createAccountServices } from '#server/account-services.ts';
import { buildApp } from '#server/app.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { registerContactsRoutes } from '#server/features/contacts/contacts.routes.ts';
import { createContacts } from '#server/features/contacts/contacts.service.ts';
import { registerDashboardRoutes } from '#server/features/dashboard/dashboard.routes.ts';
import { createDashboard } from '#server/features/dashboard/dashboard.service.ts';
import { createFiles } from '#server/features/files/files.service.ts';
import {
  createNotifications,
  type NewEmail,
  type Notifications,
} from '#server/features/notifications/notifications.service.ts';
import { registerPlanLimitsRoutes } from '#server/features/plan-limits/plan-limits.routes.ts';
import { createPlanLimits } from '#server/features/plan-limits/plan-limits.service.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryQueue } from '#server/platform/queue/memory-queue.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { testBaseUrl } from '#tests/support/app.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { cheapPasswords } from '#tests/support/passwords.ts';
import { registerMessagesRoutes } from './messages.routes.ts';
import { createMessages } from './messages.service.ts';

/** The vault as a browser meets it: real accounts, messages, contacts, figures and mail, over HTTP. */
export async function createVaultApp() {
  const database = await createTestDatabase();
  const { db } = database;
  const clock = createManualClock(new Date());
  const masterKey = { version: 1, key: Buffer.from(crypto.getRandomValues(new Uint8Array(32))) };
  const masterKeys = { current: masterKey, find: () => masterKey.key };
  const vaults = createVaults(masterKeys);
  const limits = createRateLimits({ db });
  const mailer = createMemoryMailer();
  const log: string[] = [];
  const write = (details: object, message: string) => log.push(`${message} ${JSON.stringify(details)}`);
  const serviceKeys = await createServiceKeys(db, masterKeys);
  const audit = createAudit(serviceKeys);
  const post = createNotifications({
    db,
    clock,
    serviceKeys,
    mailer,
    texter: createMemoryTexter(),
    queue: createMemoryQueue(),
    mailFrom: 'Everkept <hello@everkept.example>',
    mailCheck: { address: 'operator@everkept.example', baseUrl: 'https://everkept.example' },
    log: { warn: write, error: write },
  });
  const mails: NewEmail[] = [];
  const notifications: Notifications = {
    ...post,
    enqueue: (tx, notification) => {
      if (notification.channel === 'email') mails.push(notification);
      return post.enqueue(tx, notification);
    },
  };

  const { hashToken } = serviceKeys;
  const ground = { db, clock, hashToken, vaults, audit, notifications };
  const shared = { ...ground, spendBudget: limits.spend, baseUrl: testBaseUrl };
  const account = createAccountServices({
    ...shared,
    serviceKeys,
    passwords: cheapPasswords,
    answerFloorMs: 0,
    saveReleaseSettings: async () => undefined,
    holdingsOf: async () => null,
    ledger: createMemoryLedger(),
    adminEmail: null,
    clockReadEveryMs: 0,
  });
  const { accounts, freshSignIns } = account;
  const store = createMemoryStore();
  const files = createFiles({ ...shared, store, scanner: noScanner, log: { warn: write } });
  const messages = createMessages({ ...shared, accounts, files, freshSignIns });
  const contacts = createContacts({ ...shared, accounts, freshSignIns });

  const app = await buildApp({
    // However busy the machine is with other tests.
    shedding: { eventLoopDelayMaxMs: 0, callsInProgressMax: 0 },
    baseUrl: testBaseUrl,
    trustProxy: ['127.0.0.1'],
    log: { level: 'info', destination: { write: (line) => log.push(line) } },
    sessions: account.sessions,
    limits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes(api) {
      registerAccountRoutes(api, account);
      registerMessagesRoutes(api, messages);
      registerContactsRoutes(api, contacts);
      registerDashboardRoutes(api, createDashboard(shared));
      registerPlanLimitsRoutes(api, createPlanLimits(shared));
    },
  });

  /** Every row of every table as text, once with bytes in hexadecimal and once with their readable characters. */
  async function dump(): Promise<string> {
    const tables = await db.execute<{ name: string }>(sql`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
    const parts: string[] = [];
    for (const { name } of tables.rows) {
      for (const output of ['hex', 'escape']) {
        const rows = await db.transaction(async (tx) => {
          await tx.execute(sql`select set_config('bytea_output', ${output}, true)`);
          return tx.execute<{ row: string }>(sql`select t::text as row from ${sql.raw(name)} t`);
        });
        parts.push(...rows.rows.map(({ row }) => `${name} ${row}`));
      }
    }
    return parts.join('\n');
  }

  async function close() {
    await app.close();
    await database.close();
  }

  return { app, database, db, clock, accounts, messages, contacts, notifications, mailer, mails, log, dump, close };
}

export type VaultApp = Awaited<ReturnType<typeof createVaultApp>>;
