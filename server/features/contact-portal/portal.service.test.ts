import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { releaseCycles, releaseInvitations } from '#server/schema/release.tables.ts';
import { portalSchema } from '#shared/contract/release.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { createPortals, type Portals } from './portal.service.ts';

const now = new Date('2026-09-09T09:00:00Z');
const lastActivityAt = new Date('2026-03-13T09:00:00Z');
const firstReminderAt = new Date('2026-06-11T09:00:00Z');
const lastReminderAt = new Date('2026-08-30T09:00:00Z');
const deadLink = { type: 'NOT_FOUND', message: 'Invalid or expired access token' };
const origin = { ipAddress: '127.0.0.1', userAgent: null };

const contactNames = ['Priya Shah', 'Tom Reid'];
const ready = [
  {
    id: randomUUID(),
    title: 'For Nell',
    recipientEmail: 'nell@a.example',
    visibleToTrustedContact: true,
    createdAt: now,
  },
  {
    id: randomUUID(),
    title: 'A secret',
    recipientEmail: 'hidden@a.example',
    visibleToTrustedContact: false,
    createdAt: now,
  },
];

const documents = [{ id: randomUUID(), name: 'My will', sizeBytes: 7, mimeType: 'application/pdf' }];
const fileOf = (userId: string, id: string) => ({
  name: `${userId} ${id}`,
  sizeBytes: 7,
  mimeType: 'application/pdf',
  open: async () => Readable.from([Buffer.from('the map')], { objectMode: false }),
});

let database: TestDatabase;
let portals: Portals;
let hashToken: HashToken;
let ownerId: string;
let people: { id: string; name: string; email: string; phone: null; confirmedAt: Date; confirmedHealthyMs: null }[];
const healthy = {
  healthyMs: 0,
  isFrozen: false,
  isSilenceStopped: false,
  isClockBehind: false,
  isMailHealthy: true,
  restore: null,
};
let reading = healthy;
let decided: { tokenHash: string; confirmed: boolean; reason: string }[];

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const masterKey = randomBytes(32);
  const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };
  ({ hashToken } = await createServiceKeys(db, masterKeys));
  portals = createPortals({
    db,
    hashToken,
    clock: createManualClock(now),
    accounts: {
      async ownerOf(executor, id) {
        const [row] = await executor.select().from(users).where(eq(users.id, id));
        return (row as OwnerRow | undefined) ?? null;
      },
    },
    contacts: { confirmedContacts: async () => people },
    messages: { readyMessages: async () => ready, countReady: async () => ready.length },
    documents: { visibleDocuments: async () => documents, visibleFile: async (_db, userId, id) => fileOf(userId, id) },
    answerDaysDefault: 7,
    releases: {
      health: async () => ({ ...reading, mark: { atMs: now.getTime(), healthyMs: 0 } }),
      async decide(answer) {
        decided.push(answer);
        const decision = answer.confirmed ? ('confirmed' as const) : ('cancelled' as const);
        await db
          .update(releaseInvitations)
          .set({ decision, decidedAt: now })
          .where(eq(releaseInvitations.tokenHash, answer.tokenHash));
        return decision;
      },
    },
  });
});
afterAll(() => database.close());

beforeEach(async () => {
  const { db } = database;
  await db.delete(users);
  decided = [];
  reading = healthy;
  ownerId = randomUUID();
  await db.insert(users).values({
    id: ownerId,
    email: 'sam@ashworth.example',
    firstName: 'Sam',
    lastName: 'Ashworth',
    inactivityDays: 180,
    lastCheckinAt: lastActivityAt,
    releaseQuorum: 2,
    releaseWaitingDays: 0,
    emailVerified: true,
  });
  people = contactNames.map((name) => {
    const email = `${name.split(' ')[0]?.toLowerCase()}@post.example`;
    return { id: randomUUID(), name, email, phone: null, confirmedAt: lastActivityAt, confirmedHealthyMs: null };
  });
  await db.insert(trustedContacts).values(people.map(({ id, name, email }) => ({ id, userId: ownerId, name, email })));
});

/** Asks both contacts; gives the tokens of their links, Priya's first. */
async function ask(cycle: Partial<typeof releaseCycles.$inferInsert> = {}) {
  const cycleId = randomUUID();
  await database.db.insert(releaseCycles).values({
    id: cycleId,
    userId: ownerId,
    epoch: 0,
    state: 'asking',
    round: 1,
    openedAt: firstReminderAt,
    firstReminderAt,
    lastReminderAt,
    askedAt: now,
    ...cycle,
  });
  const tokens = people.map(() => newToken());
  await database.db.insert(releaseInvitations).values(
    people.map(({ id: contactId }, index) => ({
      id: randomUUID(),
      cycleId,
      contactId,
      round: 1,
      tokenHash: hashToken(tokens[index] ?? ''),
      createdAt: now,
    })),
  );
  return { cycleId, priya: tokens[0] ?? '', tom: tokens[1] ?? '' };
}

const change = (token: string, values: Partial<typeof releaseInvitations.$inferInsert>) =>
  database.db
    .update(releaseInvitations)
    .set(values)
    .where(eq(releaseInvitations.tokenHash, hashToken(token)));
const changeCycle = (values: Partial<typeof releaseCycles.$inferInsert>) =>
  database.db.update(releaseCycles).set(values);

describe('the page of a contact', () => {
  it('shows who asks, what happened, and visible messages only: the others are a number', async () => {
    const { priya } = await ask();
    const page = await portals.read(priya);

    expect(page).toMatchObject({
      user: { firstName: 'Sam', lastName: 'Ashworth', email: 'sam@ashworth.example' },
      contact: { name: 'Priya Shah', email: 'priya@post.example' },
      inactivityDays: 180,
      silentDays: 180,
      state: 'open',
      privateMessageCount: 1,
      otherContactNames: ['Tom'],
      askedNames: ['Tom'],
      quorum: 2,
      confirmations: 0,
      isEarly: false,
      waitingDays: 0,
      held: null,
      ifCancelled: { toldNames: [], askAgainDays: 30, canOthersConfirm: false },
      outcome: null,
    });
    expect(page.messages.map(({ title }) => title)).toEqual(['For Nell']);
    expect(JSON.stringify(page)).not.toMatch(/A secret|hidden@/);
    expect(page.history.map(({ what }) => what)).toEqual([
      'last_activity',
      'first_reminder',
      'last_reminder',
      'contacts_asked',
    ]);
    expect(() => portalSchema.encode(page)).not.toThrow();
  });

  it('lists no reminder that was never sent, as in an emergency', async () => {
    const { priya } = await ask({ cause: 'emergency', firstReminderAt: null, lastReminderAt: null, askedAt: null });
    expect((await portals.read(priya)).history.map(({ what }) => what)).toEqual(['last_activity', 'contacts_asked']);
  });

  it('of an emergency names nobody who was not asked', async () => {
    const { priya, tom } = await ask({
      cause: 'emergency',
      firstReminderAt: null,
      lastReminderAt: null,
      askedAt: null,
    });
    await database.db.delete(releaseInvitations).where(eq(releaseInvitations.tokenHash, hashToken(tom)));
    await database.db.update(users).set({ releaseWaitingDays: 2 });
    expect(await portals.read(priya)).toMatchObject({
      otherContactNames: ['Tom'],
      askedNames: [],
      isEarly: true,
      waitingDays: 2,
      ifCancelled: { toldNames: [], askAgainDays: null },
    });
  });

  it('says what holds a release that enough have confirmed, and not that somebody is missing', async () => {
    const { priya, tom } = await ask();
    await change(tom, { decision: 'confirmed', decidedAt: now });
    reading = { ...healthy, isFrozen: true };
    const answer = await portals.decide({ token: priya, confirmed: true, reason: 'Sam died.', origin });
    expect(answer.message).toContain('stopped on our side');
    const page = await portals.read(priya);
    expect(page).toMatchObject({ held: { by: 'stopped', until: null }, outcome: answer.message, ifCancelled: null });
  });

  it('says how long the owner’s own waiting time lasts', async () => {
    await database.db.update(users).set({ releaseWaitingDays: 3 });
    const told = { state: 'holding' as const, ownerNoticeAt: now, ownerNoticeHealthyMs: 0, waitingDays: 3 };
    const { priya } = await ask(told);
    const holding = { what: 'holding_until', at: new Date('2026-09-12T09:00:00Z'), isPast: false };
    expect((await portals.read(priya)).history.at(-1)).toEqual(holding);

    // Fewer days that somebody sets take nothing from it, and it doubles where no mail reaches the owner.
    await database.db.update(users).set({ releaseWaitingDays: 0 });
    expect((await portals.read(priya)).history.at(-1)).toEqual(holding);
    await database.db.update(releaseCycles).set({ ownerUnreachable: true });
    expect((await portals.read(priya)).history.at(-1)).toEqual({ ...holding, at: new Date('2026-09-15T09:00:00Z') });
  });

  it('keeps showing a contact the answer they gave', async () => {
    const { priya, tom } = await ask();
    await portals.decide({ token: priya, confirmed: false, reason: 'Sam is well.', origin });
    await changeCycle({ state: 'paused' });
    expect((await portals.read(priya)).state).toBe('cancelled');
    expect((await portals.read(tom)).state).toBe('open');
  });
});

describe('documents', () => {
  const id = documents[0]?.id ?? '';
  const day = 86_400_000;

  it('are listed by name from the beginning, and given to nobody before the release', async () => {
    for (const state of ['asking', 'holding', 'paused'] as const) {
      const { priya } = await ask({ state });
      expect(await portals.read(priya)).toMatchObject({ documents, documentsUntil: null });
      await expect(portals.document(priya, id)).rejects.toMatchObject({ type: 'NOT_FOUND' });
      await changeCycle({ closedAt: lastActivityAt });
    }
  });

  it('can be downloaded from the moment of the release on', async () => {
    const { priya } = await ask({ state: 'releasing' });
    expect((await portals.read(priya)).documentsUntil).toEqual(new Date(now.getTime() + 30 * day));
    expect((await portals.document(priya, id)).name).toBe(`${ownerId} ${id}`);
  });

  it('can be downloaded for 30 days after it, and not when the owner came back', async () => {
    const releasedAt = new Date(now.getTime() - 30 * day + 1);
    const { priya } = await ask({ state: 'released', releasedAt });
    expect((await portals.read(priya)).documentsUntil).toEqual(new Date(now.getTime() + 1));
    expect(await portals.document(priya, id)).toBeDefined();

    await changeCycle({ releasedAt: new Date(now.getTime() - 30 * day) });
    await expect(portals.document(priya, id)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await changeCycle({ releasedAt, state: 'halted' });
    await expect(portals.document(priya, id)).rejects.toMatchObject(deadLink);
  });
});

describe('a dead link', () => {
  it('is answered like one that never was', async () => {
    await expect(portals.read(newToken())).rejects.toMatchObject(deadLink);
  });

  it('is what remains when the owner came back, for those who answered too', async () => {
    const { priya, tom } = await ask();
    await change(tom, { decision: 'confirmed', decidedAt: now });
    await changeCycle({ closedAt: now });
    await expect(portals.read(priya)).rejects.toMatchObject(deadLink);
    await expect(portals.read(tom)).rejects.toMatchObject(deadLink);
    await changeCycle({ closedAt: null, state: 'halted' });
    await expect(portals.read(tom)).rejects.toMatchObject(deadLink);
  });

  it('is what a contact has who was switched off, and one whose link another round replaced', async () => {
    const { priya, tom } = await ask();
    people = people.slice(1);
    await expect(portals.read(priya)).rejects.toMatchObject(deadLink);
    await change(tom, { withdrawnAt: now });
    await expect(portals.read(tom)).rejects.toMatchObject(deadLink);
  });
});

describe('an answer', () => {
  it('is handed on by the hash of its link, and says that another contact is needed', async () => {
    const { priya } = await ask();
    const answer = await portals.decide({ token: priya, confirmed: true, reason: 'Sam died on 1 September.', origin });
    expect(decided).toMatchObject([
      { tokenHash: hashToken(priya), confirmed: true, reason: 'Sam died on 1 September.' },
    ]);
    expect(answer).toEqual({
      ok: true,
      state: 'confirmed',
      message: 'Your answer is kept. The messages will be delivered when one more person confirms.',
    });
    expect(await portals.read(priya)).toMatchObject({ state: 'confirmed', confirmations: 1, quorum: 2 });
  });

  it('that was undone by another contact’s cancel is shown as stopped, and not counted', async () => {
    const { priya, tom } = await ask();
    await change(priya, { decision: 'confirmed', decidedAt: now });
    await change(tom, { decision: 'cancelled', decidedAt: now });
    await changeCycle({ state: 'paused' });
    expect(await portals.read(priya)).toMatchObject({ state: 'stopped', confirmations: 0 });
    expect((await portals.read(tom)).state).toBe('cancelled');
  });
});
