import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { createReleaseWorld, type ReleaseWorld } from './release.test-world.ts';

/** Mail is sent and texts are not: an installation with a mail server and without Twilio. */
let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld({ texter: createMemoryTexter({ kind: 'outbox' }) });
});
afterAll(() => world.close());

test('a reminder with an unsent mail does not count as accepted, although its text is in the outbox', async () => {
  const owner = await world.newOwner({ phone: '+447700900001' });
  await world.write(owner, 'nell@post.example');
  await world.live(44);
  world.mailer.answer(({ to }) =>
    to.address === owner.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.live(2);
  expect(world.texter.sent.map(({ to }) => to)).toEqual(['+447700900001']);
  expect(await world.stateOf(owner)).toBe('reminded');
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: null, textOutcome: null });
  world.mailer.answer(null);
  await world.live(1);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: 'accepted' });
  await world.clear();
});

test('a contact whose mailbox refuses the question was not reached by a text in the outbox', async () => {
  const owner = await world.newOwner({ phone: '+447700900002' });
  const priya = await world.befriend(owner, 'Priya', '+447700900003');
  await world.write(owner, 'nell@post.example');
  await world.live(89);
  world.mailer.answer(({ to }) =>
    to.address === priya.email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
  );
  await world.live(2);
  await world.writeToNeighbour(priya.email, 3);
  await world.live(3.2);
  expect(await world.noticeOf(owner, 'question')).toMatchObject({ emailOutcome: 'tried' });
  await world.clear();
});

test('the owner is not told that reminders come as texts', async () => {
  const owner = await world.newOwner({ phone: '+447700900004' });
  expect(await world.ownersRelease.overview(owner.userId)).toMatchObject({ isTexted: false });
});
