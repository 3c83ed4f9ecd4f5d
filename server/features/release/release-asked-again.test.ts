import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReleaseWorld, type Friend, nowhere, type ReleaseWorld } from './release.test-world.ts';

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
const asked = ({ email }: Friend) => world.subjects(email).filter((subject) => subject === asksWhat).length;
const tokensOf = ({ email }: Friend) =>
  world.mailer.sent
    .filter(({ to }) => to.address === email)
    .flatMap(({ text }) => /\/trusted-contact-admin\/([\w-]+)/.exec(text)?.[1] ?? []);
const say = (token: string) =>
  world.releases.decide({
    tokenHash: world.hashToken(token),
    confirmed: true,
    reason: 'I was there.',
    origin: nowhere,
  });

/** Sam, whose contacts alone decide, has been silent for the whole period. */
async function asking(mailbox: 'takes mail' | 'bounces' = 'takes mail') {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  if (mailbox === 'bounces') {
    world.mailer.answer(({ to }) =>
      to.address === priya.email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
  }
  await world.live(90.5);
  if (mailbox === 'bounces') {
    await world.writeToNeighbour(priya.email, 3);
    await world.live(3.2);
  }
  return { owner, priya };
}

test('a contact whose mailbox refused the only question is asked again, and what they say then counts', async () => {
  const { owner, priya } = await asking('bounces');
  expect(asked(priya)).toBe(0);
  expect(await world.noticeOf(owner, 'question')).toMatchObject({ emailOutcome: 'tried' });

  world.mailer.answer(null);
  await world.live(26);
  expect(asked(priya)).toBe(0);
  await world.live(2);
  expect(asked(priya)).toBe(1);
  await world.answer(priya, true);
  await world.live(0.1);
  expect(world.subjects('nell@post.example')).toHaveLength(1);
});

test('a contact who never answers is asked again and again, with the owner told each time, and nothing is released', async () => {
  const { owner, priya } = await asking();
  await world.live(61);
  expect(asked(priya)).toBe(3);
  expect(world.subjects(owner.email).filter((subject) => subject === 'We have asked Priya about you')).toHaveLength(3);
  expect(world.said(owner.email)).toContain('Until then we ask again every 30 days.');
  expect(world.said(priya.email)).toContain('If you do not know yet, we will ask you again in 30 days.');
  expect(await world.stateOf(owner)).toBe('asking');
  expect(world.subjects('nell@post.example')).toEqual([]);

  const [first, , newest] = tokensOf(priya);
  await expect(say(first ?? '')).rejects.toThrow('Invalid or expired access token');
  expect(await say(newest ?? '')).toBe('confirmed');
  await world.live(0.1);
  expect(world.subjects('nell@post.example')).toHaveLength(1);
});

test('a text that waits with a link that has been replaced is taken back', async () => {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
  const priya = await world.befriend(owner, 'Priya', '+447700900111');
  await world.write(owner, 'nell@post.example');
  world.texter.answer(() => ({ outcome: 'temporary', replyCode: null }));
  await world.live(91.6);
  const request = { ownerId: owner.userId, contactId: priya.id, origin: nowhere };
  expect(await world.releases.requestEmergency(request)).toBeNull();
  world.texter.answer(null);
  await world.live(0.5);
  const [old, fresh] = tokensOf(priya);
  const texts = world.texter.sent.filter(({ to }) => to === '+447700900111').map(({ text }) => text);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain(fresh);
  expect(texts[0]).not.toContain(old);
});

test('a repeated question gives no more time: owner and contact read the day on which the letters leave', async () => {
  const owner = await world.newOwner({ releaseAnswerDays: 30 });
  const priya = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(89);
  // The question leaves five days late, so that the time to answer is not over when it is asked again.
  world.mailer.answer(({ to }) =>
    to.address === priya.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.live(6);
  world.mailer.answer(null);
  await world.live(26);
  const dayIn = (text: string, before: string) => new RegExp(`${before} (\\d+ \\w+ \\d{4})`).exec(text)?.[1];
  const toldOwner = dayIn(world.said(owner.email), 'delivered from');
  const toldContact = dayIn(world.said(priya.email), 'nobody answers before');
  expect([asked(priya), toldOwner]).toEqual([2, toldContact]);
  await world.live(6);
  const released = (await world.requestOf(owner)).releasedAt as Date;
  const onDay = released.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });
  expect(onDay).toBe(toldOwner);
});
