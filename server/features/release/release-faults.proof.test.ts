import { and, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { releaseNotices } from '#server/schema/release.tables.ts';
import { untoldWaitDays } from '#shared/rules/inactivity.ts';
import { atOnce, createReleaseWorld, dayMs, nowhere, type Owner, type ReleaseWorld } from './release.test-world.ts';
import { roundsFor } from './rounds.test-world.ts';
import { showTestClock } from './test-clock.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  await world.releases.resume();
  expect(world.logged.splice(0)).toEqual([]);
});

const dayOf = (story: string[], kind: string) => Number(story.find((line) => line.includes(kind))?.split(' ')[0]);

describe('outages', () => {
  test('200 days of downtime: the next thing is a reminder, and every gap is kept after it', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(10);
    await world.jump(200);
    await world.live(0.1);
    expect(await world.story(owner)).toEqual(['210 release.first_reminder email']);
    await world.live(30);
    const story = await world.story(owner);
    expect(dayOf(story, 'last_reminder')).toBe(217);
    expect(dayOf(story, 'contact_asked')).toBe(227);
    expect(dayOf(story, 'letter')).toBe(234);
    expect(world.subjects(priya.email)).toContain('Sam Ashworth: the messages have been delivered');
  });

  test('downtime eats nothing of the time that contacts have to answer', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(94);
    await world.jump(60);
    await world.live(2.5);
    expect(await world.stateOf(owner)).toBe('asking');
    await world.answer(priya, false);
    expect(await world.deliveriesOf(owner)).toEqual([]);
  });

  test('mail that is down for a week delays what waits for it and skips nothing', async () => {
    const owner = await world.newOwner();
    await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(79);
    world.mailer.answer(() => ({ outcome: 'temporary', replyCode: null }));
    await world.live(7);
    expect(await world.noticeOf(owner, 'last_reminder')).toMatchObject({ emailOutcome: null });
    expect(await world.stateOf(owner), 'written is not warned').toBe('reminded');
    world.mailer.answer(null);
    await world.live(1);
    expect(await world.stateOf(owner)).toBe('warned');
    await world.live(24);
    const story = await world.story(owner);
    expect(dayOf(story, 'last_reminder')).toBe(86);
    expect(dayOf(story, 'contact_asked')).toBe(96);
    expect(dayOf(story, 'letter')).toBe(103);
  });

  test('a last reminder that waits while time is taken back is withdrawn: the owner gets one, with the day that holds', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.jump(100);
    await world.live(6.4);
    const letters = () => world.subjects(owner.email).filter((subject) => subject.startsWith('Check in before'));
    world.mailer.answer(() => ({ outcome: 'temporary', replyCode: null }));
    await world.contacts.create(
      { principal: await world.newOwner(), origin: nowhere },
      { name: 'Tom Reed', email: 'tom@post.example', phone: null, relationship: null, isActive: true },
    );
    await world.live(0.95);
    const before = await world.noticeOf(owner, 'last_reminder');
    expect(before).toMatchObject({ emailOutcome: null });
    await world.live(2);
    expect(await world.noticeOf(owner, 'last_reminder')).toMatchObject({
      number: before.number,
      emailOutcome: 'withdrawn',
    });
    expect(await world.stateOf(owner)).toBe('reminded');
    world.mailer.answer(null);
    await world.live(1.5);
    expect(letters()).toHaveLength(1);
    const [first, again] = [
      await world.noticeOf(owner, 'first_reminder'),
      await world.noticeOf(owner, 'last_reminder'),
    ];
    expect(await world.stateOf(owner)).toBe('warned');
    expect(again.number).toBeGreaterThan(before.number);
    expect(again.emailHealthyMs).toBeGreaterThanOrEqual((first.emailHealthyMs ?? 0) + 7 * dayMs);
    await world.live(17.5);
    const story = await world.story(owner);
    const [named = ''] = letters().map((subject) => subject.slice('Check in before '.length).split(',')[0] ?? '');
    expect(Date.parse(named)).toBeGreaterThan((again.emailAt?.getTime() ?? 0) + 8 * dayMs);
    expect(story.filter((line) => line.includes('last_reminder'))).toHaveLength(1);
    expect(world.subjects(priya.email)).toContain('Sam Ashworth: the messages have been delivered');
  });

  test('contacts asked after a last reminder that came too soon do not block the release', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.jump(100);
    await world.live(17.5);
    const [first, last] = [await world.noticeOf(owner, 'first_reminder'), await world.noticeOf(owner, 'last_reminder')];
    const emailHealthyMs = (first.emailHealthyMs ?? 0) + 6.4 * dayMs;
    const { userId, number } = releaseNotices;
    const isLast = and(eq(userId, owner.userId), eq(number, last.number));
    await world.db.update(releaseNotices).set({ emailHealthyMs }).where(isLast);
    const nextStepAt = await world.clock.now();
    await world.db.update(users).set({ nextStepAt }).where(eq(users.id, owner.userId));
    await world.live(0.1);
    const again = world.said(owner.email);
    expect(again).toContain('This is our last reminder.');
    expect(again).toContain('We have asked Priya about you.');
    expect(again).not.toContain('we will ask');

    await world.answer(priya, true);
    await world.live(1);
    expect(await world.requestOf(owner)).toMatchObject({ phase: 'holding', phaseDays: untoldWaitDays });
    await world.live(untoldWaitDays);
    expect(dayOf(await world.story(owner), 'letter')).toBe(131);
  });

  test('a mailbox that refuses everything counts as tried after three days, and silence alone waits 90 days more', async () => {
    const owner = await world.newOwner();
    await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    world.mailer.answer(({ to }) =>
      to.address === owner.email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await world.writeToNeighbour(owner.email, 200);
    await world.live(47.5);
    expect(await world.stateOf(owner)).toBe('reminded');
    expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: 'tried' });
    expect((await world.ownersRelease.overview(owner.userId)).problems.map(({ type }) => type)).toContain(
      'address_bounced',
    );
    await world.live(144);
    const story = await world.story(owner);
    expect(dayOf(story, 'contact_asked')).toBe(92);
    expect(dayOf(story, 'letter')).toBe(189);

    const problems = async () => (await world.ownersRelease.overview(owner.userId)).problems.map(({ type }) => type);
    await world.showLife(owner);
    expect(await problems(), 'whoever is back is to hear of it').toContain('address_bounced');
    await world.live(30.1);
    expect(await problems(), 'and not for ever').not.toContain('address_bounced');
  });

  test('a contact or recipient whose address refuses is named to the owner, until the owner has changed it', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    const { id } = await world.write(owner, 'nell@post.example');
    const types = async () => (await world.ownersRelease.overview(owner.userId)).problems.map(({ type }) => type);
    world.mailer.answer(({ to }) =>
      [priya.email, 'nell@post.example'].includes(to.address)
        ? { outcome: 'refused', replyCode: 550 }
        : { outcome: 'accepted' },
    );
    for (const address of [priya.email, 'nell@post.example']) await world.writeToNeighbour(address, 110);
    await world.live(92);
    expect(await types()).toEqual(['contact_bounced']);
    await world.live(8);
    expect(await types()).toEqual(['contact_bounced', 'letter_bounced']);

    const now = await world.clock.now();
    await world.db.update(messages).set({ updatedAt: now }).where(eq(messages.id, id));
    expect(await types()).toEqual(['contact_bounced']);
    await world.db.update(trustedContacts).set({ updatedAt: now }).where(eq(trustedContacts.id, priya.id));
    expect(await types()).toEqual([]);
  });

  test('a relay that refuses every mail permanently harms no owner: the reminder is written again, and no window doubles', async () => {
    const owner = await world.newOwner();
    await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(44);
    world.mailer.answer(() => ({ outcome: 'refused', replyCode: 550 }));
    await world.live(5);
    expect((await world.health()).mailTroubledSince).not.toBeNull();
    const healthyMs = (await world.health()).healthyMs;
    await world.live(35);
    expect(await world.stateOf(owner)).toBe('reminded');
    expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: null });
    // None of these weeks counts. Time counted before the outage was known is subtracted, generously.
    expect((await world.health()).healthyMs).toBeLessThanOrEqual(healthyMs);
    world.mailer.answer(null);
    await world.live(26);
    const story = await world.story(owner);
    expect(dayOf(story, 'first_reminder')).toBe(84);
    expect(dayOf(story, 'last_reminder')).toBe(91);
    expect(dayOf(story, 'contact_asked')).toBe(101);
    expect(dayOf(story, 'letter')).toBe(108);
  });

  test('a contact who accepted in subtracted time counts from the present healthy time, and no other contact is affected', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    const ada = await world.invite(owner, 'Ada');
    await world.live(2);
    world.mailer.answer(() => ({ outcome: 'temporary', replyCode: null }));
    await world.invite(await world.newOwner(), 'Ravi');
    await world.live(0.5);
    const acceptedAtMs = async ({ id }: { id: string }) => {
      const [row] = await world.db.select().from(trustedContacts).where(eq(trustedContacts.id, id));
      return row?.confirmedHealthyMs ?? Number.NaN;
    };
    const before = await acceptedAtMs(priya);
    await world.acceptInvitation(ada);
    expect(await acceptedAtMs(ada)).toBeGreaterThan(before + 2 * dayMs);
    await world.live(1);
    await world.releases.beat();
    const { healthyMs } = await world.health();
    expect(await acceptedAtMs(ada)).toBe(healthyMs);
    expect(await acceptedAtMs(priya)).toBe(before);
    world.mailer.answer(null);
    await world.live(3);
    expect(await acceptedAtMs(ada), 'later days move nothing').toBe(healthyMs);
  });

  test('a clock that goes backwards stops everything until it has caught up', async () => {
    const owner = await world.newOwner();
    await world.live(44);
    await world.releases.beat();
    await world.jump(-3);
    const silentSince = new Date((await world.clock.now()).getTime() - 50 * dayMs);
    await world.db.update(users).set({ lastCheckinAt: silentSince }).where(eq(users.id, owner.userId));
    await world.live(2);
    expect(world.logged.splice(0).length).toBeGreaterThan(0);
    expect(await world.silencesOf(owner)).toEqual([]);
    await world.live(2);
    world.logged.splice(0);
    expect(await world.stateOf(owner)).toBe('reminded');
  });

  test('the test clock tells how far it was moved, by living and by jumping', async () => {
    const before = await showTestClock(world);
    const { healthyMs } = await world.health();
    await world.live(1);
    expect((await world.health()).healthyMs - healthyMs, 'of a lived day all is healthy').toBeGreaterThanOrEqual(dayMs);
    await world.jump(2);
    const after = await showTestClock(world);
    expect(after.offsetMs - before.offsetMs).toBe(3 * dayMs);
    expect(after.now.getTime() - before.now.getTime()).toBeGreaterThanOrEqual(3 * dayMs);
  });
});

test('a worker that runs while the test clock is moved changes nothing of the story, and doubles nothing', async () => {
  const owner = await world.newOwner();
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  const worker = roundsFor(world.app, { everyMs: 10 });
  worker.start();
  let isLiving = true;
  const heart = (async () => {
    while (isLiving) await world.releases.beat();
  })();
  await world.live(99);
  isLiving = false;
  await heart;
  await worker.stop();
  expect(await world.story(owner)).toEqual([
    '45 release.first_reminder email',
    '80 release.last_reminder email',
    '90 release.contact_asked email',
    '90 release.owner_asked email',
    '97 delivery.letter email',
    '97 release.contact_released email',
    '97 release.owner_releasing email',
  ]);
});

describe('early releases', () => {
  test('an emergency: the contact gets a link, the owner is notified by every channel, the waiting period comes first', async () => {
    const owner = await world.newOwner({ inactivityDays: 365, releaseWaitingDays: 5, phone: '+447700900003' });
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    const request = { ownerId: owner.userId, contactId: priya.id, origin: nowhere };
    expect(await world.releases.requestEmergency(request)).toBe('contact_too_new');
    await world.live(4);
    expect(await world.releases.requestEmergency(request)).toBeNull();
    expect(await world.releases.requestEmergency(request)).toBe('already_asked');
    await world.live(1);
    expect(await world.story(owner)).toEqual([
      '4 release.contact_asked email',
      '4 release.owner_early email',
      '4 release.owner_early sms',
    ]);
    await world.answer(priya, true);
    await world.live(4.9);
    expect(await world.stateOf(owner)).toBe('holding');
    expect(await world.deliveriesOf(owner)).toEqual([]);
    await world.live(0.3);
    expect(dayOf(await world.story(owner), 'letter')).toBe(10);
  });

  test('an emergency without an answer does not stop the clock of silence', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(5);
    await world.releases.requestEmergency({ ownerId: owner.userId, contactId: priya.id, origin: nowhere });
    await world.live(94);
    const story = await world.story(owner);
    expect(dayOf(story, 'first_reminder')).toBe(45);
    expect(dayOf(story, 'last_reminder')).toBe(80);
    expect(dayOf(story, 'letter')).toBe(97);
  });

  test('a trustee presses: with a quorum of two the others are asked, without a waiting period two are enough', async () => {
    const owner = await world.newOwner({ inactivityDays: 365, releaseQuorum: 2, ...atOnce });
    const [priya, tom] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
    await world.write(owner, 'nell@post.example');
    await world.live(4);
    const press = { ownerId: owner.userId, contactId: priya.id, reason: 'I was there.', origin: nowhere };
    expect(await world.releases.pressTrustee(press)).toBeNull();
    expect(await world.releases.pressTrustee(press)).toBe('already_answered');
    await world.live(1);
    expect(await world.deliveriesOf(owner)).toEqual([]);
    await world.answer(tom, true);
    await world.live(0.1);
    expect(await world.deliveriesOf(owner)).toMatchObject([{ status: 'accepted' }]);
  });
});

describe('the breaker', () => {
  test('stops the eleventh owner of a day, notifies the operator, allows reminders, and opens after the operator’s review', async () => {
    const owners: Owner[] = [];
    for (let index = 0; index < 12; index += 1) {
      const owner = await world.newOwner();
      await world.write(owner, 'nell@post.example');
      owners.push(owner);
    }
    const later = await world.newOwner({ inactivityDays: 180 });
    await world.live(90.5);
    expect(await world.health()).toMatchObject({ breakerCount: 10 });
    expect((await world.health()).silenceStoppedAt).not.toBeNull();
    expect(world.subjects('operator@everkept.example')).toEqual([
      expect.stringMatching(/^Everkept: releases by silence may stop on \d{4}-\d\d-\d\d unless you look$/),
      'Everkept: releases by silence are stopped until you look',
    ]);
    const states = async () => Promise.all(owners.map(world.stateOf));
    expect((await states()).filter((state) => state === 'asking')).toHaveLength(10);
    await world.live(20);
    expect((await states()).filter((state) => state === 'asking')).toHaveLength(10);
    expect(await world.story(later)).toEqual(['90 release.first_reminder email']);
    expect((await world.ownersRelease.overview(later.userId)).problems.map(({ type }) => type)).toContain('frozen');

    await world.releases.resume();
    await world.live(0.5);
    expect((await world.health()).silenceStoppedAt).not.toBeNull();
    await world.releases.resume();
    await world.live(0.5);
    expect((await states()).filter((state) => state === 'warned')).toEqual([]);
  });
});

describe('the breaker and an early release', () => {
  test('an owner whose trustee presses, and whose letters leave at once, is not counted', async () => {
    const owner = await world.newOwner({ inactivityDays: 365, ...atOnce });
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(4);
    const press = { ownerId: owner.userId, contactId: priya.id, reason: 'I was there.', origin: nowhere };
    const { breakerCount } = await world.health();
    expect(await world.releases.pressTrustee(press)).toBeNull();
    expect(await world.stateOf(owner)).toBe('holding');
    await world.live(0.01);
    expect(await world.stateOf(owner)).toBe('released');
    expect(await world.silencesOf(owner)).toEqual([]);
    expect(await world.health()).toMatchObject({ breakerCount });
  });
});

describe('the operator’s brake', () => {
  test('stops one owner and notifies them; answers are kept meanwhile, and every step continues afterwards', async () => {
    const [stopped, other] = [await world.newOwner(), await world.newOwner()];
    const priya = await world.befriend(stopped, 'Priya');
    for (const owner of [stopped, other]) await world.write(owner, 'nell@post.example');
    await world.live(91);
    expect(await world.releases.freezeOwner(` ${stopped.email.toUpperCase()}`)).toBe('done');
    expect(await world.releases.freezeOwner(stopped.email)).toBe('unchanged');
    expect(await world.releases.freezeOwner('nobody@post.example')).toBe('unknown');
    expect(await world.releases.freezes()).toMatchObject({
      frozenAt: null,
      reason: null,
      frozenOwners: 1,
      restored: null,
    });
    await world.answer(priya, true);
    await world.live(20);
    expect(await world.deliveriesOf(stopped)).toEqual([]);
    expect(await world.deliveriesOf(other)).toHaveLength(1);
    expect((await world.ownersRelease.overview(stopped.userId)).problems.map(({ type }) => type)).toContain('frozen');
    expect(world.subjects(stopped.email)).toContain('The release of your messages is stopped for now');

    expect(await world.releases.resumeOwner(stopped.email)).toBe('done');
    await world.live(0.1);
    expect(await world.deliveriesOf(stopped)).toHaveLength(1);
    expect(world.subjects(stopped.email)).toContain('The release of your messages goes on');
    const actions = await world.auditOf(stopped);
    expect(actions.filter((action) => /frozen|resumed/.test(action))).toEqual(['release.frozen', 'release.resumed']);
  });

  test('stops everybody but for reminders, and cannot be used to begin, to answer or to shorten', async () => {
    const owner = await world.newOwner();
    await world.write(owner, 'nell@post.example');
    expect(await world.releases.freeze('The operator has stopped releases.')).toBe('done');
    expect(await world.releases.freeze('Again.')).toBe('unchanged');
    await world.live(120);
    expect(await world.story(owner)).toEqual(['45 release.first_reminder email', '80 release.last_reminder email']);
    expect(await world.releases.resume()).toBe('done');
    expect(await world.releases.resume()).toBe('unchanged');
    await world.live(6.9);
    expect(await world.deliveriesOf(owner)).toEqual([]);
    await world.live(0.2);
    expect(await world.deliveriesOf(owner)).toHaveLength(1);
  });
});
