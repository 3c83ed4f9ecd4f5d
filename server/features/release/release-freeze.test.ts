import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import {
  atOnce,
  createReleaseWorld,
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
  world.texter.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const addresses = ['one', 'two', 'three', 'four'].map((name) => `${name}@post.example`);
const lettersTo = (address: string) =>
  world.mailer.tried.filter(({ to, text }) => to.address === address && text.includes('/message/'));
const allLetters = () => addresses.flatMap(lettersTo);
const asks = (friend: Friend) => world.subjects(friend.email).filter((subject) => subject.includes('please tell us'));

type Released = { owner: Owner; friend: Friend };

/** Owners whose letters are written and wait, since their only contacts have just confirmed. */
async function letGoOf(...lettersOf: readonly string[][]): Promise<Released[]> {
  const released: Released[] = [];
  for (const recipients of lettersOf) {
    const owner = await world.newOwner(atOnce);
    const friend = await world.befriend(owner, 'Priya');
    for (const address of recipients) await world.write(owner, address);
    released.push({ owner, friend });
  }
  // An emergency saves three months of waiting.
  await world.live(4);
  for (const { owner, friend } of released) {
    const request = { ownerId: owner.userId, contactId: friend.id, origin: nowhere };
    expect(await world.releases.requestEmergency(request)).toBeNull();
  }
  await world.live(0.1);
  for (const { friend } of released) await world.answer(friend, true);
  // Their days, of which there are none, begin with the notice that tells them so, and letters are written a beat later.
  // Each release has two mails by then: that notice, and the day for the contact who confirmed.
  await dispatchDue(world.app, 2 * released.length);
  for (const { owner } of released) await expect.poll(() => stateAfterBeat(owner)).toBe('releasing');
  return released;
}

async function stateAfterBeat(owner: Owner) {
  await world.releases.beat();
  await world.releases.sweep();
  return world.stateOf(owner);
}

describe('a freeze in the middle of a release', () => {
  test('lets no letter leave after it was answered; afterwards each leaves once, with the link it always had', async () => {
    const [{ owner, friend }] = (await letGoOf(addresses)) as [Released];
    await dispatchDue(world.app, 3);
    const left = allLetters().length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(addresses.length);
    await world.releases.freeze('Letters are leaving that should not.');
    await world.live(20);
    const firsts = addresses.filter((address) => lettersTo(address).length > 0);
    expect(firsts).toHaveLength(left);
    expect(world.subjects(friend.email)).not.toContain('Sam Ashworth: the messages have been delivered');

    const healthyMs = (await world.health()).healthyMs;
    await world.releases.resume();
    await world.releases.beat();
    expect((await world.health()).healthyMs).toBeGreaterThanOrEqual(healthyMs);
    await world.live(0.2);
    // Arrived letters are sent again after a week unopened: once, and now.
    const twice = addresses.map((address) => (firsts.includes(address) ? 2 : 1));
    expect(addresses.map((address) => lettersTo(address).length)).toEqual(twice);
    expect((await world.deliveriesOf(owner)).map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    expect(world.subjects(friend.email)).toContain('Sam Ashworth: the messages have been delivered');
  });

  test('a temporarily refused letter is tried with the same Message-ID and the same words, and names its own last day', async () => {
    await letGoOf(['one@post.example']);
    world.mailer.answer(({ text }) =>
      text.includes('/message/') ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
    );
    await dispatchDue(world.app);
    await world.releases.freeze('The operator looks.');
    world.mailer.answer(null);
    await world.live(2);
    expect(lettersTo('one@post.example')).toHaveLength(1);
    await world.releases.resume();
    await world.live(0.2);
    const [before, after, ...others] = lettersTo('one@post.example');
    const day = /until \d+\s\w+\s\d{4}/g;
    // Each attempt has a return path of its own.
    const withoutDay = (mail: typeof before) =>
      JSON.stringify({ ...mail, returnPath: undefined })
        .replaceAll('\\n', ' ')
        .replace(day, 'until a day');
    expect(withoutDay(after)).toEqual(withoutDay(before));
    expect(after?.html.match(day)).not.toEqual(before?.html.match(day));
    expect(others).toEqual([]);
  });

  test('an owner who comes back meanwhile has everything taken back that was held', async () => {
    const [{ owner }] = (await letGoOf(addresses)) as [Released];
    await world.releases.freeze('The operator looks.');
    await world.live(1);
    await world.showLife(owner);
    await world.releases.resume();
    await world.live(3);
    expect(allLetters()).toEqual([]);
    expect(new Set((await world.deliveriesOf(owner)).map(({ status }) => status))).toEqual(new Set(['cancelled']));
  });

  test('for one owner freezes their letters, and no other owner’s', async () => {
    const [one, two] = (await letGoOf(['one@post.example'], ['two@post.example'])) as [Released, Released];
    await world.releases.freezeOwner(two.owner.email);
    await world.live(2);
    expect(lettersTo('one@post.example')).toHaveLength(1);
    expect(lettersTo('two@post.example')).toEqual([]);
    expect((await world.deliveriesOf(one.owner)).map(({ status }) => status)).toEqual(['accepted']);
    expect(world.subjects(two.owner.email)).toContain('The release of your messages is stopped for now');
    await world.releases.resumeOwner(two.owner.email);
    await world.live(0.2);
    expect(lettersTo('two@post.example')).toHaveLength(1);
  });
});

describe('a freeze while contacts are being asked', () => {
  const stops = {
    everybody: { freeze: () => world.releases.freeze('The operator looks.'), resume: () => world.releases.resume() },
    'one owner': {
      freeze: ({ email }: Owner) => world.releases.freezeOwner(email),
      resume: ({ email }: Owner) => world.releases.resumeOwner(email),
    },
  };

  test.each(Object.entries(stops))(
    'with %s stops the question by mail and by text, and the whole answer time begins when it arrives',
    async (_, by) => {
      const owner = await world.newOwner();
      const priya = await world.befriend(owner, 'Priya', '+447700900123');
      await world.write(owner, 'one@post.example');
      const isQuestion = (words: string) => words.includes('please tell us');
      world.mailer.answer(({ subject }) =>
        isQuestion(subject) ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
      );
      world.texter.answer(() => ({ outcome: 'temporary', replyCode: null }));
      await world.live(91);
      expect(await world.stateOf(owner)).toBe('asking');
      expect(await world.noticeOf(owner, 'question')).toMatchObject({ emailOutcome: null });
      await by.freeze(owner);
      world.mailer.answer(null);
      world.texter.answer(null);
      await world.live(12);
      expect(asks(priya)).toEqual([]);
      expect(world.texter.sent).toEqual([]);

      await by.resume(owner);
      await world.live(0.2);
      expect(asks(priya)).toHaveLength(1);
      expect(world.texter.sent).toHaveLength(1);
      await world.live(6.5);
      expect(allLetters()).toEqual([]);
      await world.live(0.6);
      expect(allLetters()).toHaveLength(1);
    },
  );
});

test('an unopened letter is not sent again while everything is frozen, and is afterwards', async () => {
  await letGoOf(['one@post.example']);
  await world.live(6);
  await world.releases.freeze('The operator looks.');
  await world.live(4);
  expect(lettersTo('one@post.example')).toHaveLength(1);
  await world.releases.resume();
  await world.live(0.2);
  expect(lettersTo('one@post.example')).toHaveLength(2);
});

test('reminders reach an owner who is frozen by name, and no contact is asked before the owner is released', async () => {
  const owner = await world.newOwner();
  const friend = await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  expect(await world.releases.freezeOwner(owner.email)).toBe('done');
  await world.live(95);
  const story = await world.story(owner);
  expect(story.filter((line) => line.includes('reminder'))).toEqual([
    '45 release.first_reminder email',
    '80 release.last_reminder email',
  ]);
  expect(world.said(owner.email)).not.toContain('no reminders to you');
  expect(asks(friend)).toEqual([]);
  expect(await world.releases.resumeOwner(owner.email)).toBe('done');
  await world.live(1.1);
  expect(asks(friend)).toHaveLength(1);
});
