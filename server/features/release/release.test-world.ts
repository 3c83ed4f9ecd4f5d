import { randomBytes, randomUUID } from 'node:crypto';
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityType } from '#server/features/accounts/activity.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import { contactCalls } from '#server/features/contacts/contacts.test-world.ts';
import { createMessage } from '#server/features/messages/messages.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { createMemoryTexter, type MemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { registerReactions } from '#server/reactions.ts';
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
import type { TestDatabase } from '#tests/support/database.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { releaseCalls } from './release-calls.test-world.ts';
import { roundsFor } from './rounds.test-world.ts';
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

/** Settings for tests that are not about the days before an early release. */
export const atOnce = { releaseWaitingDays: 0 };

/** Mails to Sam's contact before the release: the invitation, and a copy of their yes. */
export const ofTheRole = [
  'Sam Ashworth has named you as a trusted contact',
  'You said yes for Sam Ashworth: please keep this',
];

export type Owner = Principal & { email: string };
export type Friend = { id: string; email: string };

/** Opens the services of production on a real database. Mail, texts and time are the test's own. */
export async function createReleaseWorld(
  given: { database?: TestDatabase; masterKey?: Buffer; texter?: MemoryTexter; adminEmail?: null } = {},
) {
  const { masterKey = randomBytes(32), texter = createMemoryTexter() } = given;
  const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };
  const adminEmail = given.adminEmail === null ? null : 'operator@everkept.example';
  const opened = await openTestApp({
    ...(given.database && { database: given.database }),
    environment: { TEST_CLOCK: '1', ...(adminEmail && { ADMIN_EMAIL: adminEmail }) },
    parts: { masterKeys, texter },
  });
  const { database, mailer } = opened;
  const logged: { details: object; message: string }[] = [];
  const write = (details: object, message: string) => void logged.push({ details, message });
  const log = Object.assign(pino({ level: 'silent' }), { warn: write, error: write });
  const limits = { ...opened.app.limits, spend: async () => undefined };
  const app = { ...opened.app, baseUrl, log, limits };
  const { db, clock, vaults, serviceKeys } = app;
  const { hashToken } = serviceKeys;
  registerReactions(app);
  // Their lines would stand in `logged`, which is about releases.
  app.brokenSealListeners.length = 0;
  const contacts = contactCalls(app);
  const { ownersRelease, releases } = releaseCalls(app);
  const rounds = roundsFor(app);
  const testClock = { app, rounds, hasDailyTasks: false };

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
    return createMessage(app, { principal: owner, origin: nowhere, body: { ...letter, ...rest } });
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
    await dispatchDue(app);
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

  /** Every accepted message about an owner, with its kind and day of silence. */
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

  /** State of an owner's release, as their own page shows it. */
  const stateOf = async (owner: Owner) => (await ownersRelease.overview(owner.userId)).state;

  /** For some days, the domain of an address accepts mail of ours for another mailbox, twice a day. */
  async function writeToNeighbour(address: string, days: number): Promise<void> {
    const at = await clock.now();
    const to = { address: `neighbour@${address.split('@')[1]}` };
    for (let half = 0; half < days * 2; half += 1) {
      const notBefore = new Date(at.getTime() + half * 43_200_000);
      const dedupeKey = `neighbour:${to.address}:${notBefore.toISOString()}`;
      const mail = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
      const cause = { channel: 'email', kind: 'billing.receipt', userId: null, subjectId: null } as const;
      await enqueueNotification(app, db, { ...cause, dedupeKey, at, notBefore, to, mail });
    }
  }

  return {
    writeToNeighbour,
    hashToken,
    baseUrl,
    ...database,
    app,
    masterKeys,
    clock,
    mailer,
    texter,
    logged,
    contacts,
    releases,
    ownersRelease,
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
    /** Newest notice of this kind about an owner, with its outcome. */
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
    /** Actions in the audit log for an owner, oldest first. */
    async auditOf(owner: Owner): Promise<string[]> {
      const rows = await db
        .select({ action: auditLogs.action })
        .from(auditLogs)
        .where(eq(auditLogs.userId, owner.userId))
        .orderBy(asc(auditLogs.position));
      return rows.map(({ action }) => action);
    },
    /** Removes all owners and ends every stop, so that the next test simulates its own owners only. */
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
        await recordActivity(app, tx, { userId: owner.userId, type, at: await clock.now(tx) });
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
