import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { openEnvelope } from '#server/features/delivery/letter-page.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createReleaseWorld, dayMs, nowhere, type Owner, ofTheRole, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const letters = async (owner: Owner) =>
  (await world.story(owner, new Date(0))).filter((line) => line.includes('letter'));

describe('the owner comes back', () => {
  test('after a reminder: all is as before, the link of the mail is revoked, and no contact is notified', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(46);
    const token = world.linkIn(owner.email, '/check-in/');
    expect(await world.ownersRelease.checkInLink(token)).toMatchObject({ firstName: 'Sam' });
    await world.showLife(owner);
    expect(await world.stateOf(owner)).toBe('watching');
    await expect(world.ownersRelease.checkInByLink(token, nowhere)).rejects.toMatchObject({ type: 'CONFLICT' });
    await world.live(1);
    expect(world.subjects(priya.email)).toEqual(ofTheRole);
    expect(world.subjects(owner.email)).not.toContain('Welcome back. Nothing was sent');
    await world.live(40);
    expect(await world.silencesOf(owner)).toHaveLength(1);
  });

  test('by the button behind the mailed link, which works once; opening the page changes nothing', async () => {
    const owner = await world.newOwner();
    await world.live(46);
    const token = world.linkIn(owner.email, '/check-in/');
    await world.ownersRelease.checkInLink(token);
    expect(await world.stateOf(owner)).toBe('reminded');
    const presses = [1, 2, 3].map(() => world.ownersRelease.checkInByLink(token, nowhere));
    const results = await Promise.allSettled(presses);
    const taken = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(taken).toHaveLength(1);
    expect(taken[0]?.halted).toBeNull();
    expect(await world.stateOf(owner)).toBe('watching');
    const { timeline } = await world.ownersRelease.overview(owner.userId);
    expect(taken[0]?.timeline).toEqual(timeline.filter(({ isPast }) => !isPast));
    expect(taken[0]?.timeline[0]).toMatchObject({ what: 'next_checkin' });
    await expect(world.ownersRelease.checkInLink('nothing')).rejects.toMatchObject({ type: 'NOT_FOUND' });
  });

  test('after contacts were asked: they are notified that nothing was sent, and every portal link is revoked', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    const token = world.linkIn(priya.email, '/trusted-contact-admin/');
    await world.ownersRelease.stop({ userId: owner.userId, origin: nowhere });
    await expect(world.answer(priya, true)).rejects.toMatchObject({
      type: 'NOT_FOUND',
      message: 'Invalid or expired access token',
    });
    await world.live(30);
    expect(world.subjects(priya.email).at(-1)).toBe('We have heard from Sam Ashworth. Nothing was sent');
    expect(world.subjects(owner.email)).toContain('Welcome back. Nothing was sent');
    expect(token).toBeTruthy();
    expect(await letters(owner)).toEqual([]);
  });

  test('names to the owner only notified contacts, not one whose mailbox refused the question', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    const tom = await world.befriend(owner, 'Tom');
    await world.write(owner, 'nell@post.example');
    world.mailer.answer(({ to }) =>
      to.address === tom.email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await world.live(95);
    expect(await world.ownersRelease.overview(owner.userId)).toMatchObject({
      contactNames: ['Priya', 'Tom'],
      toldNames: ['Priya'],
    });
    await world.ownersRelease.stop({ userId: owner.userId, origin: nowhere });
    world.mailer.answer(null);
    await world.live(1);
    expect(world.said(owner.email)).toContain('We have told Priya you are here.');
    expect(world.subjects(priya.email).at(-1)).toBe('We have heard from Sam Ashworth. Nothing was sent');
    expect(world.subjects(tom.email).at(-1)).not.toContain('We have heard from');
  });

  test('while it is paused, and while it is held for the waiting period', async () => {
    const cancelled = await world.newOwner();
    const priya = await world.befriend(cancelled, 'Priya');
    const held = await world.newOwner({ inactivityDays: 365, releaseWaitingDays: 10 });
    const tom = await world.befriend(held, 'Tom');
    for (const owner of [cancelled, held]) await world.write(owner, 'nell@post.example');
    await world.live(91);
    await world.answer(priya, false);
    const request = { ownerId: held.userId, contactId: tom.id, origin: nowhere };
    expect(await world.releases.requestEmergency(request)).toBeNull();
    await world.live(0.1);
    await world.answer(tom, true);
    await world.live(9);
    expect(await world.stateOf(cancelled)).toBe('paused');
    expect(await world.stateOf(held)).toBe('holding');
    for (const owner of [cancelled, held]) await world.showLife(owner, 'change');
    await world.live(35);
    expect([...(await letters(cancelled)), ...(await letters(held))]).toEqual([]);
    expect(await world.stateOf(held)).toBe('watching');
  });

  test('while letters are being sent: unsent ones are cancelled, unopened links are revoked, opened ones are named', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    const [one, two, three] = [
      await world.write(owner, 'opened@post.example'),
      await world.write(owner, 'unopened@post.example'),
      await world.write(owner, 'slow@post.example'),
    ];
    world.mailer.answer(({ to }) =>
      to.address === 'slow@post.example' ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
    );
    await world.live(91);
    await world.answer(priya, true);
    await world.live(0.1);
    await openEnvelope(world.app, world.linkIn('opened@post.example', '/message/'));
    const { halted } = await world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
    expect(halted, 'the page says what had left').toEqual({ sent: 2, opened: 1, mayArrive: 0 });
    world.mailer.answer(null);
    await world.live(20);

    expect(await world.stateOf(owner)).toBe('halted');
    const fates = new Map((await world.deliveriesOf(owner)).map(({ messageId, status }) => [messageId, status]));
    expect([one, two, three].map(({ id }) => fates.get(id))).toEqual(['accepted', 'withdrawn', 'cancelled']);
    expect(world.subjects('slow@post.example')).toEqual([]);
    expect(world.subjects(owner.email)).toContain('Welcome back. We have stopped the delivery');
    expect(world.subjects(priya.email).at(-1)).toBe('We have heard from Sam Ashworth. We have stopped the delivery');
    const overview = await world.ownersRelease.overview(owner.userId);
    expect(overview.state).toBe('halted');
    expect(overview.deliveries).toHaveLength(3);
    expect(overview.deliveries.filter(({ accessedAt }) => accessedAt !== null)).toMatchObject([{ messageId: one.id }]);
    // The owner gets unopened letters back.
    expect(overview.readyMessages).toBe(2);
  });

  test('after everything was delivered: unopened links die, and a new silence begins from nothing', async () => {
    const owner = await world.newOwner();
    await world.write(owner, 'nell@post.example');
    await world.live(98);
    expect(await world.stateOf(owner)).toBe('released');
    await world.showLife(owner);
    expect(await world.deliveriesOf(owner)).toMatchObject([{ status: 'withdrawn' }]);
    await world.live(98);
    expect(await world.requestsOf(owner)).toHaveLength(2);
    expect(await world.stateOf(owner)).toBe('released');
    const deliveries = await world.deliveriesOf(owner);
    expect(deliveries.map(({ status }) => status).toSorted()).toEqual(['accepted', 'withdrawn']);
    expect(new Set(deliveries.map(({ deliveryToken }) => deliveryToken)).size).toBe(2);
    // Only what this release has sent is shown as sent by it.
    expect((await world.ownersRelease.overview(owner.userId)).deliveries).toMatchObject([
      { status: 'accepted', title: 'For Nell' },
    ]);
  });

  test('also notifies a contact whose question was just being sent that all is well', async () => {
    const owner = await world.newOwner();
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, 'nell@post.example');
    await world.live(89);
    world.mailer.answer(async ({ subject }) => {
      if (subject.includes('please tell us')) await world.showLife(owner);
      return { outcome: 'accepted' };
    });
    await world.live(2);
    expect(world.subjects(priya.email).slice(ofTheRole.length)).toEqual([
      'Sam Ashworth: please tell us what you know',
      'We have heard from Sam Ashworth. Nothing was sent',
    ]);
    await expect(world.answer(priya, true)).rejects.toMatchObject({ type: 'NOT_FOUND' });
  });
});

describe('races', () => {
  test('a check-in against a confirmation, twenty times: one wins whole, and after a check-in nothing is sent', async () => {
    const owners = await Promise.all(
      Array.from({ length: 20 }, () => world.newOwner({ releaseMethod: 'trusted_contact' })),
    );
    const pairs = [];
    for (const owner of owners) {
      pairs.push({ owner, priya: await world.befriend(owner, 'Priya') });
      await world.write(owner, 'nell@post.example');
    }
    await world.releases.beat();
    await silentFor(91);

    const outcomes = { confirmed: 0, stopped: 0 };
    for (const [index, { owner, priya }] of pairs.entries()) {
      // The breaker counts an owner again on another day, so its count restarts before each pair.
      await world.releases.freeze('The operator looks.');
      await world.releases.resume();
      // One starts before the other by up to 10 ms, either way; the lock decides.
      const leadMs = index - 10;
      const answering = pause(Math.max(0, -leadMs)).then(() => world.answer(priya, true));
      const living = pause(Math.max(0, leadMs) * 3).then(() => world.showLife(owner));
      const [confirmed] = await Promise.allSettled([answering, living]);
      await dispatchDue(world.app);
      const request = await world.requestOf(owner);
      outcomes[confirmed.status === 'fulfilled' ? 'confirmed' : 'stopped'] += 1;
      expect(request.closedAt).not.toBeNull();
      expect(request.outcome).toBe(confirmed.status === 'fulfilled' ? 'taken_back' : 'owner_back');
      const sent = (await letters(owner)).length;
      expect(sent).toBe(0);
    }
    expect(outcomes.confirmed + outcomes.stopped).toBe(20);
  });

  /** Owners of this test live together, more than the breaker lets pass: the operator has looked, and says so daily. */
  async function silentFor(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      await world.live(1);
      for (let batch = 0; batch < 6 && (await world.health()).silenceStoppedAt; batch += 1) {
        await world.releases.resume();
        await world.live(0.05);
      }
    }
  }

  test('two sweeps at once do each step once', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, () => world.newOwner()));
    await world.live(44);
    await world.jump(1.5);
    await world.releases.beat();
    await Promise.all([world.releases.sweep(), world.releases.sweep(), world.releases.sweep()]);
    for (const owner of owners) {
      expect(await world.silencesOf(owner)).toMatchObject([{ firstNotice: 1, lastNotice: null }]);
      expect(await world.noticesOf(owner)).toHaveLength(1);
    }
  });

  test('two contacts who confirm at once release once', async () => {
    const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
    const [priya, tom] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
    await world.write(owner, 'nell@post.example');
    await world.live(91);
    const results = await Promise.allSettled([world.answer(priya, true), world.answer(tom, true)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await world.live(1);
    expect(await letters(owner)).toHaveLength(1);
  });

  test('a failure at one owner stops no other owner, is logged without content, and is tried again', async () => {
    const [broken, well] = [await world.newOwner(), await world.newOwner()];
    await world.live(44);
    await world.db.execute(sql`delete from vault_keys where user_id = ${broken.userId}`);
    await world.contacts.list(well);
    await world.db.execute(
      sql`alter table release_silences add constraint broken_check check (user_id <> ${sql.raw(`'${broken.userId}'`)})`,
    );
    await world.live(2);
    expect(await world.stateOf(well)).toBe('reminded');
    expect(await world.silencesOf(broken)).toEqual([]);
    const logged = world.logged.splice(0);
    expect(logged.length).toBeGreaterThan(1);
    expect(logged[0]).toMatchObject({ details: { owner: broken.userId, failures: 1 } });
    expect(JSON.stringify(logged)).not.toContain(broken.email);
    await world.db.execute(sql`alter table release_silences drop constraint broken_check`);
    await world.live(0.1);
    expect(await world.stateOf(broken)).toBe('reminded');
  });
});

test('a portal token is stored as a hash only', async () => {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(91);
  const token = world.linkIn(priya.email, '/trusted-contact-admin/');
  const [ask] = await world.asksOf(owner);
  expect(ask?.tokenHash).toBe(world.hashToken(token));
  const [user] = await world.db.select().from(users).where(eq(users.id, owner.userId));
  expect((user?.nextStepAt.getTime() ?? 0) - (await world.clock.now()).getTime()).toBeLessThan(8 * dayMs);
  expect(await verifyAudit(world.app)).toMatchObject({ ok: true });
});
