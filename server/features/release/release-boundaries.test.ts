import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { listForeseen, listMailboxesUnderReview } from '#server/features/release-health/brake.repository.ts';
import { allowStep } from '#server/features/release-health/health.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import {
  createReleaseWorld,
  dayMs,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from './release.test-world.ts';

/* Numbers of the release page that rows decide: one before, the number itself, and one after. */

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(() => world.clear());

/** Adds a contact with this mailbox who has accepted the role. */
async function trusts(owner: Owner, email: string): Promise<Friend> {
  const details = { name: 'Priya Shah', email, phone: null, relationship: null, isActive: true };
  const { id } = await world.contacts.create({ principal: owner, origin: nowhere }, details);
  await dispatchDue(world.app);
  await world.acceptInvitation({ id, email });
  return { id, email };
}

async function confirmsEarly(owner: Owner, friend: Friend): Promise<void> {
  expect(
    await world.releases.requestEmergency({ ownerId: owner.userId, contactId: friend.id, origin: nowhere }),
  ).toBeNull();
  await dispatchDue(world.app);
  expect(await world.answer(friend, true)).toBe('confirmed');
}

test('the second Stop by link needs a sign-in within 60 days', async () => {
  const owner = await world.newOwner({ releaseWaitingDays: 20 });
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  const stop = () => world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
  await confirmsEarly(owner, priya);
  await world.live(0.1);
  await stop();
  const stoppedMs = (await world.requestOf(owner)).closedAt?.getTime() ?? 0;

  await world.live(50);
  await confirmsEarly(owner, priya);
  await world.live(0.1);
  const jumpTo = async (days: number) => world.jump(days - ((await world.clock.now()).getTime() - stoppedMs) / dayMs);
  for (const days of [59, 60 - 1 / 1440]) {
    await jumpTo(days);
    await expect(stop(), `${days} days after the first`).rejects.toMatchObject({ type: 'FORBIDDEN' });
  }
  await jumpTo(60);
  await stop();
  expect((await world.requestOf(owner)).outcome).toBe('owner_back');
});

test('the second Stop by link needs a sign-in, also of a request that too few contacts have confirmed', async () => {
  const owner = await world.newOwner({ releaseQuorum: 2, releaseWaitingDays: 20 });
  const [priya, tom] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  const stop = () => world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
  const isOpen = async () => (await world.requestOf(owner)).closedAt === null;
  await confirmsEarly(owner, priya);
  await world.live(0.1);
  expect(await world.answer(tom, true)).toBe('confirmed');
  await world.live(0.1);
  await stop();
  expect(await isOpen()).toBe(false);

  await world.live(31);
  await confirmsEarly(owner, priya);
  await world.live(0.1);
  await expect(stop(), 'one of two contacts has confirmed').rejects.toMatchObject({ type: 'FORBIDDEN' });
  expect(await isOpen()).toBe(true);
});

test('a Stop by link of a request that too few contacts had confirmed leaves the next one to a link', async () => {
  const owner = await world.newOwner({ releaseQuorum: 2, releaseWaitingDays: 20 });
  const [priya] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  const stop = () => world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
  for (const days of [31, 0]) {
    await confirmsEarly(owner, priya);
    await world.live(0.1);
    await stop();
    await world.live(days);
  }
  expect((await world.requestsOf(owner)).map(({ outcome }) => outcome)).toEqual(['owner_back', 'owner_back']);
});

describe('one mailbox that confirms early for owners', () => {
  const mailbox = 'priya@post.example';
  const isUnderReview = async () => (await listMailboxesUnderReview(world.db)).length > 0;

  /** Owners who all trust this mailbox, and whose days for it are over. */
  async function trusting(count: number): Promise<(() => Promise<void>)[]> {
    const pairs: { owner: Owner; friend: Friend }[] = [];
    for (let index = 0; index < count; index += 1) {
      const owner = await world.newOwner({ releaseWaitingDays: 20 });
      pairs.push({ owner, friend: await trusts(owner, mailbox) });
      await world.write(owner, `nell${index}@post.example`);
    }
    await world.live(4);
    return pairs.map(
      ({ owner, friend }) =>
        () =>
          confirmsEarly(owner, friend),
    );
  }

  test('is under review for more than three a day', async () => {
    const reviewed: boolean[] = [];
    for (const confirm of await trusting(4)) {
      await confirm();
      reviewed.push(await isUnderReview());
    }
    expect(reviewed).toEqual([false, false, false, true]);
  });

  test.each([
    [23, true],
    [24, false],
    [25, false],
  ])('the fourth one %i hours after the others: under review %s', async (hours, expected) => {
    const [last, ...others] = await trusting(4);
    for (const confirm of others) await confirm();
    await world.jump(hours / 24);
    await last?.();
    expect(await isUnderReview()).toBe(expected);
  });
});

/** Adds a document that contacts see. Its words are not read here. */
async function showDocument({ userId }: Owner): Promise<void> {
  const at = await world.clock.now();
  await world.db.insert(fileObjects).values({ path: 'nowhere', createdAt: at });
  await world.db.insert(documents).values({
    ...{ id: randomUUID(), userId, name: 'sealed', category: 'other', visibleToTrustedContact: true },
    ...{ fileName: 'sealed', filePath: 'nowhere', fileSize: 1, mimeType: 'text/plain', createdAt: at, updatedAt: at },
  });
}

test('the operator reads ten days ahead that more than ten silences end on one day, also for a document alone', async () => {
  const hours = (36 - (await world.clock.now()).getUTCHours()) % 24;
  await world.live(hours / 24);
  const owners: Owner[] = [];
  for (let index = 0; index < 11; index += 1) {
    const owner = await world.newOwner({ releaseMethod: 'inactivity' });
    if (index === 0) await showDocument(owner);
    else await world.write(owner, `nell${index}@post.example`);
    owners.push(owner);
  }
  const isTold = () => world.subjects('operator@everkept.example').some((subject) => /silence|together/i.test(subject));
  await world.live(79.9);
  expect([await listForeseen(world.db, 10), isTold()]).toEqual([[], false]);
  await world.live(0.2);
  const [foreseen] = await listForeseen(world.db, 10);
  const inDays = (days: number) =>
    world.clock.now().then((now) => new Date(now.getTime() + days * dayMs).toISOString());
  expect([foreseen?.day, foreseen?.accounts.length]).toEqual([(await inDays(10)).slice(0, 10), 11]);
  expect(await listForeseen(world.db, 11), 'eleven are not more than eleven').toEqual([]);
  expect(isTold()).toBe(true);
});

describe('the breaker', () => {
  test.each([
    [100, 10],
    [500, 10],
    [550, 11],
    [1_000, 20],
  ])('with %i owners lets silence move %i in a day', async (count, limit) => {
    const rows = Array.from({ length: count }, () => {
      const id = randomUUID();
      return { id, email: `${id}@own.example`, emailVerified: true };
    });
    await world.db.insert(users).values(rows);
    const at = await world.clock.now();
    const steps: boolean[] = [];
    for (let step = 0; step <= limit + 1; step += 1) {
      const { isAllowed } = await world.db.transaction((tx) => allowStep(world.app, tx, { at, isBySilence: true }));
      steps.push(isAllowed);
    }
    expect(steps).toEqual([...Array<boolean>(limit).fill(true), false, false]);
  });
});
