import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { messageDrafts } from '#server/schema/drafts.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { draftBytesMax, draftsMax, type LetterDraft } from '#shared/contract/letters/drafts.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const keep = ({ browser }: Owner, content: string, version: number, key = 'new') =>
  browser.send('PUT', `/api/drafts/${key}`, { body: { content, version } });

const forget = ({ browser }: Owner, query = '', key = 'new') => browser.send('DELETE', `/api/drafts/${key}${query}`);

async function kept({ browser }: Owner): Promise<LetterDraft[]> {
  const answer = await browser.send('GET', '/api/drafts');
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

async function newLetter({ browser }: Owner, title = 'For Nell'): Promise<string> {
  const body = { title, content: 'Dear Nell', recipientEmail: 'nell@example.com' };
  const answer = await browser.send('POST', '/api/messages', { body });
  expect(answer.statusCode).toBe(201);
  return answer.json<{ id: string }>().id;
}

async function lastActivity({ userId }: Owner) {
  const [row] = await everkept.database.db.select({ at: users.lastCheckinAt }).from(users).where(eq(users.id, userId));
  return row?.at;
}

describe('a draft', () => {
  test('is there for another device, with a version that counts its changes', async () => {
    const owner = await everkept.signUp();
    expect(await kept(owner)).toEqual([]);
    const first = await keep(owner, 'Dear', 0);
    expect([first.statusCode, first.json()]).toEqual([200, { key: 'new', version: 1, updatedAt: expect.any(String) }]);
    expect((await keep(owner, 'Dear Nell', 1)).json()).toMatchObject({ version: 2 });
    expect(await kept(owner)).toEqual([
      { key: 'new', content: 'Dear Nell', version: 2, updatedAt: expect.any(String) },
    ]);
  });

  test('from two devices in parallel is the first one’s, and the other gets a conflict', async () => {
    const owner = await everkept.signUp();
    await keep(owner, 'Dear', 0);
    await keep(owner, 'Dear Nell, by phone', 1);
    const late = await keep(owner, 'Dear Nell, by laptop', 1);
    expect([late.statusCode, late.json()]).toEqual([
      409,
      { type: 'CONFLICT', message: 'This letter was changed on another device in the meantime.' },
    ]);
    expect(await kept(owner)).toMatchObject([{ content: 'Dear Nell, by phone', version: 2 }]);
  });

  test('is stored once if many devices begin it at the same moment', async () => {
    const owner = await everkept.signUp();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, count) => keep(owner, `Dear ${count}`, 0)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(99);
    expect(await kept(owner)).toMatchObject([{ version: 1 }]);
  });

  test("is deleted by its current version only, and not by another device's older one", async () => {
    const owner = await everkept.signUp();
    await keep(owner, 'Dear', 0);
    await keep(owner, 'Dear Nell', 1);
    expect((await forget(owner, '?version=1')).statusCode).toBe(409);
    expect(await kept(owner)).toHaveLength(1);
    expect((await forget(owner, '?version=2')).statusCode).toBe(204);
    expect(await kept(owner)).toEqual([]);
    expect((await forget(owner)).statusCode).toBe(204);
    // A device that continues an older version does not start a new draft automatically.
    expect((await keep(owner, 'Dear Nell, and', 2)).statusCode).toBe(409);
  });

  test('is no sign of life, and nothing in the audit log', async () => {
    const owner = await everkept.signUp();
    const rows = async () =>
      (
        await everkept.database.db.execute(
          sql`select count(*)::int as n from audit_logs where user_id = ${owner.userId}`,
        )
      ).rows;
    const before = [await lastActivity(owner), await rows()];
    await keep(owner, 'Dear Nell', 0);
    await forget(owner);
    expect([await lastActivity(owner), await rows()]).toEqual(before);
  });

  test('is not readable in the database', async () => {
    const owner = await everkept.signUp();
    await keep(owner, 'Canary of a draft', 0);
    expect((await dumpRows(everkept.database)).join()).not.toContain('Canary of a draft');
  });

  test('that was changed in the database is empty and marked, and its device’s own copy replaces it', async () => {
    const owner = await everkept.signUp();
    await keep(owner, 'Dear Nell', 0);
    const { db } = everkept.database;
    await db
      .update(messageDrafts)
      .set({ content: sql`overlay(content placing 'xxxx' from 30)` })
      .where(eq(messageDrafts.userId, owner.userId));
    expect(await kept(owner)).toMatchObject([{ content: '', version: 1, isDamaged: true }]);
    expect((await keep(owner, 'Dear Nell', 1)).statusCode).toBe(200);
    expect(await kept(owner)).toMatchObject([{ content: 'Dear Nell', version: 2 }]);
  });

  test.each([
    ['x'.repeat(draftBytesMax), 200],
    ['x'.repeat(draftBytesMax + 1), 400],
    ['é'.repeat(draftBytesMax / 2 + 1), 400],
    ['a\0b', 400],
    ['\ud800', 400],
    ['', 200],
  ])('has a length that fits, in text that can be stored (%#)', async (content, statusCode) => {
    expect((await keep(await everkept.signUp(), content, 0)).statusCode).toBe(statusCode);
  });

  test.each(['-1', '1.5', 'one', ''])('has whole numbers as versions, and “%s” is refused', async (version) => {
    const owner = await everkept.signUp();
    expect((await forget(owner, `?version=${version}`)).statusCode).toBe(version === '' ? 204 : 400);
    expect((await keep(owner, 'Dear', version as never)).statusCode).toBe(400);
  });
});

describe('the draft of a letter that is saved already', () => {
  test('is stored beside it, each under its own key, the newest first, and is deleted with it', async () => {
    const owner = await everkept.signUp();
    const id = await newLetter(owner);
    await keep(owner, 'A new one', 0);
    expect((await keep(owner, 'Dear Nell, and', 0, id)).statusCode).toBe(200);
    expect((await kept(owner)).map(({ key }) => key)).toEqual([id, 'new']);
    const one = await owner.browser.send('GET', `/api/drafts?key=${id}`);
    expect(one.json()).toMatchObject([{ key: id, content: 'Dear Nell, and' }]);
    expect((await owner.browser.send('GET', '/api/drafts?key=other')).statusCode).toBe(400);
    expect((await owner.browser.send('DELETE', `/api/messages/${id}`)).statusCode).toBeLessThan(300);
    expect((await kept(owner)).map(({ key }) => key)).toEqual(['new']);
  });

  test('is kept for no letter of another owner, and for no missing letter', async () => {
    const owner = await everkept.signUp();
    const id = await newLetter(await everkept.signUp());
    for (const key of [id, randomUUID()]) {
      const answer = await keep(owner, 'Dear', 0, key);
      expect(answer.statusCode).toBe(404);
      expect((await forget(owner, '', key)).statusCode).toBe(204);
    }
    expect((await keep(owner, 'Dear', 0, 'other')).statusCode).toBe(404);
  });

  test('is refused for a sealed letter, whose words stay on the device, and for a delivered one', async () => {
    const owner = await everkept.signUp();
    const id = await newLetter(owner);
    const { db } = everkept.database;
    await db.update(messages).set({ encryptedContent: 'sealed' }).where(eq(messages.id, id));
    expect((await keep(owner, 'Dear', 0, id)).json()).toMatchObject({
      type: 'FORBIDDEN',
      message: 'The words of a sealed letter stay on your device.',
    });
    await db.update(messages).set({ encryptedContent: null, status: 'delivered' }).where(eq(messages.id, id));
    expect((await keep(owner, 'Dear', 0, id)).statusCode).toBe(409);
  });
});

test('an owner has at most fifty, even after a hundred requests in parallel', async () => {
  const owner = await everkept.signUp();
  await everkept.database.db.update(users).set({ plan: 'lifetime' }).where(eq(users.id, owner.userId));
  const ids: string[] = [];
  for (let count = 0; count < draftsMax + 10; count += 1) ids.push(await newLetter(owner, `Letter ${count}`));
  const answers = await Promise.all(ids.map((id) => keep(owner, 'Dear', 0, id)));
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  expect(refused).toHaveLength(10);
  expect(refused[0]?.json()).toMatchObject({ type: 'FORBIDDEN', current: draftsMax, limit: draftsMax });
  expect(await kept(owner)).toHaveLength(draftsMax);
  const known = (await kept(owner))[0]?.key;
  expect((await keep(owner, 'Dear Nell', 1, known)).statusCode).toBe(200);
});

test('an owner with an unverified address keeps drafts on the device only', async () => {
  const owner = await everkept.signUp();
  await everkept.database.db.update(users).set({ emailVerified: false }).where(eq(users.id, owner.userId));
  expect((await keep(owner, 'Dear', 0)).statusCode).toBe(403);
});
