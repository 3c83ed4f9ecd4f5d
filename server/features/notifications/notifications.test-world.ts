import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import type { App } from '#server/app.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import type { OpenDatabase } from '#server/platform/db/database.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { notifications as table } from '#server/schema/notifications.tables.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import type { NewEmail, NewText } from './notifications.messages.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const start = new Date('2026-11-20T09:00:00.000Z');
export const ok = { outcome: 'accepted' } as const;
export const later = { outcome: 'temporary', replyCode: 451 } as const;
export const never = { outcome: 'refused', replyCode: 550 } as const;

/**
 * For the tests of this folder: a database with one owner, emptied before each test, and notifications over memory
 * doors. Call it at the top of the file.
 */
export function prepareNotifications() {
  let database: TestDatabase;
  let app: App;
  const ownerId = randomUUID();

  beforeAll(async () => {
    const environment = {
      BASE_URL: 'https://everkept.example',
      TRUST_PROXY: '127.0.0.1',
      MAIL_FROM: 'hello@everkept.test',
      ADMIN_EMAIL: 'operator@everkept.test',
    };
    ({ app, database } = await openTestApp({ environment }));
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    await database.db.execute(sql`truncate notifications, sms_notifications, mail_domains, users cascade`);
    await database.db.insert(users).values({ id: ownerId, email: 'owner@example.test' });
  });

  const rows = () => database.db.select().from(table).orderBy(table.createdAt, table.id);

  return {
    ownerId,
    get db() {
      return database.db;
    },
    get pool() {
      return database.pool;
    },
    get serviceKeys() {
      return app.serviceKeys;
    },
    rows,
    statuses: async () => (await rows()).map(({ status }) => status).toSorted(),
    /** Parts of its own, as another process would have. */
    build: ({ mailFrom, ...change }: Partial<App> & { mailFrom?: string } = {}) => {
      const clock = createManualClock(start);
      const mailer = createMemoryMailer();
      const texter = createMemoryTexter();
      const logged: string[] = [];
      const write = (details: object, message: string) => logged.push(`${message} ${JSON.stringify(details)}`);
      const log = Object.assign(pino({ level: 'silent' }), { warn: write, error: write });
      const settings = { ...app.settings, ...(mailFrom && { mail: { ...app.settings.mail, from: mailFrom } }) };
      const process = { ...app, clock, mailer, texter, log, settings, kept: new Map(), ...change };
      return { app: process, clock, mailer, texter, logged };
    },
    email: (change: Partial<NewEmail> = {}): NewEmail => {
      const id = randomUUID();
      return {
        channel: 'email',
        kind: 'delivery.letter',
        userId: ownerId,
        subjectId: id,
        dedupeKey: `delivery:${id}`,
        at: start,
        to: { address: 'zoe@example.test', name: 'Zoë' },
        mail: { subject: 'A message', html: '<p>canary-link</p>', text: 'https://everkept.test/message/canary-link' },
        ...change,
      };
    },
    text: (change: Partial<NewText> = {}): NewText => {
      const id = randomUUID();
      return {
        channel: 'sms',
        kind: 'accounts.phone-code',
        userId: ownerId,
        subjectId: id,
        dedupeKey: `text:${id}`,
        at: start,
        phone: '07700 900123',
        text: 'Canary: are you well?',
        ...change,
      };
    },
  };
}

/** Listens as a worker does. `heard` gives the names of the tasks that committed transactions have woken since the last call. */
export async function hearWakes({ pool }: Pick<OpenDatabase, 'pool'>): Promise<{ heard(): Promise<string[]> }> {
  const client = await pool.connect();
  onTestFinished(() => client.release(true));
  const names: string[] = [];
  client.on('notification', ({ payload = '' }) => names.push(payload));
  await client.query('listen everkept_tasks');
  return {
    async heard() {
      // PostgreSQL delivers in the order of commits, so all earlier ones come before this one.
      await client.query("select pg_notify('everkept_tasks', 'end')");
      while (!names.includes('end')) await once(client, 'notification');
      return names.splice(0).filter((name) => name !== 'end');
    },
  };
}
