import { sql } from 'drizzle-orm';
import * as dashboard from '#server/features/dashboard/dashboard.ts';
import * as planLimits from '#server/features/plan-limits/plan-limits.ts';
import { sessionLookup } from '#server/features/sessions/principal.ts';
import { serve } from '#server/http/bind.ts';
import { buildHttpApp } from '#server/http-app.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { registerReactions } from '#server/reactions.ts';
import { serveAccounts, serveContacts, serveMessages } from '#server/routes.ts';
import * as dashboardContract from '#shared/contract/dashboard.ts';
import * as envelopesContract from '#shared/contract/letters/envelopes.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import { readWrittenMails, type WrittenMail } from '#tests/support/installation/written-mails.ts';
import * as envelopes from './list/envelopes.ts';
import * as summary from './list/summary.ts';

/** The vault as a browser meets it: real accounts, messages, contacts, figures and mail, over HTTP. */
export async function createVaultApp() {
  const clock = createManualClock(new Date());
  const opened = await openTestApp({ parts: { clock } });
  const { database, mailer, log } = opened;
  const { db, limits } = opened.app;
  registerReactions(opened.app);
  const mails: WrittenMail[] = [];
  const readMails = readWrittenMails(opened.app, mails);

  const app = await buildHttpApp({
    // However busy the machine is with other tests.
    shedding: { eventLoopDelayMaxMs: 0, callsInProgressMax: 0 },
    baseUrl: testBaseUrl,
    trustProxy: ['127.0.0.1'],
    log: { level: 'info', destination: { write: (line) => log.push(line) } },
    sessions: sessionLookup(opened.app),
    limits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes(api) {
      api.addHook('onSend', readMails);
      serveAccounts(api, opened.app);
      serveMessages(api, opened.app);
      serveContacts(api, opened.app);
      serve(api, opened.app, envelopesContract, { ...envelopes, ...summary });
      serve(api, opened.app, dashboardContract, { ...dashboard, ...planLimits });
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

  return { app, database, db, opened: opened.app, clock, mailer, mails, log, dump, close };
}

export type VaultApp = Awaited<ReturnType<typeof createVaultApp>>;
