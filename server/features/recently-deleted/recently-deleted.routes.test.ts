import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deletedRowsMax } from '#server/features/deleted-rows/deleted-rows.service.ts';
import { removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { removeExpired } from '#server/features/retention/expiry.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { recentlyDeleted, recentlyDeletedFiles } from '#server/schema/recently-deleted.tables.ts';
import type { DeletedItem } from '#shared/contract/vault/recently-deleted.ts';
import { bytesPerMegabyte, type PlanName } from '#shared/rules/plans.ts';
import { recentlyDeletedDays } from '#shared/rules/retention.ts';
import { createEverkept, dayMs, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { samples, sendForm } from '#tests/support/forms.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

async function newOwner(plan: PlanName = 'premium'): Promise<Owner> {
  const owner = await everkept.signUp();
  await setPlan(owner, plan);
  return owner;
}

async function setPlan({ userId }: Owner, plan: PlanName): Promise<void> {
  await everkept.database.db.update(users).set({ plan }).where(eq(users.id, userId));
}

async function write({ browser }: Owner, title = 'For Nell'): Promise<string> {
  const recipients = [
    { name: 'Nell', relation: 'daughter', email: 'nell@example.com' },
    { name: 'Tom', relation: 'son', email: 'tom@example.com' },
  ];
  const body = { title, content: 'The blue tin.', status: 'ready', deliverOn: { months: 6 }, recipients };
  const answer = await browser.send('POST', '/api/messages', { body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

async function store({ browser }: Owner, content = samples.pdf): Promise<string> {
  const form = { fields: { name: 'My will', category: 'legal' }, file: { name: 'will.pdf', content } };
  const answer = await sendForm({ app: everkept.app, cookie: browser.cookie }, ['POST', '/api/documents'], form);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

const remove = ({ browser }: Owner, of: 'messages' | 'documents' | 'trusted-contacts', id: string) =>
  browser.send('DELETE', `/api/${of}/${id}`);
const restore = ({ browser }: Owner, kind: string, id: string) =>
  browser.send('POST', `/api/recently-deleted/${kind}/${id}/restore`);
const forget = ({ browser }: Owner, kind: string, id: string) =>
  browser.send('DELETE', `/api/recently-deleted/${kind}/${id}`);
const read = async <Item>({ browser }: Owner, path: string): Promise<Item[]> =>
  (await browser.send('GET', path)).json();
const listed = (owner: Owner) => read<DeletedItem>(owner, '/api/recently-deleted');

/** Moves all deletions of this owner back by this number of days. */
async function age({ userId }: Owner, days: number): Promise<void> {
  await everkept.database.db
    .update(recentlyDeleted)
    .set({ deletedAt: sql`${recentlyDeleted.deletedAt} - ${days} * interval '1 day'` })
    .where(eq(recentlyDeleted.userId, userId));
}

const filesLeft = async () => (await everkept.database.db.select().from(fileObjects)).length;

describe('a deleted thing', () => {
  test('is listed by what it is called, the newest first, until it is gone', async () => {
    const owner = await newOwner();
    expect(await listed(owner)).toEqual([]);
    const letter = await write(owner);
    const will = await store(owner);
    await remove(owner, 'messages', letter);
    await remove(owner, 'documents', will);
    const [newest, older] = await listed(owner);
    expect(newest).toMatchObject({ kind: 'document', id: will, title: 'My will' });
    expect(older).toMatchObject({ kind: 'message', id: letter, title: 'For Nell' });
    const keptMs = Date.parse(older?.goneAt ?? '') - Date.parse(older?.deletedAt ?? '');
    expect(keptMs).toBe(recentlyDeletedDays * dayMs);
    await age(owner, recentlyDeletedDays);
    expect(await listed(owner)).toEqual([]);
    expect((await restore(owner, 'message', letter)).statusCode).toBe(404);
  });

  test('is nowhere else: not in a list, not in a figure, not for a release', async () => {
    const owner = await newOwner();
    const letter = await write(owner);
    await remove(owner, 'messages', letter);
    expect(await read(owner, '/api/messages')).toEqual([]);
    expect((await owner.browser.send('GET', '/api/plan-limits')).json()).toMatchObject({ messages: { current: 0 } });
    expect((await owner.browser.send('GET', '/api/release')).json()).toMatchObject({
      readyMessages: 0,
      readyLetters: 0,
    });
    expect((await dumpRows(everkept.database)).join()).not.toContain('The blue tin');
  });

  test('is hidden from other owners, who can neither restore nor delete it', async () => {
    const owner = await newOwner();
    const other = await newOwner();
    const letter = await write(owner);
    await remove(owner, 'messages', letter);
    expect(await listed(other)).toEqual([]);
    expect((await restore(other, 'message', letter)).statusCode).toBe(404);
    expect((await forget(other, 'message', letter)).statusCode).toBe(404);
    expect((await restore(owner, 'document', letter)).statusCode).toBe(404);
    expect((await restore(owner, 'message', randomUUID())).statusCode).toBe(404);
    expect((await restore(owner, 'story', letter)).statusCode).toBe(404);
    expect(await listed(owner)).toHaveLength(1);
  });

  test('is removed automatically after its days, with its file', async () => {
    const owner = await newOwner();
    const will = await store(owner);
    await remove(owner, 'documents', will);
    const [kept] = await everkept.database.db
      .select()
      .from(recentlyDeletedFiles)
      .where(eq(recentlyDeletedFiles.deletedId, will));
    const isFileThere = () => everkept.database.db.$count(fileObjects, eq(fileObjects.path, kept?.filePath ?? ''));
    expect(await isFileThere()).toBe(1);
    await age(owner, recentlyDeletedDays + 1);
    await everkept.database.db.update(fileObjects).set({ createdAt: new Date(Date.now() - 40 * dayMs) });
    await removeExpired(everkept.opened, 'recently_deleted');
    await removeUnusedFiles(everkept.opened);
    expect(await everkept.database.db.$count(recentlyDeleted, eq(recentlyDeleted.userId, owner.userId))).toBe(0);
    expect(await isFileThere()).toBe(0);
  });

  test('is removed immediately if its owner requests it, with its file', async () => {
    const owner = await newOwner();
    const before = await filesLeft();
    const will = await store(owner);
    await remove(owner, 'documents', will);
    await removeUnusedFiles(everkept.opened);
    expect(await filesLeft()).toBe(before + 1);
    expect((await forget(owner, 'document', will)).statusCode).toBe(204);
    expect((await forget(owner, 'document', will)).statusCode).toBe(404);
    expect([await listed(owner), await filesLeft()]).toEqual([[], before]);
  });

  test('is deleted permanently only after a fresh sign-in', async () => {
    const owner = await newOwner();
    const id = await write(owner);
    expect((await remove(owner, 'messages', id)).statusCode).toBe(204);
    await everkept.database.db.execute(
      sql`update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = ${owner.userId}`,
    );
    const refused = await Promise.all(Array.from({ length: 100 }, () => forget(owner, 'message', id)));
    expect(new Set(refused.map(({ statusCode }) => statusCode))).toEqual(new Set([403]));
    expect(refused[0]?.json().type).toBe('REAUTHENTICATION_REQUIRED');
    expect(await listed(owner)).toMatchObject([{ id }]);
    await everkept.signIn(owner);
    expect((await forget(owner, 'message', id)).statusCode).toBe(204);
    expect(await listed(owner)).toEqual([]);
  });

  test('is at most the plan’s storage once more, and a hundred things: the oldest goes out first', async () => {
    const owner = await newOwner();
    const first = await store(owner);
    await remove(owner, 'documents', first);
    await everkept.database.db
      .update(recentlyDeleted)
      .set({ sizeBytes: 4_999 * bytesPerMegabyte })
      .where(eq(recentlyDeleted.id, first));
    const second = await write(owner);
    await remove(owner, 'messages', second);
    expect((await listed(owner)).map(({ id }) => id)).toEqual([second, first]);
    const large = await store(owner, Buffer.concat([samples.pdf, Buffer.alloc(1_200_000)]));
    await remove(owner, 'documents', large);
    expect((await listed(owner)).map(({ id }) => id)).toEqual([large, second]);

    const many = await newOwner();
    const ids: string[] = [];
    for (let count = 0; count < deletedRowsMax + 1; count += 1) ids.push(await write(many, `Letter ${count}`));
    for (const id of ids) await remove(many, 'messages', id);
    expect((await listed(many)).map(({ id }) => id)).toEqual(ids.slice(1).toReversed());
  });
});

describe('a restored letter', () => {
  test('has its old content, recipients and id', async () => {
    const owner = await newOwner();
    const id = await write(owner);
    const before = await read(owner, '/api/messages');
    await remove(owner, 'messages', id);
    expect((await restore(owner, 'message', id)).statusCode).toBe(204);
    expect(await read(owner, '/api/messages')).toEqual(before);
    expect(await listed(owner)).toEqual([]);
    expect((await restore(owner, 'message', id)).statusCode).toBe(404);
  });

  test('has its file', async () => {
    const owner = await newOwner();
    const form = {
      fields: { title: 'For Nell', content: 'The keys.', recipientEmail: 'nell@example.com' },
      file: { name: 'keys.txt', content: samples.txt },
    };
    const { app } = everkept;
    const made = await sendForm({ app, cookie: owner.browser.cookie }, ['POST', '/api/messages/with-attachment'], form);
    const { id } = made.json<{ id: string }>();
    await remove(owner, 'messages', id);
    await restore(owner, 'message', id);
    const file = await owner.browser.send('GET', `/api/messages/${id}/attachment`);
    expect(file.rawPayload.equals(samples.txt)).toBe(true);
  });

  test('must fit the plan, even if many are restored in parallel', async () => {
    const owner = await newOwner();
    const ids = [await write(owner, 'One'), await write(owner, 'Two'), await write(owner, 'Three')];
    for (const id of ids) await remove(owner, 'messages', id);
    await setPlan(owner, 'free');
    const answers = await Promise.all([...ids, ...ids, ...ids].map((id) => restore(owner, 'message', id)));
    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(2);
    expect(answers.filter(({ statusCode }) => statusCode === 403).length).toBeGreaterThan(0);
    expect(await listed(owner)).toHaveLength(1);
    expect(await read(owner, '/api/messages')).toHaveLength(2);
  });

  test('that had waited for its day returns as a draft', async () => {
    const owner = await newOwner();
    const id = await write(owner);
    await everkept.database.db.update(messages).set({ status: 'delivered' }).where(eq(messages.id, id));
    await remove(owner, 'messages', id);
    await restore(owner, 'message', id);
    expect(await read(owner, '/api/messages')).toMatchObject([{ id, status: 'draft' }]);
  });

  test('leaves a mark in the log, as its deletion did', async () => {
    const owner = await newOwner();
    const id = await write(owner);
    await remove(owner, 'messages', id);
    await restore(owner, 'message', id);
    await remove(owner, 'messages', id);
    await forget(owner, 'message', id);
    const { rows } = await everkept.database.db.execute<{ action: string }>(
      sql`select action from audit_logs where resource_id = ${id} order by id`,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'message.create',
      'message.delete',
      'message.restore',
      'message.delete',
      'message.forget',
    ]);
  });

  test('with a title that was changed in the database is listed without it', async () => {
    const owner = await newOwner();
    const id = await write(owner);
    await remove(owner, 'messages', id);
    await everkept.database.db
      .update(recentlyDeleted)
      .set({
        row: sql`${recentlyDeleted.row} || '{"title": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}'`,
      })
      .where(eq(recentlyDeleted.id, id));
    expect(await listed(owner)).toMatchObject([{ id, title: '', isDamaged: true }]);
  });
});

describe('a restored document', () => {
  test('is what it was, with its file', async () => {
    const owner = await newOwner();
    const id = await store(owner);
    const before = await read(owner, '/api/documents');
    await remove(owner, 'documents', id);
    expect((await restore(owner, 'document', id)).statusCode).toBe(204);
    expect(await read(owner, '/api/documents')).toEqual(before);
    const file = await owner.browser.send('GET', `/api/documents/${id}/download`);
    expect(file.rawPayload.equals(samples.pdf)).toBe(true);
  });

  test('stays deleted if the plan has no room for it', async () => {
    const owner = await newOwner();
    const id = await store(owner);
    await remove(owner, 'documents', id);
    await everkept.database.db
      .update(recentlyDeletedFiles)
      .set({ fileSize: 2 * bytesPerMegabyte })
      .where(eq(recentlyDeletedFiles.deletedId, id));
    await setPlan(owner, 'free');
    expect((await restore(owner, 'document', id)).json()).toMatchObject({ type: 'STORAGE_LIMIT_EXCEEDED' });
    expect(await listed(owner)).toHaveLength(1);
  });
});

describe('a restored contact', () => {
  const contactsOf = ({ userId }: Owner) =>
    everkept.database.db.select().from(trustedContacts).where(eq(trustedContacts.userId, userId));

  test('counts as one who has just accepted, and their links have expired', async () => {
    const owner = await newOwner();
    await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
    const token = everkept.tokenFor(`ada.${owner.email}`, '/trusted-contact-accept/');
    const [before] = await contactsOf(owner);
    const longAgo = new Date(Date.now() - 300 * dayMs);
    await everkept.database.db
      .update(trustedContacts)
      .set({ confirmedAt: longAgo, confirmedHealthyMs: 0 })
      .where(eq(trustedContacts.userId, owner.userId));
    await remove(owner, 'trusted-contacts', before?.id ?? '');
    expect(await listed(owner)).toMatchObject([{ kind: 'contact', title: 'Ada Shah' }]);
    expect((await restore(owner, 'contact', before?.id ?? '')).statusCode).toBe(204);

    const [after] = await contactsOf(owner);
    expect(after).toMatchObject({ id: before?.id, isActive: true, isConfirmed: true, confirmationToken: null });
    expect(Date.now() - (after?.confirmedAt?.getTime() ?? 0)).toBeLessThan(dayMs);
    expect(after?.confirmedHealthyMs).not.toBe(0);
    const link = await everkept.app.inject({ url: `/api/trusted-contact-invitation/${token}` });
    expect(link.statusCode).toBe(404);
  });

  test('without an answer is invited again', async () => {
    const owner = await newOwner();
    const body = { name: 'Ben Okri', email: `ben.${owner.email}` };
    const made = await owner.browser.send('POST', '/api/trusted-contacts', { body });
    await everkept.work();
    const first = everkept.tokenFor(body.email, '/trusted-contact-accept/');
    const { id } = made.json<{ id: string }>();
    await remove(owner, 'trusted-contacts', id);
    expect((await everkept.app.inject({ url: `/api/trusted-contact-invitation/${first}` })).statusCode).toBe(404);
    await restore(owner, 'contact', id);
    await everkept.work();
    const second = everkept.tokenFor(body.email, '/trusted-contact-accept/');
    expect(second).not.toBe(first);
    expect((await everkept.app.inject({ url: `/api/trusted-contact-invitation/${second}` })).statusCode).toBe(200);
  });

  test('is refused if their address belongs to another contact by now', async () => {
    const owner = await newOwner();
    const body = { name: 'Ben Okri', email: `ben.${owner.email}` };
    const made = await owner.browser.send('POST', '/api/trusted-contacts', { body });
    const { id } = made.json<{ id: string }>();
    await remove(owner, 'trusted-contacts', id);
    await owner.browser.send('POST', '/api/trusted-contacts', { body: { ...body, name: 'Ben' } });
    expect((await restore(owner, 'contact', id)).statusCode).toBe(409);
    expect(await listed(owner)).toHaveLength(1);
  });

  test('needs a fresh sign-in, as a new contact does', async () => {
    const owner = await newOwner();
    await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
    const [contact] = await contactsOf(owner);
    await remove(owner, 'trusted-contacts', contact?.id ?? '');
    await everkept.database.db.execute(
      sql`update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = ${owner.userId}`,
    );
    expect((await restore(owner, 'contact', contact?.id ?? '')).json()).toMatchObject({
      type: 'REAUTHENTICATION_REQUIRED',
    });
  });
});

test('no column of the three tables is lost on the way there and back', async () => {
  const owner = await newOwner();
  const id = await write(owner);
  const { db } = everkept.database;
  const rows = async () => [
    await db.select().from(messages).where(eq(messages.id, id)),
    await db.select().from(messageRecipients).where(eq(messageRecipients.messageId, id)),
  ];
  const before = await rows();
  await remove(owner, 'messages', id);
  expect(await rows()).toEqual([[], []]);
  await restore(owner, 'message', id);
  expect(await rows()).toEqual(before);
});
