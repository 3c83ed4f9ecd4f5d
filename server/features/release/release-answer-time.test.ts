import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import { takeBack } from '#server/features/notifications/take-back.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { createReleaseWorld, dayMs, type Owner, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

/** A failure report comes for the newest mail of this kind to an owner. */
async function bounce(owner: Owner, kind: string): Promise<number> {
  const rows = await world.db.select().from(notifications);
  const mail = rows.filter((row) => row.userId === owner.userId && row.kind === kind).at(-1);
  const at = await world.clock.now();
  const report = { series: 1, writtenAtMs: null, isOfMailbox: true, isTrouble: false, replyCode: 550, at };
  expect(await takeBack(world.app, { key: returnKeyOf(mail?.messageId ?? ''), ...report })).toBe(true);
  return at.getTime();
}
const lettersTo = (address: string) => world.subjects(address).length;

test('a reminder that bounces while contacts are asked stops the answer time until 10 days after its acceptance', async () => {
  const owner = await world.newOwner();
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(92.1);
  const bouncedMs = await bounce(owner, 'release.last_reminder');
  await world.live(0.1);

  const { answerTimeAt, answerTimeUsedMs } = await world.requestOf(owner);
  expect(answerTimeAt?.getTime()).toBe(bouncedMs);
  const usedDays = (answerTimeUsedMs ?? 0) / dayMs;
  expect(usedDays).toBeGreaterThan(2);
  expect(usedDays).toBeLessThan(2.3);
  const { timeline } = await world.ownersRelease.overview(owner.userId);
  const delivery = timeline.find(({ what }) => what === 'automatic_delivery')?.at.getTime() ?? 0;
  const days = (delivery - bouncedMs) / dayMs;
  expect(days, '10 days, and the rest of 7').toBeGreaterThan(14.6);
  expect(days).toBeLessThan(15.1);
  expect(world.said(owner.email), 'the reminder names that day').toContain(longDate(new Date(delivery)));

  await world.live(days - 0.5);
  expect(lettersTo('nell@post.example'), 'half a day before').toBe(0);
  expect(await world.requestOf(owner)).toMatchObject({ answerTimeUsedMs: null });
  await world.live(0.6);
  expect(lettersTo('nell@post.example')).toBe(1);
});

test('the owner and contacts are notified of a later day if an outage delays the announced delivery', async () => {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(92);
  await world.jump(3);
  await world.live(1);
  const isTold = ({ email }: { email: string }) =>
    world.subjects(email).filter((each) => each.includes('later')).length;
  expect([isTold(priya), isTold(owner)], 'the day of which they were told has not come').toEqual([0, 0]);
  await world.live(1.5);
  expect([isTold(priya), isTold(owner)]).toEqual([1, 1]);
  const { timeline } = await world.ownersRelease.overview(owner.userId);
  const delivery = timeline.find(({ what }) => what === 'automatic_delivery')?.at ?? new Date(0);
  expect(world.said(priya.email)).toContain(`they will be delivered on ${longDate(delivery)} at the earliest`);
  expect(world.said(owner.email)).toContain(`will be delivered from ${longDate(delivery)}`);
  await world.live(3);
  expect(lettersTo('nell@post.example')).toBe(1);
  expect([isTold(priya), isTold(owner)], 'once').toEqual([1, 1]);
});
