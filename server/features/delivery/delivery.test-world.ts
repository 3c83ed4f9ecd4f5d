import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { eq, inArray, isNull, sql } from 'drizzle-orm';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type {
  NewEmail,
  NotificationOutcome,
  OutcomesHandler,
} from '#server/features/notifications/notifications.service.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { releaseRow } from '#tests/support/request-rows.ts';
import { createDeliveries } from './delivery.service.ts';

const start = new Date('2026-09-10T09:00:00Z');
const baseUrl = 'https://everkept.example';
export const operator = 'operator@everkept.example';

const attachment = { name: 'map.pdf', sizeBytes: 7, mimeType: 'application/pdf' };

type Sent = NewEmail & { id: string; state: 'waiting' | 'cancelled' | 'ended' };

/**
 * Delivery on a real database and a hand-held clock. Its neighbours are the smallest things that keep their promise:
 * a post office that sends when told, an owner's row, a message's row, and a list of contacts.
 */
export async function createDeliveryWorld() {
  const database = await createTestDatabase();
  const { db } = database;
  const clock = createManualClock(start);
  const masterKey = { version: 1, key: Buffer.alloc(32, 7) };
  const masterKeys = { current: masterKey, find: (version: number) => (version === 1 ? masterKey.key : undefined) };
  const keys = await createServiceKeys(db, masterKeys);
  const vaults = createVaults(masterKeys);
  const ownerId = randomUUID();
  const vault = vaults.open(ownerId, vaults.create(ownerId));
  const post = createPostOffice();
  const broken = { vaultOpenings: 0 };
  const outage = { ms: 0 };
  const healthyMsOf = (at: Date) => at.getTime() - start.getTime() - outage.ms;
  const logged: object[] = [];
  const audited: { action: string; details?: unknown }[] = [];
  const contacts = [
    {
      id: randomUUID(),
      name: 'Priya Shah',
      email: 'priya@post.example',
      phone: null,
      confirmedHealthyMs: null,
      confirmedAt: start,
    },
    {
      id: randomUUID(),
      name: 'Tom Reid',
      email: 'tom@post.example',
      phone: null,
      confirmedHealthyMs: null,
      confirmedAt: start,
    },
  ];

  const ownerOf = async (executor: Executor, id: string) => {
    const [row] = await executor.select().from(users).where(eq(users.id, id));
    return (row as OwnerRow | undefined) ?? null;
  };

  const deliveries = createDeliveries({
    db,
    clock,
    baseUrl,
    keys,
    accounts: {
      ownerOf,
      async lockOwner(tx, id) {
        await tx.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update');
        return ownerOf(tx, id);
      },
      async openVault() {
        if (broken.vaultOpenings === 0) return vault;
        broken.vaultOpenings -= 1;
        throw new Error('This vault does not open.');
      },
    },
    messages: {
      async markDelivered(tx, letters) {
        for (const { id, at } of letters) {
          await tx.update(messages).set({ status: 'delivered', deliveredAt: at }).where(eq(messages.id, id));
        }
      },
      async markReadyAgain(tx, ids) {
        await tx
          .update(messages)
          .set({ status: 'ready', deliveredAt: null })
          .where(inArray(messages.id, [...ids]));
      },
      async readForDelivery(executor, id) {
        const [row] = await executor.select().from(messages).where(eq(messages.id, id));
        if (!row) throw new Error('No such message.');
        return { title: row.title, content: row.content, encryptedContent: null, createdAt: row.createdAt, attachment };
      },
      async attachmentForDelivery() {
        return { ...attachment, open: async () => Readable.from([Buffer.from('the map')], { objectMode: false }) };
      },
    },
    contacts: { confirmedContacts: async () => contacts },
    notifications: post,
    healthyTime: async (_executor, at) => ({ countedMs: healthyMsOf(at), atMostMs: healthyMsOf(at) }),
    adminEmail: operator,
    log: { error: (details) => void logged.push(details) },
    audit: {
      async record(_tx, entry) {
        audited.push({ action: entry.action, details: entry.details });
      },
      async recordAll(_tx, entries) {
        audited.push(...entries.map(({ action, details }) => ({ action, details })));
      },
    },
  });

  await db.insert(users).values({ id: ownerId, email: 'sam@ashworth.example', firstName: 'Sam', lastName: 'Ashworth' });
  await db
    .insert(trustedContacts)
    .values(contacts.map(({ id, name, email }) => ({ id, userId: ownerId, name, email })));

  /** Ends whatever is open, as the release would before it halts deliveries. */
  async function closeRelease(outcome: 'taken_back' | 'left_as_it_is'): Promise<void> {
    const closedAt = await clock.now();
    await db.update(releaseRequests).set({ closedAt, outcome }).where(isNull(releaseRequests.closedAt));
  }

  return {
    db,
    clock,
    keys,
    vault,
    ownerId,
    contacts,
    post,
    audited,
    /** How many of the next openings of the vault fail. */
    broken,
    /** How much of the time so far was none that counts. */
    outage,
    healthyMs: async () => healthyMsOf(await clock.now()),
    logged,
    deliveries,
    close: database.close,

    async newRequest(): Promise<string> {
      // An owner has one open request; earlier ones of the test are over.
      await closeRelease('left_as_it_is');
      const row = releaseRow({ userId: ownerId, openedAt: await clock.now() });
      await db.insert(releaseRequests).values(row);
      return row.id;
    },

    async newMessage(recipientEmail: string, title = 'For Nell, when it is time') {
      const id = randomUUID();
      await db.insert(messages).values({
        id,
        userId: ownerId,
        title,
        content: 'Dear Nell,\n\nPut the kettle on first.',
        recipientEmail,
        status: 'ready',
        createdAt: new Date('2026-03-02T10:00:00Z'),
      });
      return { id, recipientEmail };
    },

    async release(requestId: string, released: { id: string; recipientEmail: string }[]): Promise<number> {
      const at = await clock.now();
      return db.transaction((tx) => deliveries.createFor(tx, { userId: ownerId, requestId, at, messages: released }));
    },

    async halt(requestId: string, isBack = true) {
      const at = await clock.now();
      return db.transaction(async (tx) => {
        const owner = await ownerOf(tx, ownerId);
        if (!owner) throw new Error('No owner.');
        return deliveries.haltRelease(tx, { owner, requestId, at, isBack });
      });
    },

    closeRelease,

    /** The mail server answers to one mail. */
    async end(mail: Sent, outcome: NotificationOutcome['outcome']): Promise<void> {
      mail.state = 'ended';
      const { id, kind, userId, subjectId, dedupeKey, contactId = null } = mail;
      const at = await clock.now();
      await db.transaction((tx) =>
        post.tell(tx, {
          ...{ id, kind, userId, subjectId, dedupeKey, contactId, outcome, at },
          ...{ notice: null, channel: 'email', isTrouble: false },
        }),
      );
    },

    async deliveryOf(messageId: string) {
      const rows = await db.select().from(messageDeliveries).where(eq(messageDeliveries.messageId, messageId));
      const row = rows.at(-1);
      if (!row) throw new Error('No delivery.');
      return row;
    },

    async statusOfMessage(messageId: string) {
      const [row] = await db.select().from(messages).where(eq(messages.id, messageId));
      return { status: row?.status, deliveredAt: row?.deliveredAt };
    },
  };
}

function createPostOffice() {
  const mails: Sent[] = [];
  const handlers: { prefix: string; handler: OutcomesHandler }[] = [];
  type Neighbour = Parameters<typeof createDeliveries>[0]['notifications'];
  type Given = Parameters<Neighbour['enqueue']>[1];
  type Cancelled = Parameters<Neighbour['cancelFor']>[1];

  async function idsOf(tx: Executor, query: Exclude<Cancelled, string>): Promise<string[]> {
    const { rows } = await tx.execute<{ id: string }>(sql`select id from ${query} as subjects`);
    return rows.map(({ id }) => id);
  }

  return {
    mails,
    async enqueueAll(tx: Executor, all: readonly Given[]) {
      for (const mail of all) await this.enqueue(tx, mail);
    },
    async enqueue(_tx: Executor, mail: Given) {
      if (mail.channel !== 'email') throw new Error('Delivery sends no texts.');
      const known = mails.find(({ dedupeKey }) => dedupeKey === mail.dedupeKey);
      if (known) return known.id;
      const sent: Sent = { ...mail, id: randomUUID(), state: 'waiting' };
      mails.push(sent);
      return sent.id;
    },
    async cancelFor(tx: Executor, subjects: Cancelled, kinds?: readonly string[]) {
      const ids = typeof subjects === 'string' ? [subjects] : await idsOf(tx, subjects);
      for (const mail of mails) {
        if (!ids.includes(mail.subjectId ?? '') || mail.state !== 'waiting') continue;
        if (!kinds || kinds.includes(mail.kind)) mail.state = 'cancelled';
      }
    },
    leavingFor: async () => [],
    async isWaiting(_executor: Executor, subjectId: string, kind: string) {
      return mails.some((mail) => mail.subjectId === subjectId && mail.kind === kind && mail.state === 'waiting');
    },
    holdWhileFrozen: () => undefined,
    onBounce: () => undefined,
    onOutcomes(prefix: string, handler: OutcomesHandler) {
      handlers.push({ prefix, handler });
    },
    async tell(tx: Executor, outcome: NotificationOutcome) {
      for (const { prefix, handler } of handlers) if (outcome.kind.startsWith(prefix)) await handler(tx, [outcome]);
    },
    /** The one mail of a kind to an address that has not ended. */
    waiting(kind: string, address: string): Sent {
      const found = mails.filter(
        (mail) => mail.kind === kind && mail.to.address === address && mail.state === 'waiting',
      );
      const [mail] = found;
      if (!mail || found.length > 1) throw new Error(`${found.length} mails of ${kind} wait for ${address}.`);
      return mail;
    },
    count(kind: string, address: string): number {
      return mails.filter((mail) => mail.kind === kind && mail.to.address === address).length;
    },
  };
}

/** The token in the link of a mail. */
export function tokenIn(mail: { mail: { text: string } }): string {
  const token = /\/message\/([\w-]{43})/.exec(mail.mail.text)?.[1];
  if (!token) throw new Error('The mail holds no link.');
  return token;
}
