import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nowhere } from '#server/features/messages/vault.test-world.ts';
import { refusal } from '#tests/support/refusal.ts';
import { type ContactsWorld, createContactsWorld, input, newAddress } from './contacts.test-world.ts';

let world: ContactsWorld;

beforeAll(async () => {
  world = await createContactsWorld();
});

afterAll(() => world.close());

test('a contact that is created twice under one key spends one invitation', async () => {
  const owner = await world.newOwner();
  const call = { principal: owner, origin: nowhere, changeKey: randomUUID() };
  const contact = { ...input, email: newAddress() };
  world.spent.length = 0;
  const created = await world.contacts.create(call, contact);
  expect(await world.contacts.create(call, contact)).toEqual(created);
  expect(world.spent).toEqual([`contact-invitations ${owner.userId}`]);
});

describe('changing a contact', () => {
  test('name, phone and relationship change and the yes stays', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.addAccepted(owner);
    world.clock.advance(1_000);
    const change = { name: 'Priya Patel', phone: null, relationship: 'Friend', email };
    const changed = await world.change(owner, id, change);

    expect(changed).toMatchObject({ ...change, isConfirmed: true, updatedAt: await world.clock.now() });
    expect(await world.contacts.list(owner)).toEqual([changed]);
    // The invitation, and what they keep of their yes.
    expect(await world.mailsTo(email)).toHaveLength(2);
  });

  test('a new address starts over: no yes, the old link is dead, and a new invitation goes there', async () => {
    const owner = await world.newOwner();
    const { id, token } = await world.addAccepted(owner);
    const email = newAddress();
    const changed = await world.change(owner, id, { email });

    expect(changed).toMatchObject({ email, isConfirmed: false, confirmedAt: null });
    expect(await refusal(world.contacts.readInvitation(token))).toMatchObject({ status: 404 });
    expect(await refusal(world.answer(token, true))).toMatchObject({ status: 404 });
    expect(await world.contacts.confirmedContacts(world.db, owner.userId)).toEqual([]);
    expect(await world.answer(await world.tokenOf(email), true)).toMatchObject({ contactId: id, isConfirmed: true });
  });

  test('an invitation that is still on its way to an old address is taken back', async () => {
    const owner = await world.newOwner();
    const { id, email: old } = await world.add(owner);
    await world.change(owner, id, { email: newAddress() });
    expect(await world.mailsTo(old)).toEqual([]);
  });

  test('a no is forgotten with the address that gave it', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner);
    await world.answer(await world.tokenOf(email), false);
    expect(await world.change(owner, id, { email: newAddress() })).toMatchObject({ hasDeclined: false });
  });

  test('an address of another contact is refused', async () => {
    const owner = await world.newOwner();
    const [one, other] = [await world.add(owner), await world.add(owner)];
    expect(await refusal(world.change(owner, one.id, { email: other.email }))).toMatchObject({ type: 'CONFLICT' });
    expect((await world.rowOfContact(one.id)).email).toBe(one.email);
  });

  test('a change from an old version spends no invitation', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner);
    const change = { email: newAddress(), version: randomUUID() };
    world.spent.length = 0;
    expect(await refusal(world.change(owner, id, change))).toMatchObject({ type: 'CHANGED_ELSEWHERE' });
    expect(world.spent).toEqual([]);
    expect((await world.rowOfContact(id)).email).toBe(email);
  });

  test('switched off, a contact keeps their yes and no longer counts; switched on, they count again', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.addAccepted(owner);
    await world.change(owner, id, { email, isActive: false });
    expect(await world.contacts.confirmedContacts(world.db, owner.userId)).toEqual([]);
    await world.change(owner, id, { email, isActive: true });
    expect(await world.contacts.confirmedContacts(world.db, owner.userId)).toMatchObject([{ id }]);
    expect(await world.mailsTo(email)).toHaveLength(2);
  });

  test('switched off before they answered, their link is dead; switched on, they get a new one', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner);
    const token = await world.tokenOf(email);
    await world.change(owner, id, { email, isActive: false });
    expect(await refusal(world.answer(token, true))).toMatchObject({ status: 404 });
    await world.change(owner, id, { email, isActive: true });
    expect(await world.answer(await world.tokenOf(email), true)).toMatchObject({ isConfirmed: true });
  });

  test('switched on again, somebody who declined is not asked again by that', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner);
    await world.answer(await world.tokenOf(email), false);
    await world.change(owner, id, { email, isActive: false });
    await world.change(owner, id, { email, isActive: true });
    expect(await world.mailsTo(email)).toHaveLength(1);
  });
});

test('removing a contact ends everything, also an invitation that is still on its way', async () => {
  const owner = await world.newOwner();
  const accepted = await world.addAccepted(owner);
  const waiting = await world.add(owner);
  await world.remove(owner, accepted.id);
  await world.remove(owner, waiting.id);

  expect(await world.contacts.list(owner)).toEqual([]);
  expect(await world.mailsTo(waiting.email)).toEqual([]);
  expect(await refusal(world.contacts.readInvitation(accepted.token))).toMatchObject({ status: 404 });
});
