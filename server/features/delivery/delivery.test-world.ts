import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { eq, inArray, isNull, sql } from 'drizzle-orm';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { storeFates } from '#server/features/messages/messages.repository.ts';
import type { LetterToSend } from '#server/features/messages/messages.service.ts';
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
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { createTestDatabase } from '#tests/support/database.ts';
import { releaseRow } from '#tests/support/request-rows.ts';
import { createDeliveries } from './delivery.service.ts';

const start = new Date('2026-09-10T09:00:00Z');
const baseUrl = 'https://everkept.example';
export const operator = 'operator@everkept.example';

const attachment = { name: 'map.pdf', sizeBytes: 7, mimeType: 'application/pdf', pictureSize: null, transcript: '' };

/** Messages whose words no longer open. */
const damaged = new Set<string>();

type Reader = { name: string | null; email: string };

type Sent = NewEmail & { id: string; state: 'waiting' | 'cancelled' | 'ended' };

/**
 * Delivery on a real database and a hand-held clock. Its neighbours are the smallest things that keep their promise:
 * a post office that sends when told, an owner's row, a message's row, and a list of contacts.
 */
export async function createDeliveryWorld(given: { writtenBeforeAnswerMax?: number } = {}) {
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
  /** Which release of the owner each request led to. */
  const numbers = new Map<string, number>();
  let nextNumber = 1;
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
      damagedAmong: async (_executor, _userId, ids) => new Set(ids.filter((id) => damaged.has(id))),
      settleFates: storeFates,
      async readForDelivery(executor, { messageId }) {
        const [row] = await executor.select().from(messages).where(eq(messages.id, messageId));
        if (!row) throw new Error('No such message.');
        const { title, content, createdAt } = row;
        const whole = { title, content, encryptedContent: null, createdAt, attachment, enclosures: [], alsoFor: [] };
        return damaged.has(messageId) ? { ...whole, title: damagedTitle, content: '', isDamaged: true } : whole;
      },
      async titlesForDelivery(executor, _userId, ids) {
        const rows = await executor
          .select()
          .from(messages)
          .where(inArray(messages.id, [...ids]));
        return new Map(rows.map(({ id, title }) => [id, { title, sealed: false, enclosures: 0 }]));
      },
      async attachmentForDelivery() {
        return { ...attachment, open: async () => Readable.from([Buffer.from('the map')], { objectMode: false }) };
      },
      async enclosureForDelivery() {
        throw new Error('Nothing is enclosed here.');
      },
    },
    contacts: { confirmedContacts: async () => contacts },
    notifications: post,
    healthyTime: async (_executor, at) => ({ countedMs: healthyMsOf(at), atMostMs: healthyMsOf(at) }),
    adminEmail: operator,
    ...given,
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
    /** Messages whose words no longer open, by id. */
    damaged,
    logged,
    deliveries,
    close: database.close,

    /** Which release of the owner a request led to. */
    numberOf: (requestId: string) => numbers.get(requestId) ?? 0,

    /** Nothing of a release is known any more, as after a backup was restored. */
    async forget(requestId: string) {
      await db.delete(releaseRequests).where(eq(releaseRequests.id, requestId));
    },

    async newRequest(number = nextNumber++): Promise<string> {
      // An owner has one open request; earlier ones of the test are over.
      await closeRelease('left_as_it_is');
      const row = releaseRow({ userId: ownerId, openedAt: await clock.now(), releaseNumber: number });
      await db.insert(releaseRequests).values(row);
      numbers.set(row.id, number);
      return row.id;
    },

    /** For one person, or for several, each a name and an address; gives the letter of the first, with those of all. */
    async newMessage(whom: string | readonly Reader[], title = 'For Nell, when it is time', position = 1) {
      const id = randomUUID();
      const readers = typeof whom === 'string' ? [{ name: null, email: whom }] : whom;
      await db.insert(messages).values({
        id,
        userId: ownerId,
        title,
        content: 'Dear Nell,\n\nPut the kettle on first.',
        position,
        status: 'ready',
        createdAt: new Date('2026-03-02T10:00:00Z'),
      });
      const letters = readers.map(({ name, email }) => ({ messageId: id, recipientId: randomUUID(), name, email }));
      const [first] = letters;
      if (!first) throw new Error('A message is for somebody.');
      await db.insert(messageRecipients).values(
        letters.map(({ recipientId, email }, index) => {
          return { id: recipientId, messageId: id, position: index + 1, person: email };
        }),
      );
      return { ...first, id, letters };
    },

    async release(requestId: string, letters: readonly LetterToSend[]): Promise<number> {
      const at = await clock.now();
      const releaseNumber = numbers.get(requestId) ?? 0;
      return db.transaction((tx) =>
        deliveries.createFor(tx, { userId: ownerId, requestId, releaseNumber, at, letters }),
      );
    },

    async halt(requestId: string, isBack = true) {
      // What is undone and released again is a release of its own.
      if (!isBack) numbers.set(requestId, nextNumber++);
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
  const accepted = new Set<string>();
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
    /** Here a mail waits until it has ended, and nobody has taken one. */
    cancelTaken: async () => undefined,
    async cancelAllBut(tx: Executor, { kind, butOf }: Parameters<Neighbour['cancelAllBut']>[1]) {
      const ids = await idsOf(tx, butOf);
      for (const mail of mails)
        if (mail.kind === kind && mail.state === 'waiting' && !ids.includes(mail.subjectId ?? ''))
          mail.state = 'cancelled';
    },
    async takeBackUntried(_tx: Executor, subjectIds: readonly string[], kind: string) {
      const back = mails.filter(
        (mail) => mail.kind === kind && mail.state === 'waiting' && subjectIds.includes(mail.subjectId ?? ''),
      );
      for (const mail of back) mail.state = 'cancelled';
      return back.flatMap(({ subjectId }) => subjectId ?? []);
    },
    leavingFor: async () => [],
    async isWaiting(_executor: Executor, subjectId: string, kind: string) {
      return mails.some((mail) => mail.subjectId === subjectId && mail.kind === kind && mail.state === 'waiting');
    },
    async isHeard(_executor: Executor, id: string) {
      const mail = mails.find((each) => each.id === id);
      return mails.some(
        (each) =>
          each.kind === mail?.kind &&
          each.subjectId === mail.subjectId &&
          each.at >= mail.at &&
          (each.state === 'waiting' || accepted.has(each.id)),
      );
    },
    holdWhileFrozen: () => undefined,
    letGo: async () => undefined,
    onBounce: () => undefined,
    onRefused: () => undefined,
    onOutcomes(prefix: string, handler: OutcomesHandler) {
      handlers.push({ prefix, handler });
    },
    async tell(tx: Executor, outcome: NotificationOutcome) {
      if (outcome.outcome === 'accepted') accepted.add(outcome.id);
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
