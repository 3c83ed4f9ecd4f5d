import { randomUUID } from 'node:crypto';
import { asc, desc, eq, isNull } from 'drizzle-orm';
import { pino } from 'pino';
import { findOwner, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { sealContact } from '#server/features/contacts/contacts.sealing.ts';
import type { LetterToSend } from '#server/features/messages/letters.ts';
import { attachmentColumns } from '#server/features/messages/messages.attachments.ts';
import { sealWords } from '#server/features/messages/messages.sealing.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
import { unsealPayload } from '#server/features/notifications/notifications.payload.ts';
import { readHealthyTime } from '#server/features/release-health/health.ts';
import type { MailKind } from '#server/mails.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { notifications as notificationRows } from '#server/schema/notifications.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { releaseRow } from '#tests/support/request-rows.ts';
import { type NewDeliveries, queueReleasedLetters, sendDueLetters } from './delivery.ts';
import { finishDueHalts, haltRelease, stoppedOf } from './halts.ts';
import { healthyTimeOf } from './healthy-time.ts';
import { downloadDeliveredAttachment, openEnvelope, renewLink } from './letter-page.ts';
import { settleOutcome } from './mail-outcomes.ts';
import { readLetterOfPerson } from './read-letter.ts';
import { listSentLetters } from './sent-letters.ts';
import { listUnreached, sendToNewAddress, tryOnceMore } from './unreached.ts';

const start = new Date('2026-09-10T09:00:00Z');
export const operator = 'operator@everkept.example';

const attachment = { name: 'map.pdf', sizeBytes: 7, mimeType: 'application/pdf' };

type Reader = { name: string | null; email: string };

/** Mail in the outbox. `state` follows its row. */
type Sent = {
  id: string;
  kind: string;
  userId: string | null;
  subjectId: string | null;
  contactId: string | null;
  dedupeKey: string;
  policy: string;
  messageIdSeed: string;
  to: { address: string };
  mail: { subject: string; text: string; html: string };
  state: 'waiting' | 'cancelled' | 'ended';
};

type OpenedApp = Awaited<ReturnType<typeof openTestApp>>['app'];

/** Delivery on a real database, with a manual clock and an outbox that sends on demand. One owner, two contacts. */
export async function createDeliveryWorld(given: { writtenBeforeAnswerMax?: number } = {}) {
  const clock = createManualClock(start);
  const opened = await openTestApp({
    environment: { ADMIN_EMAIL: operator },
    parts: { clock },
  });
  const { db, vaults, serviceKeys: keys } = opened.app;
  const broken = { vaultOpenings: 0 };
  const logged: object[] = [];
  const log = Object.assign(pino({ level: 'silent' }), { error: (details: object) => void logged.push(details) });
  const openWhenNeeded: typeof vaults.openWhenNeeded = (...vaultOf) => {
    if (broken.vaultOpenings === 0) return vaults.openWhenNeeded(...vaultOf);
    broken.vaultOpenings -= 1;
    throw new Error('This vault does not open.');
  };
  const app = { ...opened.app, log, vaults: { ...vaults, openWhenNeeded } };
  const post = createPostOffice(app);
  const outage = { ms: 0 };
  const healthyMsOf = (at: Date) => at.getTime() - start.getTime() - outage.ms;
  /** Release number of each request. */
  const numbers = new Map<string, number>();
  let nextNumber = 1;

  const ownerId = randomUUID();
  const names = { firstName: 'Sam', lastName: 'Ashworth' };
  await db.insert(users).values({ id: ownerId, email: 'sam@ashworth.example', ...names });
  const vaultKey = vaults.create(ownerId);
  await db.insert(vaultKeys).values({ userId: ownerId, ...vaultKey });
  const vault = vaults.open(ownerId, vaultKey);
  const contacts = [
    { id: randomUUID(), name: 'Priya Shah', email: 'priya@post.example' },
    { id: randomUUID(), name: 'Tom Reid', email: 'tom@post.example' },
  ];
  await db.insert(trustedContacts).values(
    contacts.map(({ id, name, email }) => {
      const sealed = sealContact(vault, id, { name, phone: null, relationship: null });
      return { ...sealed, id, userId: ownerId, email, isActive: true, isConfirmed: true, confirmedAt: start };
    }),
  );

  healthyTimeOf.set(app, readHealthyTime);

  /** Runs a step of delivery: healthy time is recorded before it, and the outbox is read after it. */
  async function act<Result>(step: () => Promise<Result>): Promise<Result> {
    const at = await clock.now();
    const beat = { healthyMs: healthyMsOf(at), lastBeatAt: at, highestSeenAt: at };
    await db.update(serviceHealth).set(beat);
    try {
      return await step();
    } finally {
      await post.read();
    }
  }

  /** Ends an open release, as the release would before it halts deliveries. */
  async function closeRelease(outcome: 'taken_back' | 'left_as_it_is'): Promise<void> {
    const closedAt = await clock.now();
    await db.update(releaseRequests).set({ closedAt, outcome }).where(isNull(releaseRequests.closedAt));
  }

  return {
    db,
    pool: opened.database.pool,
    clock,
    keys,
    vault,
    ownerId,
    contacts,
    post,
    /** Number of next openings of the vault that fail. */
    broken,
    /** Milliseconds so far that do not count as healthy. */
    outage,
    healthyMs: async () => healthyMsOf(await clock.now()),
    logged,
    app,
    deliveries: {
      createFor: (tx: Executor, letters: NewDeliveries) => queueReleasedLetters(app, tx, letters),
      read: (token: string) => act(() => readLetterOfPerson(app, token)),
      recordOpening: (token: string) => act(() => openEnvelope(app, token)),
      attachment: (token: string) => act(() => downloadDeliveredAttachment(app, { params: { token } })),
      renew: (token: string) => act(() => renewLink(app, token)),
      sendDue: (at: Date) => act(() => sendDueLetters(app, at)),
      finishDue: () => act(() => finishDueHalts(app)),
      listForOwner: async (requestId: string) =>
        listSentLetters(app, db, { requestId, from: 0, limit: 50, at: await app.clock.now() }),
      stoppedOf: (requestId: string) => stoppedOf(db, requestId),
      unreached: (requestId: string) => listUnreached(app, db, { userId: ownerId, requestId }),
    },
    close: opened.database.close,

    /** Entries of the audit log, oldest first. */
    audited: () =>
      db
        .select({ action: auditLogs.action, details: auditLogs.details })
        .from(auditLogs)
        .orderBy(asc(auditLogs.position)),

    /** Replaces the words of a message by bytes that do not open. Returns a function that repairs them. */
    async damage(messageId: string) {
      const isMessage = eq(messages.id, messageId);
      const [row] = await db.select({ content: messages.content }).from(messages).where(isMessage);
      await db.update(messages).set({ content: 'damaged' }).where(isMessage);
      return async () =>
        void (await db
          .update(messages)
          .set({ content: row?.content ?? '' })
          .where(isMessage));
    },

    /** Makes contacts count, or not count, in a release. */
    setContacts: async (isActive: boolean) => void (await db.update(trustedContacts).set({ isActive })),

    /** Release number of a request. */
    numberOf: (requestId: string) => numbers.get(requestId) ?? 0,

    /** Removes a release and its mails, as after a backup was restored. */
    async forget(requestId: string) {
      await db.delete(releaseRequests).where(eq(releaseRequests.id, requestId));
      await db.delete(notificationRows).where(eq(notificationRows.userId, ownerId));
      await post.read();
    },

    async newRequest(number = nextNumber++): Promise<string> {
      // An owner has one open request. Earlier requests of the test end here.
      await closeRelease('left_as_it_is');
      const row = releaseRow({ userId: ownerId, openedAt: await clock.now(), releaseNumber: number });
      await db.insert(releaseRequests).values(row);
      numbers.set(row.id, number);
      return row.id;
    },

    /** Writes a message for one address or several readers. Returns the first letter, with the letters of all readers. */
    async newMessage(readers: string | readonly Reader[], title = 'For Nell, when it is time', position = 1) {
      const id = randomUUID();
      const all = typeof readers === 'string' ? [{ name: null, email: readers }] : readers;
      const path = randomUUID();
      const createdAt = new Date('2026-03-02T10:00:00Z');
      await db.insert(fileObjects).values({ path, createdAt });
      await db.insert(messages).values({
        id,
        userId: ownerId,
        ...sealWords(vault, id, { title, content: 'Dear Nell,\n\nPut the kettle on first.' }),
        ...attachmentColumns(vault, id, { ...attachment, path }),
        position,
        status: 'ready',
        createdAt,
      });
      const letters = all.map(({ name, email }) => ({ messageId: id, recipientId: randomUUID(), name, email }));
      const [first] = letters;
      if (!first) throw new Error('A message needs a reader.');
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
      const given = { userId: ownerId, requestId, releaseNumber, at, letters };
      return act(() => db.transaction((tx) => queueReleasedLetters(app, tx, given)));
    },

    async halt(requestId: string, isBack = true) {
      // A release after an undone one has a number of its own.
      if (!isBack) numbers.set(requestId, nextNumber++);
      const at = await clock.now();
      return act(() =>
        db.transaction(async (tx) => {
          const owner = await findOwner(tx, ownerId);
          if (!owner) throw new Error('No owner.');
          return haltRelease(app, tx, { owner, requestId, at, isBack, ...given });
        }),
      );
    },

    sendToNewAddress: async (deliveryId: string, address: string) => {
      const at = await clock.now();
      return act(() => db.transaction((tx) => sendToNewAddress(app, tx, { deliveryId, address, at })));
    },

    tryOnceMore: async (deliveryId: string, key: string, sendsAt: Date) => {
      const at = await clock.now();
      return act(() => db.transaction((tx) => tryOnceMore(app, tx, { deliveryId, key, sendsAt, at })));
    },

    closeRelease,

    /** Ends a mail as the mail server answers, even a cancelled one that was being sent. */
    async end(mail: Sent, outcome: NotificationOutcome['outcome']): Promise<void> {
      const { id, kind, userId, subjectId, dedupeKey, contactId } = mail;
      const at = await clock.now();
      const ended = { status: outcome, endedAt: at, acceptedAt: outcome === 'accepted' ? at : null };
      await act(() =>
        db.transaction(async (tx) => {
          await lockOwnerRow(tx, ownerId);
          await tx.update(notificationRows).set(ended).where(eq(notificationRows.id, id));
          const facts = { id, kind: kind as MailKind, userId, subjectId, dedupeKey, contactId, outcome, at };
          await settleOutcome(app, tx, { ...facts, notice: null, channel: 'email', isTrouble: false });
        }),
      );
    },

    async deliveryOf(messageId: string) {
      const [row] = await db
        .select()
        .from(messageDeliveries)
        .where(eq(messageDeliveries.messageId, messageId))
        .orderBy(desc(messageDeliveries.createdAt))
        .limit(1);
      if (!row) throw new Error('No delivery.');
      return row;
    },

    async statusOfMessage(messageId: string) {
      const [row] = await db.select().from(messages).where(eq(messages.id, messageId));
      return { status: row?.status, deliveredAt: row?.deliveredAt };
    },
  };
}

/** Mails of the outbox as objects that follow their rows. */
function createPostOffice({ db, serviceKeys }: OpenedApp) {
  const mails: Sent[] = [];

  async function read(executor: Executor = db): Promise<void> {
    const rows = await executor.select().from(notificationRows).orderBy(asc(notificationRows.createdAt));
    for (const { payload, messageId, status, ...row } of rows) {
      const state = status === 'cancelled' ? 'cancelled' : status === 'pending' ? 'waiting' : 'ended';
      const known = mails.find(({ id }) => id === row.id);
      if (known) known.state = state;
      const written = known || !payload ? null : unsealPayload(serviceKeys, row.id, payload);
      if (written?.channel !== 'email') continue;
      const { to, subject, html, text } = written;
      const messageIdSeed = messageId.slice(1, messageId.indexOf('@'));
      mails.push({ ...row, messageIdSeed, to, mail: { subject, html, text }, state });
    }
    // A mail without a row was rolled back, or its release was removed.
    for (const mail of mails) if (!rows.some(({ id }) => id === mail.id)) mail.state = 'cancelled';
  }

  return {
    mails,
    read,
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
