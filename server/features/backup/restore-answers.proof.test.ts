import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { answerByLink, proposeByLink, readNewAddress } from '#server/features/redelivery/new-address.ts';
import {
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { addressProposals } from '#server/schema/new-address.tables.ts';
import { createBackups, restoreWorld } from './restore.test-world.ts';

/** Answers that contacts gave after the backup are lost. None of the losses may send a letter. */
const hourDays = 1 / 24;
const slip = 'slip@wrong.example';

let backups: Awaited<ReturnType<typeof createBackups>>;
beforeAll(async () => {
  backups = await createBackups();
});
afterAll(() => backups.remove());

async function newWorld(): Promise<ReleaseWorld> {
  const world = await createReleaseWorld();
  onTestFinished(() => world.close());
  return world;
}

const refuseOld = ({ mailer }: ReleaseWorld) =>
  mailer.answer(({ to }) =>
    to.address === 'nell@old.example' ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
  );

/** A release whose only letter was permanently refused. The first contact proposes another address. */
async function proposed(world: ReleaseWorld, names: string[]): Promise<{ owner: Owner; friends: Friend[] }> {
  refuseOld(world);
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
  const friends: Friend[] = [];
  for (const name of names) friends.push(await world.befriend(owner, name));
  const [first] = friends as [Friend];
  await world.write(owner, 'nell@old.example');
  await world.writeToNeighbour('nell@old.example', 12);
  await world.live(4);
  expect(
    await world.releases.requestEmergency({ ownerId: owner.userId, contactId: first.id, origin: nowhere }),
  ).toBeNull();
  await world.live(hourDays);
  await world.answer(first, true);
  await world.live(5);
  await propose(world, { token: world.linkIn(first.email, '/new-address/'), address: slip });
  return { owner, friends };
}

async function letterOf({ app }: ReleaseWorld, token: string) {
  const [letter] = (await readNewAddress(app, token)).letters;
  if (!letter) throw new Error('No letter is shown.');
  return letter;
}

async function propose(world: ReleaseWorld, { token, address }: { token: string; address: string }) {
  const letterId = (await letterOf(world, token)).id;
  const reason = 'She wrote to me from it.';
  return proposeByLink(world.app, { token, letterId, address, reason, origin: nowhere });
}

const statusesOf = async ({ db }: ReleaseWorld, { userId }: Owner) =>
  (await db.select().from(addressProposals).where(eq(addressProposals.userId, userId))).map(({ status }) => status);

const mailsTo = ({ mailer }: ReleaseWorld, address: string) =>
  mailer.sent.filter(({ to }) => to.address === address).length;

test('a proposed address that was withdrawn after the backup gets no letter, and can be proposed again', async () => {
  const lost = await newWorld();
  const { owner, friends } = await proposed(lost, ['Priya']);
  const [priya] = friends as [Friend];
  const path = await backups.backUp(lost);
  const token = lost.linkIn(priya.email, '/new-address/');
  const { id: letterId } = await letterOf(lost, token);
  await answerByLink(lost.app, { token, letterId, address: slip, agrees: false, origin: nowhere });

  const world = await restoreWorld(lost, path);
  refuseOld(world);
  expect(await statusesOf(world, owner)).toEqual(['ended']);
  expect((await world.releases.freezes()).restored).toMatchObject({
    proposalsNotTold: 1,
    hindrance: { why: 'not_told' },
  });
  await world.live(hourDays);
  expect(mailsTo(world, priya.email)).toBe(1);
  expect(world.subjects(priya.email)).toEqual(['Sam Ashworth: please look again at the address you told us']);
  expect(world.said(priya.email)).toContain('go back to our records of 14 November 2026.');
  expect(world.linkIn(priya.email, '/new-address/')).toBe(token);
  expect(await letterOf(world, token)).toMatchObject({ state: 'refused', proposal: null });

  expect(await world.releases.resume()).toBe('done');
  await world.live(5);
  expect([mailsTo(world, slip), mailsTo(world, priya.email)]).toEqual([0, 1]);
  await propose(world, { token, address: 'nell@new.example' });
  await world.live(8);
  expect([mailsTo(world, slip), mailsTo(world, 'nell@new.example')]).toEqual([0, 1]);
});

test('with two contacts, the proposer is asked, and no contact is to agree with a proposal that has ended', async () => {
  const lost = await newWorld();
  const { owner, friends } = await proposed(lost, ['Priya', 'Tom']);
  const [priya, tom] = friends as [Friend, Friend];
  const path = await backups.backUp(lost);

  const world = await restoreWorld(lost, path);
  refuseOld(world);
  await world.live(hourDays);
  expect(await world.releases.resume()).toBe('done');
  // Until long after the silence of the others would have sent it.
  await world.live(35);
  expect(await statusesOf(world, owner)).toEqual(['ended']);
  expect([priya, tom].map(({ email }) => mailsTo(world, email))).toEqual([1, 0]);
  expect(mailsTo(world, slip)).toBe(0);
});

/** An owner who is silent: their contact was asked yesterday, and answers after the backup only. */
async function askedAbout(world: ReleaseWorld, releaseMethod: 'inactivity' | 'trusted_contact') {
  const owner = await world.newOwner({ inactivityDays: 90, releaseMethod });
  const friend = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(91);
  return { owner, friend };
}

test('a cancel after the backup is lost: the request ends, and the contact is emailed so during the freeze', async () => {
  const lost = await newWorld();
  const { owner, friend } = await askedAbout(lost, 'inactivity');
  const path = await backups.backUp(lost);
  expect(await lost.answer(friend, false)).toBe('cancelled');

  const world = await restoreWorld(lost, path);
  expect(await world.releases.sweep()).toBeGreaterThan(0);
  // Recorded and not sent yet, so the contact does not know that the answer is forgotten.
  expect((await world.releases.freezes()).restored).toMatchObject({ notTried: 3, hindrance: { why: 'not_told' } });
  await world.live(hourDays);
  const again = 'Sam Ashworth: please ask or answer again, we had to go back to older records';
  expect(world.subjects(friend.email)).toEqual([again]);
  expect((await world.releases.freezes()).restored).toMatchObject({ notTried: 0, hindrance: { why: 'too_soon' } });
  expect(await world.requestOf(owner)).toMatchObject({ outcome: 'begun_anew' });

  await world.live(4);
  expect(await world.releases.resume()).toBe('done');
  await world.live(12);
  expect(mailsTo(world, 'nell@post.example'), 'the owner and the contact have all of their time again').toBe(0);
  await world.live(6);
  expect(await world.answer(friend, false)).toBe('cancelled');
  await world.live(20);
  expect(mailsTo(world, 'nell@post.example')).toBe(0);
});

test('a queued question is cancelled, and a contact who confirms the repeated question counts', async () => {
  const lost = await newWorld();
  lost.mailer.answer(({ to }) =>
    to.address.startsWith('priya') && to.address.endsWith('@post.example') && lost.subjects(to.address).length > 0
      ? { outcome: 'temporary', replyCode: 451 }
      : { outcome: 'accepted' },
  );
  const { friend } = await askedAbout(lost, 'trusted_contact');

  const world = await restoreWorld(lost, await backups.backUp(lost));
  await world.live(4);
  expect(world.subjects(friend.email), 'who had not read the question is not told that it has ended').toEqual([]);
  expect(await world.releases.resume()).toBe('done');
  await world.live(18);
  expect(mailsTo(world, friend.email)).toBe(1);
  expect(await world.answer(friend, true)).toBe('confirmed');
  await world.live(1);
  expect(mailsTo(world, 'nell@post.example')).toBe(1);
});
