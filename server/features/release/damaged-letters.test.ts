import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countMessages } from '#server/features/messages/ready-messages.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { createReleaseWorld, type Owner, type ReleaseWorld } from './release.test-world.ts';

let world: ReleaseWorld;

beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());

/** Owner with a letter that is damaged at the release and can be repaired later. */
async function newOwnerWithHeldLetter() {
  const owner = await world.newOwner();
  await world.write(owner, 'nell@post.example');
  const { id } = await world.write(owner, 'otto@post.example');
  const [whole] = await world.db.select({ title: messages.title }).from(messages).where(eq(messages.id, id));
  const write = (title = '') => world.db.update(messages).set({ title }).where(eq(messages.id, id));
  await write('not sealed');
  return { owner, id, mend: () => write(whole?.title) };
}
const lettersOf = async (owner: Owner) => (await world.deliveriesOf(owner)).map(({ messageId }) => messageId);

/** Owners with an open release and a letter that is held back. */
let owners: Awaited<ReturnType<typeof newOwnerWithHeldLetter>>[];
/** Id of the last owner's letter that was a draft at the release. */
let draftId: string;

beforeAll(async () => {
  owners = [];
  for (let count = 0; count < 4; count += 1) owners.push(await newOwnerWithHeldLetter());
  draftId = (await world.write(owners[3]?.owner as Owner, 'ivy@post.example', 'draft')).id;
  await world.live(99);
});

test('an owner whose letters cannot be queued delays no other owner’s letters', async () => {
  const three = owners.slice(0, 3);
  for (const { mend } of three) await mend();
  const damaged = three[1]?.owner as Owner;
  await world.db.delete(vaultKeys).where(eq(vaultKeys.userId, damaged.userId));

  expect(await world.releases.sendRepairedLetters()).toBe(2);
  const letters = await Promise.all(three.map(({ owner }) => lettersOf(owner)));
  expect(letters.map(({ length }) => length)).toEqual([2, 1, 2]);
  expect(world.logged.splice(0)).toMatchObject([{ details: { owner: damaged.userId } }]);
  await world.db.delete(users).where(eq(users.id, damaged.userId));
});

test('only what this very release held back goes, once: a letter that became ready later waits for another release', async () => {
  const { owner, id, mend } = owners[3] as (typeof owners)[number];
  await world.db.update(messages).set({ status: 'ready' }).where(eq(messages.id, draftId));
  expect(await world.releases.sendRepairedLetters()).toBe(0);
  expect(await lettersOf(owner)).toHaveLength(1);

  await mend();
  expect(await world.releases.sendRepairedLetters()).toBe(1);
  expect(await world.releases.sendRepairedLetters()).toBe(0);
  expect(await lettersOf(owner)).toHaveLength(2);
  expect(await lettersOf(owner)).toContain(id);
  await world.showLife(owner);
  expect(await countMessages(world.db, owner.userId)).toEqual({ all: 3, ready: 3 });
});
