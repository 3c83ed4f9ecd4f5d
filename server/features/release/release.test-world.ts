import { randomBytes, randomUUID } from 'node:crypto';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import {
  findOwner,
  findOwnerByEmail,
  findVaultKey,
  findVaultKeys,
  lockOwnerRow,
  lockOwnerRows,
} from '#server/features/accounts/accounts.repository.ts';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import { type ActivityType, createActivityLog } from '#server/features/accounts/activity.service.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { createContacts } from '#server/features/contacts/contacts.service.ts';
import { createDeliveries } from '#server/features/delivery/delivery.service.ts';
import { createDocuments } from '#server/features/documents/documents.service.ts';
import { createFiles } from '#server/features/files/files.service.ts';
import { createMessages } from '#server/features/messages/messages.service.ts';
import { createNotifications } from '#server/features/notifications/notifications.service.ts';
import { createNewAddresses } from '#server/features/redelivery/new-address.service.ts';
import { readHealthyTime } from '#server/features/release-health/health.service.ts';
import { createOwnersRelease } from '#server/features/release-settings/owners-release.service.ts';
import { createFreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryQueue } from '#server/platform/queue/memory-queue.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter, type MemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { notifications as notificationRows } from '#server/schema/notifications.tables.ts';
import {
  releaseAnswers,
  releaseAsks,
  releaseNotices,
  releaseRequests,
  releaseSilences,
} from '#server/schema/release.tables.ts';
import { serviceHealth } from '#server/schema/service-health.tables.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { createReleases } from './release.service.ts';
import { advanceTestClock, jumpTestClock } from './test-clock.ts';

export const dayMs = 86_400_000;
export const nowhere = { ipAddress: null, userAgent: null };
const baseUrl = 'https://everkept.example';

type OwnerSettings = Partial<
  Pick<
    typeof users.$inferInsert,
    | 'releaseMethod'
    | 'inactivityDays'
    | 'releaseQuorum'
    | 'releaseWaitingDays'
    | 'releaseAnswerDays'
    | 'phone'
    | 'emailVerified'
  >
>;

/** What an owner may choose, for tests that are about something else than the days before an early release. */
export const atOnce = { releaseWaitingDays: 0 };

/** What a contact of Sam's is written before anything happens: the invitation, and what they keep of their yes. */
export const ofTheRole = [
  'Sam Ashworth has named you as a trusted contact',
  'You said yes for Sam Ashworth: please keep this',
];

export type Owner = Principal & { email: string };
export type Friend = { id: string; email: string };

/** The production services around release on a real database; only mail, texts and time are in our hands. */
export async function createReleaseWorld(
  given: { database?: TestDatabase; masterKey?: Buffer; texter?: MemoryTexter; adminEmail?: null } = {},
) {
  const { database = await createTestDatabase(), masterKey = randomBytes(32), texter = createMemoryTexter() } = given;
  const { db } = database;
  const clock = createDatabaseClock(db, { testClock: true });
  const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };
  const vaults = createVaults(masterKeys);
  const serviceKeys = await createServiceKeys(db, masterKeys);
  const activity = createActivityLog();
  const mailer = createMemoryMailer();
  const audit = createAudit(serviceKeys);
  const logged: { details: object; message: string }[] = [];
  const write = (details: object, message: string) => void logged.push({ details, message });
  const log = { warn: write, error: write };
  const notifications = createNotifications({
    db,
    clock,
    serviceKeys,
    mailer,
    texter,
    queue: createMemoryQueue(),
    mailFrom: 'Everkept <hello@everkept.example>',
    mailCheck: { address: 'operator@everkept.example', baseUrl: 'https://everkept.example' },
    log,
  });
  const freshSignIns = createFreshSignIns({ db, clock });
  const accounts = {
    ...activity,
    lockOwner: lockOwnerRow,
    lockOwners: lockOwnerRows,
    ownerOf: findOwner,
    ownerByEmail: findOwnerByEmail,
    async openVault(executor: Executor, userId: string) {
      const key = await findVaultKey(executor, userId);
      if (!key) throw new Error('This owner has no vault.');
      return vaults.open(userId, key);
    },
    async openVaults(executor: Executor, userIds: readonly string[]) {
      const keys = await findVaultKeys(executor, userIds);
      return new Map(keys.map((key) => [key.userId, vaults.open(key.userId, key)]));
    },
  };
  const { hashToken } = serviceKeys;
  const shared = { db, clock, hashToken, vaults, accounts, freshSignIns, audit, notifications, baseUrl };
  const files = createFiles({ ...shared, store: createMemoryStore(), scanner: noScanner, log });
  const messages = createMessages({ ...shared, files });
  const documents = createDocuments({ ...shared, files });
  const contacts = createContacts({ ...shared, spendBudget: async () => undefined });
  const adminEmail = given.adminEmail === null ? null : 'operator@everkept.example';
  const delivering = { keys: serviceKeys, messages, contacts, healthyTime: readHealthyTime, adminEmail, log };
  const deliveries = createDeliveries({ ...shared, ...delivering });
  const ofRelease = {
    ...shared,
    messages,
    documents,
    contacts,
    deliveries,
    log,
    isTextingSetUp: texter.kind !== 'outbox',
    answerDaysDefault: 7,
    isMailSetUp: true,
    adminEmail,
  };
  const releases = createReleases(ofRelease);
  const ownersRelease = createOwnersRelease(ofRelease, releases);
  const newAddresses = createNewAddresses(ofRelease, releases);
  const testClock = { db, clock, releases, newAddresses, notifications, deliveries };

  async function newOwner(settings: OwnerSettings = {}): Promise<Owner> {
    const userId = randomUUID();
    const email = `sam.${userId}@ashworth.example`;
    const now = await clock.now();
    const names = { firstName: 'Sam', lastName: 'Ashworth' };
    const proven = { phoneProvenAt: settings.phone ? now : null, phoneNumber: settings.phone ?? null };
    await db.insert(users).values({
      id: userId,
      email,
      emailVerified: true,
      plan: 'lifetime',
      lastCheckinAt: now,
      ...names,
      ...settings,
      ...proven,
    });
    const vaultKey = vaults.create(userId);
    await db.insert(vaultKeys).values({ userId, ...vaultKey });
    const principal = { userId, sessionId: randomUUID(), emailVerified: true, plan: 'lifetime' as const };
    return { ...principal, vaultKey, authenticatedAt: now, secondFactorAt: null, email };
  }

  async function write1(owner: Owner, recipientEmail: string, status: 'ready' | 'draft' = 'ready') {
    const letter = { title: 'For Nell', content: 'Put the kettle on first.', recipientEmail, status };
    const rest = { category: 'personal' as const, visibleToTrustedContact: true };
    return messages.create({ principal: owner, origin: nowhere }, { ...letter, ...rest });
  }

  async function befriend(owner: Owner, name: string, phone: string | null = null): Promise<Friend> {
    const friend = await invite(owner, name, phone);
    await acceptInvitation(friend);
    return friend;
  }

  async function invite(owner: Owner, name: string, phone: string | null = null): Promise<Friend> {
    const email = `${name.toLowerCase()}.${randomUUID()}@post.example`;
    const details = { name: `${name} Shah`, email, phone, relationship: null, isActive: true };
    const { id } = await contacts.create({ principal: owner, origin: nowhere }, details);
    await notifications.dispatchDue();
    return { id, email };
  }

  async function acceptInvitation({ email }: Friend): Promise<void> {
    const token = linkIn(email, '/trusted-contact-accept/');
    await contacts.answerInvitation({ token, accept: true, origin: nowhere });
  }

  /** The token of the newest link of this kind that reached an address. */
  function linkIn(address: string, path: string): string {
    const tokens = mailer.sent
      .filter(({ to }) => to.address === address)
      .flatMap(({ text }) => text.split(`${baseUrl}${path}`)[1]?.match(/^[\w-]+/)?.[0] ?? []);
    const newest = tokens.at(-1);
    if (!newest) throw new Error(`No link ${path} reached this address.`);
    return newest;
  }

  const subjects = (address: string) =>
    mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);

  /** The newest mail to an address, on one line. */
  const said = (address: string) =>
    mailer.sent.findLast(({ to }) => to.address === address)?.text.replace(/\s+/g, ' ') ?? '';

  async function rowOf(userId: string) {
    const [row] = await db.select().from(users).where(eq(users.id, userId));
    if (!row) throw new Error('There is no such owner.');
    return row;
  }

  /** Every accepted message about an owner: what it was, and on which day of their silence. */
  async function story(owner: Owner, since?: Date): Promise<string[]> {
    const from = since ?? (await rowOf(owner.userId)).lastCheckinAt;
    const rows = await db
      .select()
      .from(notificationRows)
      .where(
        sql`${notificationRows.userId} = ${owner.userId} and ${notificationRows.acceptedAt} > ${from.toISOString()}::timestamptz`,
      )
      .orderBy(asc(notificationRows.kind), asc(notificationRows.channel));
    const dayOf = (at: Date | null) => Math.floor(((at?.getTime() ?? 0) - from.getTime()) / dayMs);
    return rows
      .filter(({ kind }) => /^(release|delivery)\./.test(kind) && kind !== 'release.nudge')
      .map(({ acceptedAt, kind, channel }) => ({ day: dayOf(acceptedAt), line: `${kind} ${channel}` }))
      .sort((one, other) => one.day - other.day)
      .map(({ day, line }) => `${day} ${line}`);
  }

  const requestsOf = (owner: Owner) =>
    db
      .select()
      .from(releaseRequests)
      .where(eq(releaseRequests.userId, owner.userId))
      .orderBy(asc(releaseRequests.openedAt));
  const silencesOf = (owner: Owner) =>
    db
      .select()
      .from(releaseSilences)
      .where(eq(releaseSilences.userId, owner.userId))
      .orderBy(asc(releaseSilences.openedAt));

  async function requestOf(owner: Owner) {
    const request = (await requestsOf(owner)).at(-1);
    if (!request) throw new Error('There is no request.');
    return request;
  }

  /** Where an owner stands between silence and delivery, as their own page says it. */
  const stateOf = async (owner: Owner) => (await ownersRelease.overview(owner.userId)).state;

  /** For some days, the domain of an address accepts mail of ours for another mailbox, twice a day. */
  async function writeToNeighbour(address: string, days: number): Promise<void> {
    const at = await clock.now();
    const to = { address: `neighbour@${address.split('@')[1]}` };
    for (let half = 0; half < days * 2; half += 1) {
      const notBefore = new Date(at.getTime() + half * 43_200_000);
      const dedupeKey = `neighbour:${to.address}:${notBefore.toISOString()}`;
      const mail = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
      const cause = { channel: 'email', kind: 'test.neighbour', userId: null, subjectId: null } as const;
      await notifications.enqueue(db, { ...cause, dedupeKey, at, notBefore, to, mail });
    }
  }

  return {
    writeToNeighbour,
    hashToken,
    baseUrl,
    ...database,
    masterKeys,
    clock,
    mailer,
    texter,
    logged,
    audit,
    accounts,
    messages,
    contacts,
    deliveries,
    notifications,
    releases,
    ownersRelease,
    newAddresses,
    newOwner,
    write: write1,
    befriend,
    invite,
    acceptInvitation,
    linkIn,
    subjects,
    said,
    rowOf,
    story,
    requestsOf,
    silencesOf,
    requestOf,
    stateOf,
    documents,
    log,
    live: (days: number) => advanceTestClock({ ...testClock, ms: days * dayMs }),
    jump: (days: number) => jumpTestClock({ db, ms: days * dayMs }),
    asksOf: (owner: Owner) =>
      db.select().from(releaseAsks).where(eq(releaseAsks.userId, owner.userId)).orderBy(asc(releaseAsks.notice)),
    answersOf: async (owner: Owner) =>
      db
        .select()
        .from(releaseAnswers)
        .where(
          inArray(
            releaseAnswers.requestId,
            (await requestsOf(owner)).map(({ id }) => id),
          ),
        )
        .orderBy(asc(releaseAnswers.at), asc(releaseAnswers.number)),
    noticesOf: (owner: Owner) =>
      db
        .select()
        .from(releaseNotices)
        .where(eq(releaseNotices.userId, owner.userId))
        .orderBy(asc(releaseNotices.number)),
    deliveriesOf: (owner: Owner) =>
      db.select().from(messageDeliveries).where(eq(messageDeliveries.userId, owner.userId)),
    /** The newest notice of this kind about an owner, and what became of it. */
    async noticeOf(owner: Owner, topic: string) {
      const [row] = await db
        .select()
        .from(releaseNotices)
        .where(and(eq(releaseNotices.userId, owner.userId), eq(releaseNotices.topic, topic)))
        .orderBy(desc(releaseNotices.number))
        .limit(1);
      if (!row) throw new Error(`Nothing was told of ${topic}.`);
      return row;
    },
    /** What the log says was done for an owner, oldest first. */
    async auditOf(owner: Owner): Promise<string[]> {
      const rows = await db
        .select({ action: auditLogs.action })
        .from(auditLogs)
        .where(eq(auditLogs.userId, owner.userId))
        .orderBy(asc(auditLogs.position));
      return rows.map(({ action }) => action);
    },
    /** Leaves neither owners nor a stopped service behind: the next test lives through its own owners' time only. */
    async clear() {
      await db.delete(users);
      await releases.freeze('Between two tests.');
      await releases.resume();
      mailer.answer(null);
      mailer.clear();
    },
    async health() {
      const [row] = await db.select().from(serviceHealth);
      if (!row) throw new Error('The row of health is missing.');
      return row;
    },
    async showLife(owner: Owner, type: ActivityType = 'manual') {
      await db.transaction(async (tx) => {
        await lockOwnerRow(tx, owner.userId);
        await activity.recordActivity(tx, { userId: owner.userId, type, at: await clock.now(tx) });
      });
    },
    answer: (friend: Friend, confirmed: boolean) =>
      releases.decide({
        tokenHash: hashToken(linkIn(friend.email, '/trusted-contact-admin/')),
        confirmed,
        reason: 'I was at the funeral.',
        origin: nowhere,
      }),
  };
}

export type ReleaseWorld = Awaited<ReturnType<typeof createReleaseWorld>>;
