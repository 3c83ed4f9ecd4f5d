import { randomUUID } from 'node:crypto';
import { asc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markVerified } from '#server/features/accounts/activity.ts';
import { nowhere } from '#server/features/messages/vault.test-world.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { refusal } from '#tests/support/refusal.ts';
import { type ContactsWorld, createContactsWorld, input, newAddress } from './contacts.test-world.ts';
import { createContact, listContacts } from './contacts.ts';

let world: ContactsWorld;

beforeAll(async () => {
  world = await createContactsWorld();
});

afterAll(() => world.close());

describe('naming somebody', () => {
  test('gives the contact back, invites them, and they are on the list', async () => {
    const owner = await world.newOwner();
    const at = await world.clock.now();
    const email = newAddress();
    const made = await world.add(owner, { email });

    expect(made).toEqual({
      ...input,
      id: expect.any(String),
      email,
      isConfirmed: false,
      seesFirstWeeks: false,
      hasDeclined: false,
      confirmationSentAt: at,
      invitationLeavesAt: null,
      confirmedAt: null,
      word: null,
      createdAt: at,
      updatedAt: at,
      version: expect.any(String),
    });
    expect(await world.contacts.list(owner)).toEqual([made]);
    expect(await world.mailsTo(email)).toHaveLength(1);
    expect(world.spent).toContain(`contact-invitations ${owner.userId}`);
  });

  test('stores no word of name, phone and relationship, and no token', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner);
    const token = await world.tokenOf(email);
    const { rows } = await world.db.execute<{ row: string }>(
      sql`select c::text as row from trusted_contacts c where id = ${id}`,
    );
    for (const word of ['Priya', 'Shah', '7700900123', 'Sister', token]) expect(rows[0]?.row).not.toContain(word);
    expect(rows[0]?.row).toContain(email);
  });

  test('phone and relationship may be left out', async () => {
    const owner = await world.newOwner();
    const made = await world.add(owner, { phone: null, relationship: null });
    expect(await world.contacts.list(owner)).toEqual([made]);
    expect(made).toMatchObject({ phone: null, relationship: null });
  });

  test('one person cannot be named twice, not even by twenty requests at once', async () => {
    const owner = await world.newOwner();
    const email = newAddress();
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => world.add(owner, { email })));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of tries) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ type: 'CONFLICT', status: 409 });
    }
    expect(await world.mailsTo(email)).toHaveLength(1);
  });

  test('two owners may name the same person', async () => {
    const email = newAddress();
    await world.add(await world.newOwner(), { email });
    await world.add(await world.newOwner(), { email });
    expect(await world.mailsTo(email)).toHaveLength(2);
  });

  test('an owner cannot be their own contact', async () => {
    const owner = await world.newOwner();
    const { email } = await world.rowOf(owner.userId);
    expect(await refusal(world.add(owner, { email }))).toMatchObject({
      type: 'VALIDATION',
      status: 400,
      details: { issues: [{ path: 'email', message: expect.any(String) }] },
    });
    const { id } = await world.add(owner);
    expect(await refusal(world.change(owner, id, { email }))).toMatchObject({ type: 'VALIDATION' });
  });

  test('there is a limit, which thirty requests at once cannot pass', async () => {
    const owner = await world.newOwner();
    const tries = await Promise.allSettled(Array.from({ length: 30 }, () => world.add(owner)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(contactsMax);
    expect(await refusal(world.add(owner))).toMatchObject({
      type: 'CONFLICT',
      details: { current: contactsMax, limit: contactsMax },
    });
  });

  test('somebody who is named but switched off is not written to until they are switched on', async () => {
    const owner = await world.newOwner();
    const { id, email } = await world.add(owner, { isActive: false });
    expect(await world.mailsTo(email)).toEqual([]);
    const changed = await world.change(owner, id, { email, isActive: true });
    expect(changed.confirmationSentAt).not.toBeNull();
    expect(await world.mailsTo(email)).toHaveLength(1);
  });

  test('more invitations in a day than the budget holds are refused, and nothing is written', async () => {
    const owner = await world.newOwner();
    const spend = async () => {
      throw new Error('spent');
    };
    const app = { ...world.app, limits: { ...world.app.limits, spend } };
    await expect(createContact(app, { principal: owner, origin: nowhere, body: input })).rejects.toThrow('spent');
    expect(await world.contacts.list(owner)).toEqual([]);
  });
});

describe('before the owner’s address is verified', () => {
  test('one person may be named, even if two requests come at once', async () => {
    const owner = await world.newOwner({ emailVerified: false });
    const tries = await Promise.allSettled([world.add(owner), world.add(owner)]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await refusal(world.add(owner))).toMatchObject({ type: 'EMAIL_VERIFICATION_REQUIRED', status: 403 });
  });

  test('nobody is written to; the held invitation goes out when the address is verified, once', async () => {
    const owner = await world.newOwner({ emailVerified: false });
    const { email, confirmationSentAt } = await world.add(owner);
    expect(confirmationSentAt).toBeNull();
    expect(await world.mailsTo(email)).toEqual([]);

    world.clock.advance(dayMs);
    const verified = await world.verify(owner);
    expect(await world.mailsTo(email)).toHaveLength(1);
    expect(await world.contacts.list(verified)).toMatchObject([{ confirmationSentAt: await world.clock.now() }]);
    await world.verify(owner);
    expect(await world.mailsTo(email)).toHaveLength(1);
    expect(await world.answer(await world.tokenOf(email), true)).toMatchObject({ isConfirmed: true });
  });

  test('a verification that is undone sends nothing', async () => {
    const owner = await world.newOwner({ emailVerified: false });
    const { email } = await world.add(owner);
    const undone = world.db.transaction(async (tx) => {
      await markVerified(world.app, tx, owner.userId, await world.clock.now(tx));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await world.mailsTo(email)).toEqual([]);
    expect(await world.contacts.list(owner)).toMatchObject([{ confirmationSentAt: null }]);
  });

  test('somebody who is switched off is not written to at verification either', async () => {
    const owner = await world.newOwner({ emailVerified: false });
    const { email } = await world.add(owner, { isActive: false });
    await world.verify(owner);
    expect(await world.mailsTo(email)).toEqual([]);
  });
});

test('the contact of somebody else and one that never was are refused in the same words', async () => {
  const [owner, stranger] = [await world.newOwner(), await world.newOwner()];
  const { id } = await world.add(owner);
  const calls = (wanted: string) => [
    world.change(stranger, wanted, { email: newAddress() }),
    world.remove(stranger, wanted),
    world.resend(stranger, wanted),
  ];
  const foreign = await Promise.all(calls(id).map(refusal));
  const missing = await Promise.all(calls(randomUUID()).map(refusal));

  for (const [index, error] of foreign.entries()) {
    expect(error.status).toBe(404);
    expect({ ...error, message: error.message }).toEqual({ ...missing[index], message: missing[index]?.message });
  }
  expect(await world.contacts.list(stranger)).toEqual([]);
  expect(await world.contacts.list(owner)).toHaveLength(1);
});

test('every change is a sign of life and leaves a trace without name or address', async () => {
  const owner = await world.newOwner();
  const { id, email } = await world.add(owner);
  world.clock.advance(dayMs);
  await world.change(owner, id, { email });
  await world.resend(owner, id);
  const lastSign = (await world.rowOf(owner.userId)).lastCheckinAt;
  expect(lastSign).toEqual(await world.clock.now());

  world.clock.advance(dayMs);
  await world.answer(await world.tokenOf(email), true);
  expect((await world.rowOf(owner.userId)).lastCheckinAt).toEqual(lastSign);
  await world.remove({ ...owner, authenticatedAt: await world.clock.now() }, id);
  expect((await world.rowOf(owner.userId)).lastCheckinAt).toEqual(await world.clock.now());

  const rows = await world.db
    .select()
    .from(auditLogs)
    .where(eq(auditLogs.userId, owner.userId))
    .orderBy(asc(auditLogs.position));
  expect(rows.map(({ action, resourceId, details }) => [action, resourceId, details])).toEqual([
    ['contact.create', id, null],
    ['contact.update', id, { addressChanged: false, isActive: true }],
    ['contact.invite', id, null],
    ['contact.accept', id, null],
    ['contact.delete', id, null],
  ]);
});

describe('for a release', () => {
  test('only contacts who are active and confirmed are given, opened and oldest first', async () => {
    const owner = await world.newOwner();
    const first = await world.addAccepted(owner, { name: 'First' });
    const confirmedAt = await world.clock.now();
    world.clock.advance(1_000);
    await world.add(owner, { name: 'Silent' });
    const second = await world.addAccepted(owner, { name: 'Second', phone: null });
    await world.addAccepted(await world.newOwner());

    expect(await world.contacts.confirmedContacts(world.db, owner.userId)).toEqual([
      {
        id: first.id,
        name: 'First',
        email: first.email,
        phone: input.phone,
        confirmedAt,
        seesFirstWeeks: false,
        confirmedHealthyMs: 0,
      },
      {
        id: second.id,
        name: 'Second',
        email: second.email,
        phone: null,
        confirmedAt: await world.clock.now(),
        seesFirstWeeks: false,
        confirmedHealthyMs: 0,
      },
    ]);
    expect(await world.contacts.confirmedContacts(world.db, randomUUID())).toEqual([]);
  });
});

test('the list is newest first, and one statement', async () => {
  const owner = await world.newOwner();
  for (const name of ['one', 'two', 'three']) await world.add(owner, { name });
  const statements: string[] = [];
  const db = drizzle({ client: world.pool, logger: { logQuery: (query) => statements.push(query) } });
  const contacts = await listContacts({ ...world.app, db }, { principal: owner });
  expect(contacts.map(({ name }) => name)).toEqual(['three', 'two', 'one']);
  expect(statements).toHaveLength(1);
});

test('a stored value that was moved to another column, contact or owner is refused', async () => {
  const owner = await world.newOwner();
  const stranger = await world.newOwner();
  const [one, other] = [await world.add(owner), await world.add(owner)];
  const foreign = await world.rowOfContact((await world.add(stranger)).id);
  const [mine, second] = [await world.rowOfContact(one.id), await world.rowOfContact(other.id)];

  const swaps = [
    { name: mine.relationship ?? '' },
    { phone: mine.name },
    { relationship: mine.phone },
    { name: second.name },
    { name: foreign.name },
    { phone: foreign.phone },
    { name: 'Priya Shah' },
  ];
  for (const swap of swaps) {
    await world.db.update(trustedContacts).set(swap).where(eq(trustedContacts.id, one.id));
    const damaged = (await world.contacts.list(owner)).filter(({ isDamaged }) => isDamaged);
    expect(damaged).toMatchObject([{ id: one.id, name: one.email, phone: null, relationship: null }]);
    const { name, phone, relationship } = mine;
    await world.db.update(trustedContacts).set({ name, phone, relationship }).where(eq(trustedContacts.id, one.id));
  }
  expect(await world.contacts.list(owner)).toHaveLength(2);
});
