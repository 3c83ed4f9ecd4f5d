import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReleaseWorld, type Friend, type Owner, type ReleaseWorld } from './release.test-world.ts';

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
const saysStopped = 'Sam Ashworth: the release is stopped for now';

/** Priya has her link. Tom's mailbox is busy, so his has not arrived. */
async function askedButOne(): Promise<{ owner: Owner; priya: Friend; tom: Friend }> {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
  const [priya, tom] = [await world.befriend(owner, 'Priya'), await world.befriend(owner, 'Tom')];
  await world.write(owner, 'nell@post.example');
  world.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await world.live(90.5);
  expect(world.subjects(priya.email)).toContain(asksWhat);
  return { owner, priya, tom };
}

/** Mails that reached a contact after the invitation to the role. */
const reached = ({ email }: Friend) => world.subjects(email).slice(1);

test('a cancel takes back the links of others that have not left yet; after the pause they get new ones', async () => {
  const { priya, tom } = await askedButOne();
  await world.answer(priya, false);
  world.mailer.answer(null);
  await world.live(29);
  expect(reached(tom)).toEqual([]);

  await world.live(2);
  expect(reached(tom)).toEqual([asksWhat]);
  expect(await world.answer(tom, true)).toBe('confirmed');
});

test('a link that was being sent at the moment of a cancel is void, and its holder is notified of the reason', async () => {
  const { owner, priya, tom } = await askedButOne();
  const token = world.linkIn(priya.email, '/trusted-contact-admin/');
  let hasCancelled = false;
  world.mailer.answer(async ({ to }) => {
    if (to.address === tom.email && !hasCancelled) {
      hasCancelled = true;
      await world.releases.decide({
        tokenHash: world.hashToken(token),
        confirmed: false,
        reason: 'Sam is well.',
        origin: { ipAddress: null, userAgent: null },
      });
    }
    return { outcome: 'accepted' };
  });
  await world.live(1);
  expect(await world.stateOf(owner)).toBe('paused');
  expect(reached(tom)).toEqual([asksWhat, saysStopped]);
  await expect(world.answer(tom, true)).rejects.toMatchObject({ type: 'NOT_FOUND' });
});

test('the owner’s return takes back every link that has not left yet', async () => {
  const { owner, tom } = await askedButOne();
  await world.showLife(owner);
  world.mailer.answer(null);
  await world.live(20);
  expect(reached(tom)).toEqual([]);
});
