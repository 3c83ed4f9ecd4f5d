import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminUser } from '#shared/contract/admin.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
/** Two sessions of the same administrator. */
let desks: [Owner, Owner];

beforeAll(async () => {
  everkept = await createEverkept();
  const administrator = await everkept.signUp({ email: adminEmail });
  const elsewhere = { ...administrator, browser: createBrowser(everkept.app) };
  await everkept.signIn(elsewhere);
  desks = [administrator, elsewhere];
});
afterAll(() => everkept.close());

const ask = (query: string) => desks[0].browser.send('GET', `/api/admin/users-temp?${query}`);

describe('an invalid request for the list of users', () => {
  const unread = 'Something is missing or cannot be read.';

  test.each([
    ['an empty cursor', 'after=', unread],
    ['a cursor that is no id', 'after=page-2', unread],
    ['a cursor of SQL', "after=' or 1=1 --", unread],
    ['a cursor of NUL', 'after=%00', unread],
    ['two cursors', 'after=00000000-0000-4000-8000-000000000000&after=x', unread],
    ['an unknown order', 'sort=password', unread],
    ['an order that every object has', 'sort=constructor', unread],
    ['an empty order', 'sort=', unread],
    ['an unknown direction', 'direction=asc;drop table users', unread],
    ['NUL in a search', 'search=%00', 'This contains a character that cannot be stored'],
    ['a search of 10,000 letters', `search=${'x'.repeat(10_000)}`, 'Please keep this to 100 characters'],
    ['two searches', 'search=a&search=b', unread],
  ])('%s is refused with a sentence', async (_, query, message) => {
    const answer = await ask(query);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { type: 'VALIDATION', message }]);
  });

  test.each([
    // The list has no page numbers, so none can be out of range.
    ['a negative page', 'page=-1'],
    ['a page beyond all numbers', 'page=1e309&limit=1000000'],
    ['white space', 'search=%20%20'],
    ['SQL', `search=${encodeURIComponent("' or ''='")}`],
    ['a hundred wildcards', `search=${'%25'.repeat(100)}`],
    ['the same letter fifty times', `search=${'a%20'.repeat(50)}`],
    ['characters that turn the line', 'search=%E2%80%AE%F0%9F%95%AF'],
    ['bytes that are no text', 'search=%FF%FE'],
  ])('%s does no harm', async (_, query) => {
    const answer = await ask(query);
    expect(answer.statusCode).toBe(200);
    // The administrator is the only account so far.
    expect(answer.json<AdminUser[]>().length).toBeLessThanOrEqual(1);
  });
});

describe('two requests in parallel', () => {
  const atOnce = (method: 'PUT' | 'POST' | 'DELETE', url: string, body?: object) =>
    Promise.all(desks.map(({ browser }) => browser.send(method, url, body ? { body } : {})));
  const statuses = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode).sort();
  const actsOn = async (userId: string) => {
    const { rows } = await everkept.database.db.execute<{ action: string }>(sql`
      select action from audit_logs where user_id = ${userId} and action like 'admin.%' order by position`);
    return rows.map(({ action }) => action);
  };
  const plain = { plan: 'premium', role: 'user', isEmailVerified: true };

  test('that verify one user write one entry', async () => {
    const owner = await everkept.signUp({ isVerified: false });
    expect(statuses(await atOnce('POST', `/api/admin/verify-user/${owner.userId}`))).toEqual([200, 200]);
    expect(await actsOn(owner.userId)).toEqual(['admin.user_verify']);
  });

  test('that delete one user begin one deletion, email once, and write one entry', async () => {
    const owner = await everkept.signUp();
    everkept.mailer.clear();
    expect(statuses(await atOnce('DELETE', `/api/admin/users/${owner.userId}`))).toEqual([204, 204]);
    await everkept.work();
    expect(everkept.mailer.sent.filter(({ to }) => to.address === owner.email)).toHaveLength(1);
    expect(await actsOn(owner.userId)).toEqual(['admin.user_delete']);
  });

  test('that edit and delete one user both happen, one after the other, with an entry each', async () => {
    const owner = await everkept.signUp();
    const url = `/api/admin/users/${owner.userId}`;
    const answers = await Promise.all([
      desks[0].browser.send('PUT', url, { body: plain }),
      desks[1].browser.send('DELETE', url),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 204]);
    expect((await actsOn(owner.userId)).toSorted()).toEqual(['admin.user_delete', 'admin.user_update']);
    const [shown] = (await ask(`search=${owner.email}`)).json<AdminUser[]>();
    expect(shown).toMatchObject({ plan: 'premium', deletesAt: expect.any(String) });
  });

  test('that make an equal change of one user write one entry', async () => {
    const owner = await everkept.signUp();
    expect(statuses(await atOnce('PUT', `/api/admin/users/${owner.userId}`, plain))).toEqual([200, 200]);
    expect(await actsOn(owner.userId)).toEqual(['admin.user_update']);
  });

  test('that open an account for one address open one, and the other gets the reason', async () => {
    const email = 'wanted.twice@people.example';
    const form = { email, password: 'a bag of eleven limes', firstName: 'Nia', lastName: 'Reed' };
    const answers = await atOnce('POST', '/api/admin/users', form);
    expect(statuses(answers)).toEqual([201, 409]);
    const [opened, ...others] = (await ask(`search=${email}`)).json<AdminUser[]>();
    expect(others).toEqual([]);
    expect(await actsOn(opened?.id ?? '')).toEqual(['admin.user_create']);
    everkept.mailer.clear();
    await everkept.work();
    expect(everkept.mailer.sent.filter(({ to }) => to.address === email)).toHaveLength(1);
  });
});
