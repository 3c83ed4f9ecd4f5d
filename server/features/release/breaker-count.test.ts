import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReleaseWorld, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());

test('the breaker counts an owner once whose contacts are asked and whose letters go on the same day', async () => {
  // At noon, so that both steps fall on one day (UTC).
  const hours = (36 - (await world.clock.now()).getUTCHours()) % 24;
  await world.live(hours / 24);
  const owners = [];
  for (let count = 0; count < 6; count += 1) {
    const owner = await world.newOwner({ releaseMethod: 'inactivity', releaseAnswerDays: 0 });
    await world.befriend(owner, 'Priya');
    await world.write(owner, `nell${count}@post.example`);
    owners.push(owner);
  }
  await world.live(90.1);
  expect(await Promise.all(owners.map(async (owner) => (await world.requestOf(owner)).releasedAt))).not.toContain(null);
  expect(await world.health()).toMatchObject({ breakerCount: 6, silenceStoppedAt: null });
});
