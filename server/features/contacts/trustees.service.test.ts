import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '#server/features/accounts/principal.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trusteeRelationships } from '#server/schema/contacts.tables.ts';
import { type ContactsWorld, createContactsWorld, newAddress } from './contacts.test-world.ts';

let world: ContactsWorld;

beforeAll(async () => {
  world = await createContactsWorld();
});

afterAll(() => world.close());

/** Owners for whom this account is trustee now; the flag on the account must say the same. */
async function trusteeOf({ userId }: Principal): Promise<string[]> {
  const rows = await world.db.select().from(trusteeRelationships).where(eq(trusteeRelationships.trusteeUserId, userId));
  const owners = rows.filter(({ isActive }) => isActive).map(({ ownerUserId }) => ownerUserId);
  expect((await world.rowOf(userId)).isTrustedContactAccount).toBe(owners.length > 0);
  return owners.sort();
}

async function twoPeople() {
  const email = newAddress();
  return { owner: await world.newOwner(), friend: await world.newOwner({ email }), email };
}

describe('a contact becomes trustee', () => {
  test('by accepting, when they have an account with that verified address', async () => {
    const { owner, friend, email } = await twoPeople();
    const { id } = await world.add(owner, { email });
    expect(await trusteeOf(friend)).toEqual([]);
    await world.answer(await world.tokenOf(email), true);

    expect(await trusteeOf(friend)).toEqual([owner.userId]);
    const [row] = await world.db
      .select()
      .from(trusteeRelationships)
      .where(eq(trusteeRelationships.trustedContactId, id));
    expect(row).toMatchObject({ trusteeUserId: friend.userId, ownerUserId: owner.userId, isActive: true });
  });

  test('not with an account that is merely verified, until its person has shown that they read the mail', async () => {
    const email = newAddress();
    const owner = await world.newOwner();
    const friend = await world.newOwner({ email, emailVerified: false });
    await world.addAccepted(owner, { email });
    expect(await trusteeOf(friend)).toEqual([]);
    await world.verify(friend);
    expect(await trusteeOf(friend)).toEqual([]);
    await world.prove(friend);
    expect(await trusteeOf(friend)).toEqual([owner.userId]);
  });

  test('and the mailbox is told what is missing, once, whether the account or the yes came first', async () => {
    const subjects = async (email: string) => (await world.mailsTo(email)).map(({ subject }) => subject);
    const missing = 'One step to being a trustee';
    const first = newAddress();
    await world.addAccepted(await world.newOwner(), { email: first });
    await world.verify(await world.newOwner({ email: first, emailVerified: false }));
    expect((await subjects(first)).filter((subject) => subject === missing)).toHaveLength(1);

    const second = newAddress();
    const friend = await world.newOwner({ email: second, isMailboxProven: false });
    const owner = await world.newOwner();
    const { id } = await world.addAccepted(owner, { email: second });
    await world.change(owner, id, { email: second, name: 'Priya S.' });
    expect((await subjects(second)).filter((subject) => subject === missing)).toHaveLength(1);
    expect(await trusteeOf(friend)).toEqual([]);
  });

  test('and owner and mailbox are told that it began, once, also where the contact was off for a while', async () => {
    const { owner, email } = await twoPeople();
    const { id } = await world.addAccepted(owner, { email, name: 'Priya Shah' });
    await world.change(owner, id, { email, isActive: false });
    await world.change(owner, id, { email, isActive: true });
    const ownersMail = (await world.rowOf(owner.userId)).email;
    const told = async (address: string) => (await world.mailsTo(address)).map(({ subject }) => subject);
    expect((await told(ownersMail)).filter((subject) => subject.includes('your trustee'))).toEqual([
      'Priya Shah is now your trustee',
    ]);
    expect((await told(email)).filter((subject) => subject.includes('trustee of'))).toEqual([
      'You are now a trustee of Sam Carter',
    ]);
  });

  test('when they open an account later, for everybody who named them and whom they answered', async () => {
    const email = newAddress();
    const owners = [await world.newOwner(), await world.newOwner(), await world.newOwner()];
    const [first, second, silent] = owners;
    if (!first || !second || !silent) throw new Error('There are three owners.');
    await world.addAccepted(first, { email });
    await world.addAccepted(second, { email });
    await world.add(silent, { email });
    const friend = await world.verify(await world.newOwner({ email, emailVerified: false }));
    await world.prove(friend);
    expect(await trusteeOf(friend)).toEqual([first.userId, second.userId].sort());
  });
});

describe('the relationship ends at once', () => {
  test.each([
    ['the contact is removed', async (owner: Principal, id: string) => world.remove(owner, id)],
    [
      'the contact is switched off',
      async (owner: Principal, id: string, email: string) => world.change(owner, id, { email, isActive: false }),
    ],
    ['the address changes', async (owner: Principal, id: string) => world.change(owner, id, { email: newAddress() })],
    [
      'the contact declines',
      async (_owner: Principal, _id: string, email: string) => world.answer(await world.tokenOf(email), false),
    ],
  ])('when %s', async (_, end) => {
    const { owner, friend, email } = await twoPeople();
    const other = await world.newOwner();
    await world.addAccepted(other, { email });
    const { id, token } = await world.addAccepted(owner, { email });
    expect(await trusteeOf(friend)).toEqual([owner.userId, other.userId].sort());
    expect(await world.tokenOf(email)).toBe(token);

    await end(owner, id, email);
    expect(await trusteeOf(friend)).toEqual([other.userId]);
  });

  test('and with the last one the account is no trustee’s any more', async () => {
    const { owner, friend, email } = await twoPeople();
    const { id } = await world.addAccepted(owner, { email });
    await world.remove(owner, id);
    expect(await trusteeOf(friend)).toEqual([]);
  });
});

test('switching a contact on again brings the relationship back', async () => {
  const { owner, friend, email } = await twoPeople();
  const { id } = await world.addAccepted(owner, { email });
  await world.change(owner, id, { email, isActive: false });
  expect(await trusteeOf(friend)).toEqual([]);
  await world.change(owner, id, { email, isActive: true });
  expect(await trusteeOf(friend)).toEqual([owner.userId]);
});

test('an address that moves to another account moves the relationship with it', async () => {
  const { owner, friend, email } = await twoPeople();
  const { id } = await world.addAccepted(owner, { email });
  const secondEmail = newAddress();
  const second = await world.newOwner({ email: secondEmail });
  await world.change(owner, id, { email: secondEmail });
  await world.answer(await world.tokenOf(secondEmail), true);
  expect(await trusteeOf(friend)).toEqual([]);
  expect(await trusteeOf(second)).toEqual([owner.userId]);
});

test('nobody becomes trustee of their own vault', async () => {
  const owner = await world.newOwner();
  const email = newAddress();
  const { id } = await world.addAccepted(owner, { email });
  await world.db.update(users).set({ email }).where(eq(users.id, owner.userId));
  await world.change(owner, id, { email });
  expect(await trusteeOf(owner)).toEqual([]);
});

test('two people who name each other change and answer at once without waiting for one another', async () => {
  const emails = [newAddress(), newAddress()] as const;
  const [one, other] = [await world.newOwner({ email: emails[0] }), await world.newOwner({ email: emails[1] })];
  const ones = await world.addAccepted(one, { email: emails[1] });
  const others = await world.addAccepted(other, { email: emails[0] });

  for (let round = 0; round < 20; round += 1) {
    await Promise.all([
      world.change(one, ones.id, { email: emails[1], isActive: round % 2 === 1 }),
      world.change(other, others.id, { email: emails[0], isActive: round % 2 === 1 }),
    ]);
  }
  expect(await trusteeOf(one)).toEqual([other.userId]);
  expect(await trusteeOf(other)).toEqual([one.userId]);
});
