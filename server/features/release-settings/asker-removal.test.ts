import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(() => world.clear());

const ask = (owner: Owner, { id: contactId }: Friend) =>
  world.releases.requestEmergency({ ownerId: owner.userId, contactId, origin: nowhere });
const contactNames = async (owner: Owner) => (await world.contacts.list(owner)).map(({ name }) => name).toSorted();

/** An owner who has stopped the early request of Priya by the link in a mail. */
async function stopped(...others: string[]): Promise<{ owner: Owner; token: string }> {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  for (const name of others) await world.befriend(owner, name);
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  expect(await ask(owner, priya)).toBeNull();
  await world.live(0.1);
  await world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
  await world.live(0.1);
  return { owner, token: world.linkIn(owner.email, '/remove-contact/') };
}

test('the mail about a Stop leads to a page that removes the contact who asked, once', async () => {
  const { owner, token } = await stopped('Tom', 'Una');
  expect(world.said(owner.email)).toContain('We had been asked to release your messages in the name of Priya.');
  expect(await world.ownersRelease.askerRemoval(token)).toMatchObject({ firstName: 'Sam', contactName: 'Priya' });
  expect(await contactNames(owner), 'looking changes nothing').toEqual(['Priya Shah', 'Tom Shah', 'Una Shah']);

  const before = (await world.rowOf(owner.userId)).lastCheckinAt;
  expect(await world.ownersRelease.removeAsker(token, nowhere)).toEqual({ contactName: 'Priya' });
  expect(await contactNames(owner)).toEqual(['Tom Shah', 'Una Shah']);
  expect((await world.rowOf(owner.userId)).lastCheckinAt, 'it is no activity').toEqual(before);
  expect((await world.auditOf(owner)).at(-1)).toBe('contact.delete_by_link');
  await world.live(0.1);
  expect(world.subjects(owner.email).at(-1)).toBe('Priya Shah is no longer your trusted contact');
  await expect(world.ownersRelease.removeAsker(token, nowhere)).rejects.toMatchObject({ type: 'NOT_FOUND' });
});

test('the mail about a sign-in that ends an early request offers the removal too', async () => {
  const owner = await world.newOwner();
  const priya = await world.befriend(owner, 'Priya');
  for (const name of ['Tom', 'Una']) await world.befriend(owner, name);
  await world.write(owner, 'nell@post.example');
  await world.live(4);
  expect(await ask(owner, priya)).toBeNull();
  await world.live(0.1);
  await world.showLife(owner, 'login');
  await world.live(0.1);
  expect(world.said(owner.email)).toContain('We had been asked to release your messages in the name of Priya.');
  expect(world.said(owner.email)).not.toContain('Priya cannot ask again');
  const token = world.linkIn(owner.email, '/remove-contact/');
  expect(await world.ownersRelease.askerRemoval(token)).toMatchObject({ firstName: 'Sam', contactName: 'Priya' });
  expect(await world.ownersRelease.removeAsker(token, nowhere)).toEqual({ contactName: 'Priya' });
  expect(await contactNames(owner)).toEqual(['Tom Shah', 'Una Shah']);
});

test.each([
  [1, ['Tom']],
  [3, ['Tom', 'Una']],
])(
  'the link takes a sign-in if fewer than two contacts or than the %i who must confirm would be left',
  async (quorum, others) => {
    const { owner, token } = await stopped(...others);
    await world.db.update(users).set({ releaseQuorum: quorum }).where(eq(users.id, owner.userId));
    const message = 'Too few trusted contacts would be left. To remove this one, please sign in.';
    await expect(world.ownersRelease.removeAsker(token, nowhere)).rejects.toMatchObject({ type: 'FORBIDDEN', message });
    expect(await contactNames(owner)).toHaveLength(others.length + 1);
  },
);

test('the link takes a sign-in if the contact is the only one', async () => {
  const { owner, token } = await stopped();
  const refused = { type: 'FORBIDDEN', message: 'This is your only trusted contact. To remove them, please sign in.' };
  await expect(world.ownersRelease.removeAsker(token, nowhere)).rejects.toMatchObject(refused);
  expect(await contactNames(owner)).toEqual(['Priya Shah']);
});

test('the link takes a sign-in while contacts are asked, and ends after 30 days', async () => {
  const { owner, token } = await stopped('Tom', 'Una');
  await world.live(29);
  expect(await world.ownersRelease.askerRemoval(token)).toMatchObject({ contactName: 'Priya' });
  const tom = (await world.contacts.list(owner)).find(({ name }) => name === 'Tom Shah');
  expect(await ask(owner, { id: tom?.id ?? '', email: tom?.email ?? '' })).toBeNull();
  await expect(world.ownersRelease.removeAsker(token, nowhere)).rejects.toMatchObject({ type: 'FORBIDDEN' });
  await world.live(1);
  await expect(world.ownersRelease.askerRemoval(token)).rejects.toMatchObject({ type: 'NOT_FOUND' });
});

test('the mail about the end of a silence names no contact to remove', async () => {
  const owner = await world.newOwner();
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  await world.live(90.5);
  await world.ownersRelease.checkInByLink(world.linkIn(owner.email, '/check-in/'), nowhere);
  await world.live(0.1);
  expect(world.subjects(owner.email).at(-1)).toBe('Welcome back. Nothing was sent');
  expect(() => world.linkIn(owner.email, '/remove-contact/')).toThrow('No link');
});
