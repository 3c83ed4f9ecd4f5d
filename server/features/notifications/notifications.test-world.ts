import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys, type ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryQueue } from '#server/platform/queue/memory-queue.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { notifications as table } from '#server/schema/notifications.tables.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  createNotifications,
  type NewEmail,
  type NewText,
  type NotificationsOptions,
} from './notifications.service.ts';

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
  let serviceKeys: ServiceKeys;
  const ownerId = randomUUID();

  beforeAll(async () => {
    database = await createTestDatabase();
    const key = randomBytes(32);
    serviceKeys = await createServiceKeys(database.db, { current: { version: 1, key }, find: () => key });
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
      return serviceKeys;
    },
    rows,
    statuses: async () => (await rows()).map(({ status }) => status).toSorted(),
    /** A set of doors of its own, as another process would have. */
    build: (change: Partial<NotificationsOptions> = {}) => {
      const clock = createManualClock(start);
      const mailer = createMemoryMailer();
      const texter = createMemoryTexter();
      const queue = createMemoryQueue();
      const logged: string[] = [];
      const write = (details: object, message: string) => logged.push(`${message} ${JSON.stringify(details)}`);
      const notifications = createNotifications({
        db: database.db,
        clock,
        serviceKeys,
        mailer,
        texter,
        queue,
        mailFrom: 'hello@everkept.test',
        mailCheck: { address: 'operator@everkept.test', baseUrl: 'https://everkept.example' },
        log: { warn: write, error: write },
        ...change,
      });
      return { clock, mailer, texter, queue, logged, notifications };
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
        kind: 'release.reminder',
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
