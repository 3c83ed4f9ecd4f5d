import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createReleaseWorld, dayMs, type ReleaseWorld } from './release.test-world.ts';

/** A server that refuses our mail for our sake, as after a mistake in our DNS: 550 5.7.26. */
const byPolicy = { outcome: 'temporary', replyCode: 550, isTrouble: true } as const;

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

/** A mail that waits has waited, and was tried, for 29 days more. */
const waitFor29Days = () =>
  world.db.execute(sql`update notifications set attempts = attempts + 4 * 29, not_before = not_before - interval '29 days'
    where kind like 'release.%' and status = 'pending'`);

test('an owner whose provider refuses our mail by policy was never told, and nothing is released by their silence', async () => {
  const owner = await world.newOwner({ releaseMethod: 'inactivity', inactivityDays: 90 });
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@family.example');
  const lastCheckinAt = new Date((await world.clock.now()).getTime() - 46 * dayMs);
  await world.db.update(users).set({ lastCheckinAt }).where(eq(users.id, owner.userId));
  world.mailer.answer(({ to }) => (to.address === owner.email ? byPolicy : { outcome: 'accepted' }));

  for (let months = 0; months < 3; months += 1) {
    await world.live(1.2);
    await waitFor29Days();
    await world.live(2);
    // A given-up reminder says nothing about the owner: it is written again, with the days that hold then.
    expect(await world.stateOf(owner)).toBe('reminded');
    expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ number: 1, emailOutcome: null });
  }
  expect(world.subjects('nell@family.example')).toEqual([]);

  world.mailer.answer(null);
  await world.live(1.2);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: 'accepted' });
  expect(world.said(owner.email)).toContain('Check in');
  await world.live(17.2);
  expect(world.subjects('nell@family.example')).toEqual([]);
});

test('a letter that one refusal by policy met is tried again, and arrives', async () => {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@family.example');
  await world.live(91);
  world.mailer.answer(({ to }) => (to.address === 'nell@family.example' ? byPolicy : { outcome: 'accepted' }));
  await world.answer(priya, true);
  await world.live(0.2);
  world.mailer.answer(null);
  await world.live(0.5);
  expect(world.subjects('nell@family.example')).toHaveLength(1);
});
