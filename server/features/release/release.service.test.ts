import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openVault } from '#server/features/accounts/accounts.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createReleaseWorld, ofTheRole, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged).toEqual([]);
});

describe('method inactivity', () => {
  test('without an answer: reminders on day 45 and 80, contacts asked on day 90, delivered on day 97', async () => {
    const owner = await world.newOwner({ phone: '+447700900001' });
    const priya = await world.befriend(owner, 'Priya', '+447700900002');
    const message = await world.write(owner, 'nell@post.example');
    await world.write(owner, 'draft@post.example', 'draft');
    await world.live(100);

    expect(await world.story(owner)).toEqual([
      '45 release.first_reminder email',
      '45 release.first_reminder sms',
      '80 release.last_reminder email',
      '80 release.last_reminder sms',
      '90 release.contact_asked email',
      '90 release.contact_asked sms',
      '90 release.owner_asked email',
      '90 release.owner_asked sms',
      '97 delivery.letter email',
      '97 release.contact_released email',
      '97 release.owner_releasing email',
      '97 release.owner_releasing sms',
    ]);
    expect(await world.deliveriesOf(owner)).toMatchObject([{ messageId: message.id, status: 'accepted' }]);
    expect(await world.stateOf(owner)).toBe('released');
    expect(world.subjects(priya.email).at(-1)).toBe('Sam Ashworth: the messages have been delivered');
    expect(await world.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'released', readyMessages: 0 });
  });

  test('a season of silence after that brings nothing new', async () => {
    const owner = await world.newOwner();
    await world.write(owner, 'nell@post.example');
    await world.live(98);
    const before = await world.story(owner);
    await world.live(120);
    expect((await world.story(owner)).filter((line) => line.includes('release.'))).toEqual(
      before.filter((line) => line.includes('release.')),
    );
    expect(await world.requestsOf(owner)).toHaveLength(1);
  });

  test('an answer time of none delivers as soon as the contacts were asked, one of 30 days on day 120', async () => {
    const none = await world.newOwner({ releaseAnswerDays: 0 });
    const long = await world.newOwner({ releaseAnswerDays: 30 });
    for (const owner of [none, long]) {
      await world.befriend(owner, 'Priya');
      await world.write(owner, 'nell@post.example');
    }
    await world.live(122);
    expect(await world.story(none)).toContain('90 delivery.letter email');
    expect(await world.story(long)).toContain('120 delivery.letter email');
  });

  test('without any confirmed contact notifies the owner alone, and the time runs from that mail', async () => {
    const owner = await world.newOwner();
    await world.write(owner, 'nell@post.example');
    await world.live(98);
    expect(await world.story(owner)).toEqual([
      '45 release.first_reminder email',
      '80 release.last_reminder email',
      '90 release.owner_asked email',
      '97 delivery.letter email',
      '97 release.owner_releasing email',
    ]);
  });

  test('with no message ready sends no mail, and the overview says why', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example', 'draft');
    await world.live(130);
    expect(await world.stateOf(owner)).toBe('warned');
    expect(world.subjects(priya.email)).toEqual(ofTheRole);
    const { problems, ready } = await world.ownersRelease.overview(owner.userId);
    expect(problems.map(({ type }) => type)).toContain('no_ready_message');
    expect(ready).toBe(false);
  });

  test('an owner whose address is not verified is never written to, and nothing moves', async () => {
    const owner = await world.newOwner({ emailVerified: false });
    await world.live(200);
    expect(await world.story(owner)).toEqual([]);
    expect(await world.silencesOf(owner)).toEqual([]);
    await world.db.update(users).set({ emailVerified: true }).where(eq(users.id, owner.userId));
    await world.live(0.1);
    expect(await world.story(owner)).toEqual(['200 release.first_reminder email']);
  });
});

describe('answers of contacts', () => {
  test('one contact confirms: the letter is on its way within the same minute, exactly once', async () => {
    const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    expect(await world.answer(priya, true)).toBe('confirmed');
    expect(await world.stateOf(owner)).toBe('releasing');
    await world.live(0.01);
    expect(await world.stateOf(owner)).toBe('released');
    expect((await world.story(owner)).filter((line) => line.includes('delivery.letter'))).toHaveLength(1);

    await expect(world.answer(priya, false)).rejects.toMatchObject({ type: 'CONFLICT' });
    const [answer] = await world.answersOf(owner);
    expect(answer?.reason).not.toContain('funeral');
    const vault = await openVault(world.app, world.db, owner.userId);
    const context = { table: 'release_answers', column: 'reason', rowId: answer?.id ?? '' };
    expect(vault.unseal(context, answer?.reason ?? '')).toBe('I was at the funeral.');
  });

  test('a cancel pauses everything for 30 days and notifies the other contacts; then all get a new link', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    const tom = await world.befriend(owner, 'Tom');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    const oldLink = world.linkIn(tom.email, '/trusted-contact-admin/');
    expect(await world.answer(priya, false)).toBe('cancelled');
    await expect(world.answer(tom, true)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await world.live(29);
    expect(await world.stateOf(owner)).toBe('paused');
    expect(await world.deliveriesOf(owner)).toEqual([]);
    expect(world.subjects(tom.email).at(-1)).toBe('Sam Ashworth: the release is stopped for now');
    expect(world.subjects(owner.email).at(-1)).toBe('Sam, please log in now');
    expect(world.said(tom.email)).toContain('If we hear nothing from Sam for 30 days, we will ask you again.');
    expect(world.said(owner.email)).toContain('for 30 days, we will ask your contacts again.');

    await world.live(2);
    expect(await world.stateOf(owner)).toBe('asking');
    expect(world.linkIn(tom.email, '/trusted-contact-admin/')).not.toBe(oldLink);
    expect(await world.answer(tom, true)).toBe('confirmed');
    expect(await world.stateOf(owner)).toBe('releasing');
  });

  test('a second cancel of the same person cannot stop what the others confirm', async () => {
    const owner = await world.newOwner({ releaseQuorum: 2, releaseMethod: 'trusted_contact' });
    const [priya, tom, ann] = [
      await world.befriend(owner, 'Priya'),
      await world.befriend(owner, 'Tom'),
      await world.befriend(owner, 'Ann'),
    ];
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    await world.answer(priya, false);
    await world.live(31);
    await world.answer(priya, false);
    expect(await world.stateOf(owner), 'their first one was their pause').toBe('asking');
    await world.answer(tom, true);
    expect(await world.stateOf(owner)).toBe('asking');
    await world.answer(ann, true);
    expect(await world.stateOf(owner)).toBe('releasing');
  });

  test('two must confirm: one is not enough, two are', async () => {
    const owner = await world.newOwner({ releaseQuorum: 2, releaseMethod: 'trusted_contact' });
    const priya = await world.befriend(owner, 'Priya');
    const tom = await world.befriend(owner, 'Tom');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    await world.answer(priya, true);
    await world.live(60);
    expect(await world.stateOf(owner)).toBe('asking');
    expect(await world.deliveriesOf(owner)).toEqual([]);
    await world.answer(tom, true);
    expect(await world.deliveriesOf(owner)).toHaveLength(1);
  });

  test('method trusted_contact never releases by silence, and reports from the first day that no contact has accepted', async () => {
    const alone = await world.newOwner({ releaseMethod: 'trusted_contact' });
    const asked = await world.newOwner({ releaseMethod: 'trusted_contact' });
    await world.befriend(asked, 'Priya');
    for (const owner of [alone, asked]) await world.write(owner, 'nell@post.example');
    const { problems, ready } = await world.ownersRelease.overview(alone.userId);
    expect(problems[0]).toMatchObject({ type: 'nothing_could_ever_be_released' });
    expect(ready).toBe(false);
    await world.live(150);
    expect(await world.stateOf(alone)).toBe('warned');
    expect(await world.stateOf(asked)).toBe('asking');
    expect([...(await world.deliveriesOf(alone)), ...(await world.deliveriesOf(asked))]).toEqual([]);
  });

  test('a contact who accepts while others are asked gets a link too', async () => {
    const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
    const email = 'late@post.example';
    const details = { name: 'Tom Reid', email, phone: null, relationship: null, isActive: true };
    await world.befriend(owner, 'Priya');
    await world.contacts.create({ principal: owner, origin: { ipAddress: null, userAgent: null } }, details);
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    expect(await world.stateOf(owner)).toBe('asking');
    const token = world.linkIn(email, '/trusted-contact-accept/');
    await world.db.execute(
      sql`update trusted_contacts set confirmation_expires = confirmation_expires + interval '99 days' where email = ${email}`,
    );
    await world.contacts.answerInvitation({ token, accept: true, origin: { ipAddress: null, userAgent: null } });
    await world.live(2);
    expect(world.linkIn(email, '/trusted-contact-admin/')).toBeTruthy();
  });
});

describe('a plain SQL edit', () => {
  test('to last_checkin_at changes the next step, without a restart', async () => {
    const owner = await world.newOwner();
    await world.write(owner, 'nell@post.example');
    await world.live(1);
    const now = await world.clock.now();
    await world.db.execute(
      sql`update users set last_checkin_at = ${now.toISOString()}::timestamptz - interval '46 days' where id = ${owner.userId}`,
    );
    expect(await world.releases.sweep()).toBeGreaterThan(0);
    expect(await world.stateOf(owner)).toBe('reminded');
    await world.db.execute(
      sql`update users set last_checkin_at = ${(await world.clock.now()).toISOString()}::timestamptz where id = ${owner.userId}`,
    );
    await world.releases.sweep();
    expect(await world.stateOf(owner)).toBe('watching');
  });

  test('activity of an owner who is only watched does not bring the sweep before anything is due', async () => {
    const owner = await world.newOwner({ inactivityDays: 365 });
    await world.live(3);
    await world.showLife(owner);
    const { nextStepAt, lastCheckinAt } = await world.rowOf(owner.userId);
    // The first nudge's hour: never later than the nudge, and less than an hour before it.
    const hintedMs = nextStepAt.getTime() - lastCheckinAt.getTime();
    expect(hintedMs).toBeLessThanOrEqual(30 * 86_400_000);
    expect(hintedMs).toBeGreaterThan(30 * 86_400_000 - 3_600_000);
    expect(await world.releases.sweep()).toBe(0);
  });
});
