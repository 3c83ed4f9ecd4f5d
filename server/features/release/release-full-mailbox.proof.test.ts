import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { unreachedDays } from '#server/features/release-core/model.rules.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createReleaseWorld, dayMs, type Owner, type ReleaseWorld } from './release.test-world.ts';

const operator = 'operator@everkept.example';
const full = { outcome: 'temporary', replyCode: 452 } as const;

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

/** The only owner of a small installation, with one contact, has died 46 days ago, and their mailboxes are full. */
async function silentOwner(isFull: (address: string) => boolean): Promise<Owner> {
  const owner = await world.newOwner({ releaseMethod: 'inactivity', inactivityDays: 90 });
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@family.example');
  const lastCheckinAt = new Date((await world.clock.now()).getTime() - 46 * dayMs);
  await world.db.update(users).set({ lastCheckinAt }).where(eq(users.id, owner.userId));
  world.mailer.answer(({ to }) => (isFull(to.address) ? full : { outcome: 'accepted' }));
  return owner;
}

/** A mail that waits has waited, and was tried, for 29 days more. */
const waitFor29Days = () =>
  world.db.execute(sql`update notifications set attempts = attempts + 4 * 29, not_before = not_before - interval '29 days'
    where kind like 'release.%' and status = 'pending'`);

test('full mailboxes of the only owner and the only contact hold up a release, and do not stop it', async () => {
  const owner = await silentOwner((address) => address.startsWith('sam.') || address.startsWith('priya.'));
  const { healthyMs } = await world.health();
  await world.live(1.2);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: null });
  await waitFor29Days();
  await world.live(2);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: 'tried' });
  expect((await world.health()).healthyMs - healthyMs).toBeGreaterThan(2.5 * dayMs);
  expect(world.said(operator)).toContain('has not been accepted for half a day or longer');

  await world.live(32.5);
  await waitFor29Days();
  await world.live(24);
  expect(await world.stateOf(owner)).toBe('asking');
  expect(await world.noticeOf(owner, 'question')).toMatchObject({ emailOutcome: null });
  await waitFor29Days();
  await world.live(2);
  expect(await world.stateOf(owner)).toBe('asking');
  expect(await world.noticeOf(owner, 'question')).toMatchObject({ emailOutcome: 'tried' });
  const { emailHealthyMs: toldHealthyMs } = await world.noticeOf(owner, 'asked');
  const { healthyMs: nowHealthyMs } = await world.health();
  const passedDays = (nowHealthyMs - (toldHealthyMs ?? nowHealthyMs)) / dayMs;
  await world.live(7 + unreachedDays - passedDays - 0.1);
  expect(world.subjects('nell@family.example'), 'nobody could be told: silence alone waits longer').toEqual([]);
  await world.live(0.2);
  expect(world.subjects('nell@family.example')).toHaveLength(1);
});

test('if the operator’s mailbox is full as well, no acceptance shows that mail works, and no step is taken', async () => {
  const owner = await silentOwner((address) => address.startsWith('sam.') || address === operator);
  await world.live(1.2);
  await waitFor29Days();
  await world.live(3);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: null });
  world.mailer.answer(null);
  await world.live(1);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: 'accepted' });
});
