import { and, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import { takeBack } from '#server/features/notifications/take-back.ts';
import { markRestored } from '#server/features/release-health/health.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { createReleaseWorld, type Friend, nowhere, type Owner, type ReleaseWorld } from './release.test-world.ts';

/** Events at unexpected moments: mails that end late, people who leave, and backups. */
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
const question = 'Sam Ashworth: please tell us what you know';
const hasEnded = 'Sam Ashworth: the request has ended. Nothing was sent';

/** The mails of a kind about an owner, oldest first. */
const mailsOf = (owner: Owner, kind: string) =>
  world.db
    .select()
    .from(notifications)
    .where(and(eq(notifications.userId, owner.userId), eq(notifications.kind, `release.${kind}`)))
    .orderBy(notifications.notice);
const comesBack = async (messageId: string) =>
  takeBack(world.app, {
    key: returnKeyOf(messageId),
    series: 1,
    writtenAtMs: null,
    isOfMailbox: true,
    isTrouble: false,
    replyCode: 550,
    at: await world.clock.now(),
  });

/** The owner of a letter to Nell, with these contacts, who have been contacts for long enough. */
async function ownerWith(...names: string[]): Promise<[Owner, ...Friend[]]> {
  const owner = await world.newOwner({ inactivityDays: 365 });
  const friends: Friend[] = [];
  for (const name of names) friends.push(await world.befriend(owner, name));
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  return [owner, ...friends];
}

test('a notice of days to wait that comes back after its request has ended takes nothing from the days of the next one', async () => {
  const [owner, priya, tom] = (await ownerWith('Priya', 'Tom')) as [Owner, Friend, Friend];
  expect(await press(owner, priya)).toBeNull();
  await world.live(0.1);
  await world.answer(tom, false);
  await world.live(2);
  expect(await press(owner, priya)).toBeNull();
  await world.live(1.5);
  const [ofFirst, ofSecond] = await mailsOf(owner, 'owner_holding');
  expect(await comesBack(ofFirst?.messageId ?? '')).toBe(true);
  await world.live(1.3);
  expect(await mailsOf(owner, 'owner_holding'), 'nothing is written again').toHaveLength(2);
  expect(await world.stateOf(owner)).toBe('holding');
  await world.live(0.4);
  expect(await world.stateOf(owner)).toBe('released');
  expect(ofSecond?.status).toBe('accepted');
});

test('a question that arrives after another contact’s no says nothing of the owner being well', async () => {
  const [owner, priya, tom, uma] = (await ownerWith('Priya', 'Tom', 'Uma')) as [Owner, Friend, Friend, Friend];
  const isHers = ({ to, subject }: { to: { address: string }; subject: string }) =>
    to.address === uma.email && subject === question;
  world.mailer.answer((mail) => (isHers(mail) ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' }));
  expect(await press(owner, priya)).toBeNull();
  await dispatchDue(world.app);
  // While hers is being handed over, Tom answers, who has had his for a minute.
  world.mailer.answer(async (mail) => {
    if (isHers(mail)) await world.answer(tom, false);
    return { outcome: 'accepted' };
  });
  await world.live(0.1);
  expect(world.subjects(uma.email).slice(-2)).toEqual([question, hasEnded]);
  expect(world.said(uma.email)).toContain('We had asked you about Sam, and that request has ended since.');
});

test('a contact whose row is deleted by SQL takes their yes along, and no letter leaves on it', async () => {
  const [owner, priya] = (await ownerWith('Priya')) as [Owner, Friend];
  expect(await press(owner, priya)).toBeNull();
  await world.live(1);
  expect(await world.stateOf(owner)).toBe('holding');
  await world.db.delete(trustedContacts).where(eq(trustedContacts.id, priya.id));
  await world.live(20);
  expect(world.subjects('nell@post.example')).toEqual([]);
  expect((await world.requestsOf(owner)).map(({ outcome }) => outcome)).toEqual(['too_few_contacts']);
  expect(world.subjects(owner.email)).toContain('Sam, the request for your messages has ended');
});

test('a backup with a waiting mail to a removed contact: the mail is sent, changes nothing, and the release continues', async () => {
  const [owner, priya, tom] = (await ownerWith('Priya', 'Tom')) as [Owner, Friend, Friend];
  expect(await press(owner, priya)).toBeNull();
  await world.live(0.1);
  world.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.showLife(owner);
  await world.live(0.1);
  const waiting = (await mailsOf(owner, 'contact_stopped')).filter(({ status }) => status === 'pending');
  expect(waiting.map(({ contactId }) => contactId)).toEqual([tom.id]);
  const principal = { ...owner, authenticatedAt: await world.clock.now() };
  await world.contacts.remove({ principal, origin: nowhere, id: tom.id });
  expect(await press(owner, priya)).toBeNull();
  await world.live(0.1);

  await world.db.transaction((tx) => markRestored(tx, { backupAt: new Date() }));
  world.mailer.answer(null);
  await world.live(1);
  expect((await mailsOf(owner, 'contact_stopped')).map(({ status, contactId }) => [status, contactId])).toEqual(
    expect.arrayContaining([['accepted', null]]),
  );
  expect((await world.requestsOf(owner)).map(({ outcome }) => outcome)).toEqual(['owner_back', 'begun_anew']);
  await world.live(3);
  expect(await world.releases.resume()).toBe('done');
  const numbers = (await world.noticesOf(owner)).map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  const mails = await world.db.select().from(notifications).where(eq(notifications.userId, owner.userId));
  const carried = mails.flatMap(({ notice, channel }) => (channel === 'email' ? (notice ?? []) : []));
  expect(new Set(carried).size, 'each notice has a mail of its own').toBe(carried.length);
});

test('news of a request that has ended is not written again where it was given up for our sake', async () => {
  const [owner, priya] = (await ownerWith('Priya')) as [Owner, Friend];
  expect(
    await world.releases.requestEmergency({ ownerId: owner.userId, contactId: priya.id, origin: nowhere }),
  ).toBeNull();
  await world.live(0.1);
  world.mailer.answer(({ to }) =>
    to.address === owner.email ? { outcome: 'temporary', replyCode: 550, isTrouble: true } : { outcome: 'accepted' },
  );
  await world.answer(priya, false);
  await world.live(0.1);
  // As if it had been tried for its whole month.
  const { kind, notBefore } = notifications;
  const tried = { attempts: 200, notBefore: sql`${notBefore} - interval '40 days'` };
  await world.db.update(notifications).set(tried).where(eq(kind, 'release.owner_ended'));
  await world.live(0.5);
  expect((await mailsOf(owner, 'owner_ended')).map(({ status }) => status)).toEqual(['dead']);
  expect(await world.noticeOf(owner, 'request_ended')).toMatchObject({ emailOutcome: 'tried' });
});
