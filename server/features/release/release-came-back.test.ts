import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createReleaseWorld, nowhere, type Owner, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const stop = (owner: Owner) => world.ownersRelease.stop({ userId: owner.userId, origin: nowhere });
const cameBack = async (owner: Owner) => (await world.ownersRelease.overview(owner.userId)).cameBack;
/** Pages show days, and a later look foresees a slightly later time. */
function expectSameTime(one: Date | undefined, other: Date | undefined): void {
  expect(other).toBeDefined();
  expect(Math.abs(Number(one) - Number(other))).toBeLessThan(10_000);
}

describe('the report to an owner who came back', () => {
  test('names the asked and notified contacts, and the next step with its day, until it was read', async () => {
    const owner = await world.newOwner();
    await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    const before = await world.ownersRelease.overview(owner.userId);
    const delivery = before.timeline.find(({ what }) => what === 'automatic_delivery');
    expect(before.cameBack, 'nobody has come back yet').toBeNull();

    const told = (await stop(owner)).cameBack;
    expect(told).toMatchObject({
      heardAt: before.lastActivityAt,
      isEarly: false,
      askedNames: ['Priya'],
      toldNames: ['Priya'],
      askedByName: null,
      letters: 1,
      next: { what: 'letters_go' },
    });
    expectSameTime(told?.next?.at, delivery?.at);
    expect(told?.reminders).toHaveLength(2);
    expect(told?.askedAt?.getTime()).toBeGreaterThan(told?.reminders[1]?.getTime() ?? 0);

    await world.live(1);
    await world.showLife(owner);
    expect(await cameBack(owner), 'another sign of life does not put it away').toEqual(told);
    await world.ownersRelease.dismissReturn(owner.userId);
    expect(await cameBack(owner)).toBeNull();
  });

  test('after a no, that contacts would have been asked again', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    await world.answer(priya, false);
    const { timeline } = await world.ownersRelease.overview(owner.userId);
    const again = timeline.find(({ what }) => what === 'paused_until');
    const next = (await stop(owner)).cameBack?.next;
    expect(next?.what).toBe('asked_again');
    expectSameTime(next?.at, again?.at);
  });

  test('names the next question as the only automatic step if people alone decide', async () => {
    const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
    await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    const told = (await stop(owner)).cameBack;
    expect(told?.next?.what).not.toBe('letters_go');
    expect(told?.askedNames).toEqual(['Priya']);
  });

  test('names an early request that began before the end of the silence', async () => {
    const owner = await world.newOwner({ releaseWaitingDays: 10 });
    const tom = await world.befriend(owner, 'Tom');
    await world.write(owner, 'nell@post.example');
    await world.live(4);
    await world.releases.requestEmergency({ ownerId: owner.userId, contactId: tom.id, origin: nowhere });
    await world.live(0.1);
    await world.answer(tom, true);
    await world.live(1);
    const told = (await stop(owner)).cameBack;
    expect(told).toMatchObject({ isEarly: true, reminders: [], askedNames: ['Tom'], next: { what: 'letters_go' } });
    expect(told?.askedByName, 'the page offers to remove them').toBe('Tom');
  });

  test('names a delivery that was stopped half way, in addition to sent letters', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    await world.answer(priya, true);
    await world.live(0.1);
    await world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
    const overview = await world.ownersRelease.overview(owner.userId);
    expect(overview).toMatchObject({ state: 'halted', cameBack: { toldNames: ['Priya'], next: null } });
    expect(overview.deliveries).toHaveLength(1);
  });

  test('is empty after reminders alone, which no contact knows of', async () => {
    const owner = await world.newOwner();
    await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(46);
    await world.showLife(owner);
    expect(await cameBack(owner)).toBeNull();
  });
});
