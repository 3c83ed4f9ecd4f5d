import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReleaseWorld, type Friend, nowhere, type Owner, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const asksWhat = 'Sam Ashworth: please tell us what you know';

/** Contact's answer to the role, given or withdrawn by the link that asked them. */
const answerRole = (friend: Friend, accept: boolean) =>
  world.contacts.answerInvitation({
    token: world.linkIn(friend.email, '/trusted-contact-accept/'),
    accept,
    origin: nowhere,
  });
const asked = ({ email }: Friend) => world.subjects(email).filter((subject) => subject === asksWhat).length;

/** Priya has been asked; the post takes nothing for Tom, who was asked by mail and by text. */
async function askedButTom(method: 'inactivity' | 'trusted_contact' = 'inactivity') {
  const owner = await world.newOwner({ releaseMethod: method });
  const priya = await world.befriend(owner, 'Priya');
  const tom = await world.befriend(owner, 'Tom');
  await world.write(owner, 'nell@post.example');
  world.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.live(90.5);
  expect([asked(priya), asked(tom)]).toEqual([1, 0]);
  return { owner, priya, tom };
}

const releasedOnDay = async (owner: Owner) => {
  const { releasedAt } = await world.requestOf(owner);
  const { lastCheckinAt } = await world.rowOf(owner.userId);
  return releasedAt && Math.floor((releasedAt.getTime() - lastCheckinAt.getTime()) / 86_400_000);
};

test('an unsent mail to a contact is withdrawn when they leave, and the request continues', async () => {
  const { owner, priya, tom } = await askedButTom();
  await answerRole(tom, false);
  world.mailer.answer(null);
  await world.live(1);
  expect(asked(tom)).toBe(0);
  const asks = await world.asksOf(owner);
  expect(asks.map(({ contactId, isRevoked }) => [contactId, isRevoked])).toEqual(
    expect.arrayContaining([
      [priya.id, false],
      [tom.id, true],
    ]),
  );
  expect(await world.auditOf(owner)).toContain('release.contact_stepped_down');

  await world.live(7);
  expect(await releasedOnDay(owner)).toBe(97);
});

test('a contact who comes back is asked once more, and only the newest link works', async () => {
  const { owner, tom } = await askedButTom('trusted_contact');
  await answerRole(tom, false);
  world.mailer.answer(null);
  await answerRole(tom, true);
  await world.live(0.1);
  expect(asked(tom)).toBe(1);
  expect(await world.answer(tom, true)).toBe('confirmed');
  await world.live(0.1);
  expect(await releasedOnDay(owner)).toBe(90);
});

test('a mail that was being sent stays; its link is void, and its answer is not waited for', async () => {
  const owner = await world.newOwner();
  const tom = await world.befriend(owner, 'Tom');
  await world.write(owner, 'nell@post.example');
  await world.live(90.5);
  await answerRole(tom, false);
  await expect(world.answer(tom, true)).rejects.toMatchObject({ type: 'NOT_FOUND' });
  // The owner is notified that no contact is left, and has the whole answer time from then on.
  await world.live(0.1);
  expect(world.subjects(owner.email).slice(-2)).toContain('Your messages will be delivered soon');
  await world.live(6.8);
  expect(await world.stateOf(owner)).toBe('asking');
  await world.live(0.3);
  expect(await releasedOnDay(owner)).toBe(97);
  expect(asked(tom)).toBe(1);
});

test('if the last contact leaves before they were reached, the owner alone is notified and has the whole answer time', async () => {
  const owner = await world.newOwner();
  const tom = await world.befriend(owner, 'Tom');
  await world.write(owner, 'nell@post.example');
  world.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.live(92.5);
  await answerRole(tom, false);
  await world.live(0.1);
  expect(await world.stateOf(owner)).toBe('asking');
  await world.live(7);
  expect(await releasedOnDay(owner)).toBe(99);
});

test('a contact who accepts the role while others are being asked gets a link at once', async () => {
  const { owner, tom } = await askedButTom('trusted_contact');
  await answerRole(tom, false);
  await world.live(29);
  world.mailer.answer(null);
  await answerRole(tom, true);
  const { nextStepAt } = await world.rowOf(owner.userId);
  expect(nextStepAt.getTime()).toBeLessThanOrEqual((await world.clock.now()).getTime());
  await world.live(0.1);
  expect(asked(tom)).toBe(1);
});

test('a yes ends with the role: a contact who leaves and comes back is asked again, and counts after another yes', async () => {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact', releaseQuorum: 2 });
  const amy = await world.befriend(owner, 'Amy');
  const art = await world.befriend(owner, 'Art');
  await world.write(owner, 'nell@post.example');
  await world.live(90.5);
  await world.answer(amy, true);
  await answerRole(amy, false);
  await world.live(2);
  await answerRole(amy, true);
  await world.live(0.1);
  expect(asked(amy)).toBe(2);
  await world.answer(art, true);
  await world.live(1);
  expect(world.subjects('nell@post.example'), 'one yes of two').toEqual([]);
  await world.answer(amy, true);
  await world.live(0.1);
  expect(world.subjects('nell@post.example')).toHaveLength(1);
});

test('the mails of a contact who was removed keep their numbers: the next reminder is a mail of its own', async () => {
  const owner = await world.newOwner();
  const tom = await world.befriend(owner, 'Tom');
  await world.write(owner, 'nell@post.example');
  await world.live(97.5);
  await world.showLife(owner);
  await world.live(0.1);
  expect(world.subjects(tom.email).at(-1)).toBe('We have heard from Sam Ashworth. We have stopped the delivery');
  const principal = { ...owner, authenticatedAt: await world.clock.now() };
  await world.contacts.remove({ principal, id: tom.id, origin: nowhere });
  const reminders = () => world.subjects(owner.email).filter((subject) => /we have not heard from you/.test(subject));
  expect(reminders()).toHaveLength(1);
  await world.live(46);
  expect(reminders()).toHaveLength(2);
});
