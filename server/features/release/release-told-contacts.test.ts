import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  atOnce,
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const recipient = 'nell@post.example';
const delivered = 'Sam Ashworth: the messages have been delivered';
const isWell = 'We have heard from Sam Ashworth. We have stopped the delivery';
const isClosed = 'Sam Ashworth: we have stopped the delivery';
const newestTo = ({ email }: Friend) => world.subjects(email).at(-1);
const close = async (owner: Owner) =>
  world.db.transaction(async (tx) => world.releases.close(tx, { userId: owner.userId, at: await world.clock.now(tx) }));

/** Priya alone was asked, and confirmed; Tom has heard nothing so far. */
async function confirmed(...others: string[]) {
  const owner = await world.newOwner({ inactivityDays: 365, ...atOnce });
  const priya = await world.befriend(owner, 'Priya');
  const tom = await world.befriend(owner, 'Tom');
  for (const address of [recipient, ...others]) await world.write(owner, address);
  await world.live(4);
  await world.releases.requestEmergency({ ownerId: owner.userId, contactId: priya.id, origin: nowhere });
  await world.live(0.1);
  return { owner, priya, tom };
}

test.each([
  ['shows life', isWell, (owner: Owner) => world.showLife(owner)],
  ['closes the account', isClosed, close],
] as const)('a contact who read of the delivery is notified when their owner %s', async (_, told, act) => {
  const { owner, priya, tom } = await confirmed();
  await world.answer(priya, true);
  await world.live(0.1);
  expect([newestTo(priya), newestTo(tom)]).toEqual([delivered, delivered]);
  expect((await world.ownersRelease.overview(owner.userId)).toldNames).toEqual(['Priya', 'Tom']);

  // A contact who joins after the delivery knows of nothing that could be withdrawn.
  const later = `later.${owner.userId}@post.example`;
  await world.pool.query(
    `insert into trusted_contacts (id, user_id, name, email, is_active, is_confirmed, confirmed_at)
     values (gen_random_uuid(), $1, 'Jo Later', $2, true, true, now())`,
    [owner.userId, later],
  );
  await act(owner);
  await world.live(0.1);
  expect([newestTo(priya), newestTo(tom)]).toEqual([told, told]);
  expect(world.subjects(tom.email).filter((subject) => subject === told)).toHaveLength(1);
  expect(world.subjects(later)).toEqual([]);
});

test('if that mail was still waiting it is withdrawn, and no other contact is notified', async () => {
  const { owner, priya, tom } = await confirmed();
  world.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.answer(priya, true);
  await world.live(0.1);
  const before = world.subjects(tom.email);
  await world.showLife(owner);
  world.mailer.answer(null);
  await world.live(1);
  expect(newestTo(priya)).toBe(isWell);
  expect(world.subjects(tom.email)).toEqual(before);
});

test('and if it was just being sent, its reader is notified right after it', async () => {
  const { owner, priya, tom } = await confirmed();
  world.mailer.answer(async ({ subject, to }) => {
    if (subject === delivered && to.address === tom.email) await world.showLife(owner);
    return { outcome: 'accepted' };
  });
  await world.answer(priya, true);
  await world.live(0.2);
  expect(world.subjects(tom.email).slice(-2)).toEqual([delivered, isWell]);
});

test('a contact who knows only of an unreached recipient is notified of the end too', async () => {
  const { owner, priya, tom } = await confirmed('slow@post.example');
  world.mailer.answer(({ to }) => {
    if (to.address === 'slow@post.example') return { outcome: 'temporary', replyCode: 451 };
    return to.address === recipient ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' };
  });
  await world.answer(priya, true);
  await world.live(4);
  expect(newestTo(tom)).toContain('could not');
  await world.showLife(owner);
  await world.live(0.1);
  expect(newestTo(tom)).toMatch(/^We have heard from Sam Ashworth/);
});
