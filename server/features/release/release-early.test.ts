import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import { takeBack } from '#server/features/notifications/take-back.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import {
  createReleaseWorld,
  dayMs,
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
const request = (owner: Owner, friend: Friend) =>
  world.releases.requestEmergency({ ownerId: owner.userId, contactId: friend.id, origin: nowhere });

const leave = ({ email }: Friend) => {
  const token = world.linkIn(email, '/trusted-contact-accept/');
  return world.contacts.answerInvitation({ token, accept: false, origin: nowhere });
};

/** Sam with a letter and two contacts, who accepted four days ago. */
async function early(settings: Parameters<ReleaseWorld['newOwner']>[0] = {}) {
  const owner = await world.newOwner(settings);
  const priya = await world.befriend(owner, 'Priya');
  const tom = await world.befriend(owner, 'Tom');
  await world.write(owner, recipient);
  await world.live(4);
  return { owner, priya, tom };
}

test('a no to a request that was made in their name ends it, and does not use up a contact’s first no', async () => {
  const { owner, priya, tom } = await early();
  await world.live(42);
  expect(await request(owner, priya)).toBeNull();
  await world.live(0.1);
  await world.answer(priya, false);
  await world.live(0.1);
  expect(await world.stateOf(owner)).toBe('reminded');
  expect(await world.requestOf(owner)).toMatchObject({ cause: 'emergency', outcome: 'no' });
  expect(world.subjects(owner.email).at(-1)).toBe('Sam, please log in now');
  await world.live(45);
  expect(await world.stateOf(owner)).toBe('asking');
  expect(await world.requestOf(owner)).toMatchObject({ cause: 'silence' });

  await world.answer(priya, false);
  await expect(world.answer(tom, true)).rejects.toThrow('Invalid or expired access token');
  await world.live(29);
  expect(world.subjects(recipient)).toEqual([]);
  expect(await world.stateOf(owner)).toBe('paused');

  await world.live(2);
  await world.answer(tom, true);
  await world.live(0.1);
  expect(world.subjects(recipient)).toHaveLength(1);
});

test('a contact who leaves while an early release is open does not make the word of the other enough', async () => {
  const { owner, priya, tom } = await early({ releaseMethod: 'trusted_contact', releaseQuorum: 2 });
  await world.releases.pressTrustee({ ownerId: owner.userId, contactId: priya.id, origin: nowhere });
  await world.live(0.1);
  await leave(tom);
  await world.live(1);
  expect(world.subjects(recipient)).toEqual([]);
  expect(await world.requestOf(owner)).toMatchObject({ cause: 'trustee', needed: 2, outcome: 'too_few_contacts' });

  await world.live(85.5);
  expect(world.subjects(recipient)).toEqual([]);
  expect(await world.requestOf(owner), 'who is left when silence asks').toMatchObject({ cause: 'silence', needed: 1 });
  await world.answer(priya, true);
  await world.live(0.1);
  expect(world.subjects(recipient)).toHaveLength(1);
});

test('if one yes is not enough, the others are asked as soon as the contact of an emergency has confirmed', async () => {
  const { owner, priya, tom } = await early({ inactivityDays: 365, releaseQuorum: 2 });
  await request(owner, priya);
  await world.live(0.1);
  expect(world.said(priya.email)).toContain('An emergency request was made in your name');
  const before = world.subjects(tom.email).length;

  await world.answer(priya, true);
  await world.live(0.1);
  expect(world.subjects(tom.email).slice(before)).toEqual(['Sam Ashworth: please tell us what you know']);
  expect(world.said(tom.email)).toContain('Another trusted contact of Sam Ashworth has asked us to release');
  expect(world.said(tom.email)).toContain(
    'Nothing is delivered unless two of you confirm. We then try to reach Sam for 3 days first.',
  );
  expect(world.said(tom.email)).not.toContain('in your name');
  expect(world.subjects(recipient)).toEqual([]);

  await world.answer(tom, true);
  await world.live(2.9);
  expect(world.subjects(recipient)).toEqual([]);
  await world.live(0.2);
  expect(world.subjects(recipient)).toHaveLength(1);
});

test('a mail that names the days before the letters is taken back where a cancel comes before it has left', async () => {
  const { owner, priya, tom } = await early({ inactivityDays: 365, releaseWaitingDays: 5 });
  await request(owner, priya);
  await request(owner, tom);
  await world.live(0.1);
  world.mailer.answer(({ to }) =>
    to.address === owner.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.answer(priya, true);
  await world.live(0.1);
  expect(await world.stateOf(owner)).toBe('holding');
  expect(await world.noticeOf(owner, 'wait')).toMatchObject({ emailOutcome: null });
  await world.answer(tom, false);
  world.mailer.answer(null);
  await world.live(0.5);
  const { rows } = await world.pool.query("select status from notifications where kind = 'release.owner_holding'");
  expect(rows).toEqual([{ status: 'cancelled' }]);
  expect(await world.stateOf(owner)).toBe('watching');
});

test('a contact is new for 72 hours of running service: an outage of days does not count', async () => {
  const owner = await world.newOwner({ releaseWaitingDays: 0 });
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, recipient);
  await world.live(0.1);
  await world.jump(4);
  await world.live(0.1);
  expect(await request(owner, priya)).toBe('contact_too_new');
  await world.live(3);
  expect(await request(owner, priya)).toBeNull();
  await world.live(0.1);
  await world.answer(priya, true);
  await world.live(0.1);
  expect(world.subjects(recipient)).toHaveLength(1);
});

test('a contact who accepted the role today confirms by a press if silence asks already', async () => {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, recipient);
  await world.live(90.5);
  const { healthyMs } = await world.health();
  const confirmed = { confirmedAt: await world.clock.now(), confirmedHealthyMs: healthyMs };
  await world.db.update(trustedContacts).set(confirmed).where(eq(trustedContacts.id, priya.id));
  expect(await world.releases.pressTrustee({ ownerId: owner.userId, contactId: priya.id, origin: nowhere })).toBeNull();
  await world.live(0.1);
  expect(world.subjects(recipient)).toHaveLength(1);
});

test('a question that is written again in a wait names the last day of that wait', async () => {
  const { owner, priya, tom } = await early({ inactivityDays: 365, releaseWaitingDays: 20 });
  await request(owner, priya);
  await world.live(0.1);
  await world.answer(priya, true);
  await world.live(0.1);
  const rows = await world.db.select().from(notifications);
  const accepted = rows.find(({ kind }) => kind === 'release.owner_holding')?.acceptedAt?.getTime() ?? 0;
  const questions = rows.filter(({ kind }) => kind === 'release.contact_asked');
  const asked = questions.toSorted((one, other) => Number(one.acceptedAt) - Number(other.acceptedAt)).at(-1);
  const lastDay = longDate(new Date(accepted + 20 * dayMs));
  expect(world.said(tom.email)).toContain(`until ${lastDay} at the earliest`);

  await world.live(2);
  const report = { series: 1, writtenAtMs: null, isOfMailbox: true, isTrouble: false, replyCode: 550 };
  const at = await world.clock.now();
  expect(await takeBack(world.app, { key: returnKeyOf(asked?.messageId ?? ''), ...report, at })).toBe(true);
  const before = world.subjects(tom.email).length;
  await world.live(0.1);
  expect(world.subjects(tom.email)).toHaveLength(before + 1);
  expect(world.said(tom.email)).toContain(`until ${lastDay} at the earliest`);
});
