import { createHash } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { pino } from 'pino';
import { type App, assembleApp } from '#server/app.ts';
import { auditRowKeyName } from '#server/features/audit/audit-keys.ts';
import { mailTroubledSince } from '#server/features/notifications/mail-queue.ts';
import { healthOf, readHealth, writeHealth } from '#server/features/release-health/health.repository.ts';
import { nextHealth } from '#server/features/release-health/health.rules.ts';
import { stepListenersOf } from '#server/features/release-state/steps.ts';
import type { RateLimits } from '#server/http/rate-limits.ts';
import type { AppClock, Clock } from '#server/platform/clock/clock.ts';
import { createPasswords } from '#server/platform/crypto/passwords.ts';
import { createServiceKeys, tokenKeyName } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryLedger } from '#server/platform/ledger/deletion-ledger.ts';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import { paymentsOf } from '#server/platform/payments/payments.ts';
import type { Pusher } from '#server/platform/push/pusher.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import { registerReactions } from '#server/reactions.ts';
import { createStepBook } from '#tests/simulation/oracle/step-book.ts';
import type { Post } from '#tests/simulation/people/post.ts';
import { roomyDisk, testSettings } from '#tests/support/installation/test-settings.ts';
import { GatedPool, type Line, openLine } from './gated-pool.ts';
import type { WorldTime } from './time.ts';
import type { Life, Turns } from './turns.ts';

/** A process of the product: with its memory. */
export type Process = Life & {
  app: App;
  db: Database;
  clock: Clock;
  /** Lives through a time in which nothing is due: as many heartbeats as there would have been, written as one. */
  beatThrough(ms: number): Promise<void>;
};

export type ProcessName = 'worker A' | 'worker B' | 'web';

/** More than a worker ever uses at once: four that record, one that claims, and one that looks. */
const linesPerProcess = 7;
const answerDaysDefault = 7;
/** As a worker does. The first beat must not be so late after the last that the time between counts for an outage. */
const beatEveryMs = 60_000;
export const operatorAddress = 'operator@everkept.example';
export const simulationUrl = 'https://everkept.example';

/** Budgets are about strangers who call too often; people here do not. */
const noLimits: RateLimits = {
  spend: async () => undefined,
  spendOfAddress: async () => undefined,
  spendOfNetwork: async () => undefined,
  spendGeneral: async () => undefined,
  spendChange: async () => undefined,
  spendWritten: async () => undefined,
};

/** Mailer of a read-only process. */
const silentMailer: Mailer = {
  kind: 'smtp',
  close: async () => undefined,
  send: async () => ({ outcome: 'refused', replyCode: null }),
};
const silentTexter: Texter = {
  kind: 'twilio',
  takesAnswers: true,
  close: async () => undefined,
  send: async () => ({ outcome: 'refused', replyCode: null }),
  reportOn: async () => ({ outcome: 'refused', replyCode: null }),
};

const silentPusher: Pusher = {
  publicKey: '',
  reaches: () => false,
  send: async () => ({ outcome: 'refused', replyCode: null }),
};

type MachineOptions = {
  connection: pg.ClientConfig;
  seed: number;
  time: WorldTime;
  /** Called with each error that a process logs. */
  onError: (words: string) => void;
};

/** The database, the connections to it, and the processes that come and go. */
export async function openMachine({ connection, seed, time, onError }: MachineOptions) {
  const key = createHash('sha256').update(`master key ${seed}`).digest();
  const masterKeys = { current: { version: 1, key }, find: () => key };
  const lines = new Map<ProcessName, Line[]>();
  const all: Line[] = [];
  const names: ProcessName[] = ['worker A', 'worker B', 'web'];
  for (const name of names) {
    const own = await Promise.all(Array.from({ length: linesPerProcess }, () => openLine(connection, all)));
    lines.set(name, own);
    all.push(...own);
  }
  const control = await openLine(connection, all);
  const controlDb = drizzle({ client: control.client });
  const serviceKeys = await createServiceKeys(controlDb, masterKeys);
  const store = createMemoryStore();
  const steps = createStepBook();
  let startedMs = 0;

  const log = pino(
    { level: 'error' },
    {
      write: (line: string) => {
        const { msg, failure, err } = JSON.parse(line) as { msg: string; failure?: string; err?: { message: string } };
        onError(`${msg} ${failure ?? err?.message ?? ''}`.trim());
      },
    },
  );

  const settings = testSettings({ BASE_URL: simulationUrl, TRUST_PROXY: '127.0.0.1', ADMIN_EMAIL: operatorAddress });
  const common = {
    ...{ log, settings, masterKeys, serviceKeys, store },
    pooler: 'none' as const,
    scanner: noScanner,
    ledger: createMemoryLedger(),
    limits: noLimits,
    passwords: createPasswords(),
    payments: paymentsOf([]),
    identityProviders: [],
    pusher: silentPusher,
    webhook: null,
    silences: () => ({ count: 0, lastAt: null }),
    close: async () => undefined,
    answerFloorMs: 0,
    realNowMs: Date.now,
    monotonicMs: () => performance.now(),
    readDisk: async () => roomyDisk,
    // Every text comes from the stated number.
    textReplies: { isSigned: () => true, answer: (text: string | null) => text ?? '' },
  };
  const now = async () => new Date(time.wallMs());
  const clock: AppClock = { now, recent: now };
  /** Reads stored data with the product's code, outside of all turns. */
  const onlooker = assembleApp({
    ...common,
    pool: control.client as unknown as pg.Pool,
    db: controlDb,
    clock,
    mailer: silentMailer,
    texter: silentTexter,
  });
  registerReactions(onlooker);

  function start(name: ProcessName, { turns, post }: { turns: Turns; post: Post }): Process {
    const life: Life = { name, isDead: false };
    const pool = new GatedPool(turns, life, lines.get(name) ?? []);
    const db = drizzle({ client: pool as unknown as pg.Pool });
    startedMs += 1;
    const born = startedMs;
    const opened = { db, pool: pool as unknown as pg.Pool, clock, monotonicMs: () => time.upMs + born };
    const app = assembleApp({ ...common, ...opened, mailer: post.mailerOf(life), texter: post.texterOf(life) });
    registerReactions(app);
    stepListenersOf(app).push(steps.onStep);
    return Object.assign(life, {
      app,
      db,
      clock,
      // Beside all turns: no one else does anything in that time.
      async beatThrough(ms: number) {
        const since = await mailTroubledSince(app, controlDb);
        const fromMs = time.wallMs();
        let health = healthOf(await readHealth(controlDb));
        for (let lived = 0; lived < ms; ) {
          lived = Math.min(ms, lived + beatEveryMs);
          const beat = { wallMs: fromMs + lived, jumpMs: 0, mailTroubledSinceMs: since?.getTime() ?? null };
          health = nextHealth(health, beat);
        }
        await writeHealth(controlDb, health);
      },
    });
  }

  return {
    vaults: createVaults(masterKeys),
    answerDaysDefault,
    keys: { token: serviceKeys.derive(...tokenKeyName), auditRow: serviceKeys.derive(...auditRowKeyName) },
    start,
    /** Asks the database beside all turns, always the same under the same name; it changes nothing. */
    async ask<Row extends object>(name: string, text: string, values: unknown[] = []): Promise<Row[]> {
      return (await control.client.query<Row>({ name, text, values })).rows;
    },
    control: controlDb,
    steps,
    onlooker,
    reader: control.client,
    /** By one of ours: what the server's own upkeep holds for a moment depends on the machine. */
    async isBlocked(backend: number): Promise<boolean> {
      const { rows } = await control.client.query<{ blocked: boolean }>({
        name: 'blocked',
        text: 'select pg_blocking_pids($1) && $2::int[] as blocked',
        values: [backend, all.map((line) => line.backend)],
      });
      return rows[0]?.blocked ?? false;
    },
    /** Cleans up after a killed process, like the operating system: its transactions end, its connections are free. */
    async bury({ name }: Life): Promise<void> {
      for (const { client, backend } of lines.get(name as ProcessName) ?? []) {
        await control.client.query('select pg_cancel_backend($1)', [backend]);
        // The first of two takes what the cancelling still hits.
        await client.query('rollback').catch(() => undefined);
        await client.query('rollback');
      }
    },
    async close(): Promise<void> {
      for (const { client } of [...lines.values()].flat()) await client.end();
      await control.client.end();
    },
  };
}

export type Machine = Awaited<ReturnType<typeof openMachine>>;
