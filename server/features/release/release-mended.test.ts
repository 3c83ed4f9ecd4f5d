import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vaultKeys } from '#server/features/accounts/accounts.tables.ts';
import { messages } from '#server/features/messages/messages.tables.ts';
import { createReleaseWorld, type Owner, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;

beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());

/** Somebody with a letter that does not go with the others, and is whole again once their release is under way. */
async function newOwnerWithHeldLetter() {
  const owner = await world.newOwner();
  await world.write(owner, 'nell@post.example');
  const held = await world.write(owner, 'otto@post.example', 'draft');
  return { owner, mend: () => world.db.update(messages).set({ status: 'ready' }).where(eq(messages.id, held.id)) };
}

test('an owner whose letters cannot be put on their way keeps nobody else’s back', async () => {
  const owners = [await newOwnerWithHeldLetter(), await newOwnerWithHeldLetter(), await newOwnerWithHeldLetter()];
  await world.live(99);
  for (const { mend } of owners) await mend();
  const damaged = owners[1]?.owner as Owner;
  await world.db.delete(vaultKeys).where(eq(vaultKeys.userId, damaged.userId));

  expect(await world.releases.sendMended()).toBe(2);
  const deliveries = await Promise.all(owners.map(({ owner }) => world.deliveriesOf(owner)));
  expect(deliveries.map(({ length }) => length)).toEqual([2, 1, 2]);
  expect(world.logged).toMatchObject([{ details: { owner: damaged.userId } }]);
});
