import { and, asc, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { createReleaseWorld, type Friend, nowhere, type Owner, type ReleaseWorld } from './release.test-world.ts';

/** Each notice that is news goes out, by mail and by text, and no outcome of one is taken for that of another. */
let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const press = (owner: Owner, { id }: Friend) =>
  world.releases.pressTrustee({ ownerId: owner.userId, contactId: id, origin: nowhere });
const leaveRole = ({ email }: Friend) =>
  world.contacts.answerInvitation({
    token: world.linkIn(email, '/trusted-contact-accept/'),
    accept: false,
    origin: nowhere,
  });

/** Outcomes of a kind of notice to this owner, oldest first. */
async function noticesOf(owner: Owner, kind: string, channel: 'email' | 'sms' = 'email') {
  const { status, createdAt, userId, kind: kinds, channel: channels } = notifications;
  const isOf = and(eq(userId, owner.userId), eq(kinds, `release.${kind}`), eq(channels, channel));
  const rows = await world.db.select({ status }).from(notifications).where(isOf).orderBy(asc(createdAt));
  return rows.map((row) => row.status);
}

test('an owner who is frozen a second time is notified a second time, and their days begin with that notice', async () => {
  const owner = await world.newOwner({ inactivityDays: 365, releaseWaitingDays: 3, phone: '+447700900123' });
  const [priya, tom] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  expect(await press(owner, priya)).toBeNull();
  await world.live(1);
  await leaveRole(priya);
  await world.live(0.1);
  expect(await world.stateOf(owner)).toBe('asking');
  expect(await press(owner, tom)).toBeNull();
  await world.live(0.1);
  for (const channel of ['email', 'sms'] as const) {
    expect(await noticesOf(owner, 'owner_holding', channel)).toEqual(['accepted', 'accepted']);
  }
  await world.live(2.8);
  expect(await world.stateOf(owner)).toBe('holding');
  await world.live(0.2);
  expect(await world.stateOf(owner)).toBe('released');
});

test('a reminder that must be written again discards no acceptance of another notice in progress', async () => {
  const owner = await world.newOwner({ inactivityDays: 120, releaseWaitingDays: 3 });
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(59);
  world.mailer.answer(() => ({ outcome: 'temporary', replyCode: null }));
  await world.live(2);
  expect(await press(owner, priya)).toBeNull();
  // As if it had been tried for its whole month.
  const { kind, notBefore } = notifications;
  const tried = { attempts: 200, notBefore: sql`${notBefore} - interval '40 days'` };
  await world.db.update(notifications).set(tried).where(eq(kind, 'release.first_reminder'));
  await world.live(0.5);
  expect(await world.stateOf(owner)).toBe('holding');
  expect(await world.noticeOf(owner, 'wait')).toMatchObject({ emailOutcome: null });
  expect(await noticesOf(owner, 'first_reminder')).toEqual(['dead', 'pending']);
  world.mailer.answer(null);
  await world.live(0.5);
  expect(await noticesOf(owner, 'owner_holding')).toEqual(['accepted']);
  expect(await world.noticeOf(owner, 'wait')).toMatchObject({ emailOutcome: 'accepted' });
  await world.live(3);
  expect(await world.stateOf(owner)).toBe('released');
});

test('a no by a contact who had said none is reported to the owner and to the others, each once; a second one pauses nothing', async () => {
  const owner = await world.newOwner({ phone: '+447700900124' });
  const [priya, tom, uma] = [
    await world.befriend(owner, 'Priya'),
    await world.befriend(owner, 'Tom'),
    await world.befriend(owner, 'Uma'),
  ];
  await world.write(owner, 'nell@post.example');
  const told = ({ email }: Friend) => world.subjects(email).filter((subject) => subject.includes('stopped')).length;
  await world.live(91);
  await world.answer(priya, false);
  await world.live(0.1);
  expect([told(priya), told(tom), told(uma)]).toEqual([0, 1, 1]);
  await world.live(30.5);
  expect(await world.stateOf(owner)).toBe('asking');
  await world.answer(priya, false);
  await world.live(0.1);
  await world.answer(tom, false);
  await world.live(0.1);
  expect(await world.stateOf(owner)).toBe('paused');
  for (const channel of ['email', 'sms'] as const) {
    expect(await noticesOf(owner, 'owner_paused', channel)).toEqual(['accepted', 'accepted']);
  }
  expect([told(priya), told(tom), told(uma)]).toEqual([1, 1, 2]);
});

/** Changes an owner's settings by SQL, or as a restart with another RELEASE_GRACE_DAYS does. */
const set = (owner: Owner, settings: Partial<typeof users.$inferInsert>) =>
  world.db.update(users).set(settings).where(eq(users.id, owner.userId));
const pointOf = async (owner: Owner, point: string) => {
  const { timeline, lastActivityAt } = await world.ownersRelease.overview(owner.userId);
  const at = timeline.find(({ what }) => what === point)?.at;
  return at && Math.floor((at.getTime() - lastActivityAt.getTime()) / 86_400_000);
};

test.each([
  ['the last reminder', 85],
  ['the question to contacts', 91],
])('the days to answer that %s told hold, although fewer are set then', async (_, day) => {
  const owner = await world.newOwner({ releaseAnswerDays: 14 });
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(day);
  await set(owner, { releaseAnswerDays: 0 });
  expect(await pointOf(owner, 'automatic_delivery')).toBe(104);
  await world.live(103.9 - day);
  expect(await world.stateOf(owner)).toBe('asking');
  expect(await world.requestOf(owner)).toMatchObject({ answerDays: 14 });
  await world.live(0.5);
  expect(await world.stateOf(owner)).toBe('released');
});
