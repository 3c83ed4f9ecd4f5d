import { asc, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import { takeBack } from '#server/features/notifications/take-back.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
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

async function remove(owner: Owner, { id }: Friend): Promise<void> {
  const principal = { ...owner, authenticatedAt: await world.clock.now() };
  await world.contacts.remove({ principal, origin: nowhere, id });
}

const question = 'Sam Ashworth: please tell us what you know';
const reminder = 'Sam, we have not heard from you for 45 days';
const numbersOf = async (owner: Owner) => (await world.noticesOf(owner)).map(({ number }) => number);

/** The mails to an address as they are written down, oldest first. */
async function mailsTo({ id }: Friend) {
  const { contactId, createdAt } = notifications;
  return world.db.select().from(notifications).where(eq(contactId, id)).orderBy(asc(createdAt));
}

/** While the mail with this subject is being handed over, something else happens. */
function meanwhile(subject: string, act: () => Promise<void>): void {
  world.mailer.answer(async (mail) => {
    if (mail.subject === subject) await act();
    return { outcome: 'accepted' };
  });
}

test('the number of a notice that was deleted with its contact is not used again: the next reminder is a mail of its own', async () => {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(98);
  await world.showLife(owner);
  await world.live(0.1);
  const newest = (await world.noticesOf(owner)).at(-1);
  expect(newest, 'the newest notice is the contact’s').toMatchObject({ contactId: priya.id });

  await remove(owner, priya);
  expect(await numbersOf(owner)).not.toContain(newest?.number);
  await world.live(46);
  expect(world.subjects(owner.email).filter((subject) => subject === reminder)).toHaveLength(2);
  const next = await world.noticeOf(owner, 'first_reminder');
  expect(next.number).toBeGreaterThan(newest?.number ?? 0);
  expect(next).toMatchObject({ contactId: null, emailOutcome: 'accepted' });
});

test('a contact who is removed while their question is being handed over: its end says nothing, and the next silence is whole', async () => {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(89.5);
  meanwhile(question, () => remove(owner, priya));
  await world.live(1);
  expect(world.subjects(priya.email)).toContain(question);
  expect(await world.stateOf(owner)).toBe('watching');
  expect((await world.noticesOf(owner)).filter(({ contactId }) => contactId !== null)).toEqual([]);
  expect(world.subjects(owner.email)).not.toContain('Your messages are being delivered');

  world.mailer.answer(null);
  await world.live(80.5);
  expect(await world.stateOf(owner)).toBe('warned');
  const all = await numbersOf(owner);
  expect(new Set(all).size).toBe(all.length);
});

test('a mail of a contact who was removed comes back: it is written down, and nothing follows from it', async () => {
  const owner = await world.newOwner();
  const [priya, tom] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
  await world.write(owner, 'nell@post.example');
  await world.live(90.5);
  const asked = (await mailsTo(priya)).find(({ kind }) => kind === 'release.contact_asked');
  await remove(owner, priya);
  await world.live(0.1);
  const before = await world.noticesOf(owner);
  const at = await world.clock.now();
  const bounce = {
    key: returnKeyOf(asked?.messageId ?? ''),
    series: 1,
    writtenAtMs: null,
    isOfMailbox: true,
    isTrouble: false,
    replyCode: 550,
    at,
  };
  expect(await takeBack(world.app, bounce)).toBe(true);
  await world.live(1.2);
  expect(await world.noticesOf(owner)).toEqual(before);
  expect(world.subjects(tom.email).filter((subject) => subject === question)).toHaveLength(1);
});
