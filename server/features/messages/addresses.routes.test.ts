import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recipientsMax } from '#shared/contract/letters/recipients.ts';
import { oldAddressesMax } from '#shared/rules/letters/old-addresses.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let owner: Owner;
beforeAll(async () => {
  everkept = await createEverkept();
});
beforeEach(async () => {
  owner = await everkept.signUp();
});
afterAll(() => everkept.close());

const [nell, tom] = ['nell@family.example', 'tom@family.example'];
const listed = async () =>
  (await owner.browser.send('GET', '/api/messages/addresses')).json<{ email: string; name: string | null }[]>();
const confirm = (email: string, by = owner) =>
  by.browser.send('POST', '/api/messages/addresses/confirm', { body: { email } });
const letter = { title: 'For Nell', content: 'Put the kettle on.', status: 'ready' };

async function aYearLater() {
  await everkept.jump(366);
  await everkept.signIn(owner);
}

describe('whether an address is still right', () => {
  test('is asked a year after it was written, once for all letters to it', async () => {
    const recipients = [
      { name: 'Nell', relation: 'my daughter', email: nell },
      { name: null, relation: null, email: tom },
    ];
    await owner.browser.send('POST', '/api/messages', { body: { ...letter, recipients } });
    await everkept.write(owner, { recipientEmail: nell });
    expect(await listed()).toEqual([]);
    await aYearLater();
    expect(
      (await listed()).map(({ email, name }) => ({ email, name })).toSorted((a, b) => (a.email < b.email ? -1 : 1)),
    ).toEqual([
      { email: nell, name: 'Nell' },
      { email: tom, name: null },
    ]);
  });

  test('is asked about the ten oldest addresses at a time, and then about the next ones', async () => {
    const plan = sql`update users set plan = 'premium' where id = ${owner.userId}`;
    await everkept.database.db.execute(plan);
    const reader = (number: number) => ({ name: null, relation: null, email: `reader-${number}@family.example` });
    for (let first = 0; first < 2 * recipientsMax; first += recipientsMax) {
      const recipients = Array.from({ length: recipientsMax }, (_, number) => reader(first + number));
      await owner.browser.send('POST', '/api/messages', { body: { ...letter, recipients } });
      await everkept.jump(1);
    }
    await aYearLater();
    const [first] = await listed();
    expect(await listed()).toHaveLength(oldAddressesMax);
    expect((await confirm(first?.email ?? '')).statusCode).toBe(200);
    const next = await listed();
    expect([next.length, next.some(({ email }) => email === first?.email)]).toEqual([oldAddressesMax, false]);
  });

  test('is not asked again for a year once its owner says so, and of another owner’s it cannot be said', async () => {
    await everkept.write(owner, { recipientEmail: nell });
    await everkept.write(owner, { recipientEmail: nell });
    await aYearLater();
    const stranger = await everkept.signUp();
    expect((await confirm(nell, stranger)).statusCode).toBe(404);
    expect(await listed()).toHaveLength(1);
    expect((await confirm(nell)).statusCode).toBe(200);
    expect(await listed()).toEqual([]);
    expect((await confirm(tom)).statusCode).toBe(404);
    await aYearLater();
    expect(await listed()).toHaveLength(1);
  });

  test('begins anew with another address, and with no other change', async () => {
    const id = await everkept.write(owner, { recipientEmail: nell });
    await aYearLater();
    const change = (recipientEmail: string) =>
      owner.browser.send('PUT', `/api/messages/${id}`, { body: { ...letter, recipientEmail } });
    expect((await change(nell)).statusCode).toBe(200);
    expect(await listed()).toMatchObject([{ email: nell }]);
    await change(tom);
    expect(await listed()).toEqual([]);
  });

  test('is in the mail of a month in which its owner did not come, and in no other', async () => {
    const nudges = () =>
      everkept.mailer.sent.filter(
        ({ to, subject }) => to.address === owner.email && subject.endsWith('are you there?'),
      );
    await everkept.write(owner, { recipientEmail: nell });
    await everkept.live(31);
    expect(nudges().map(({ text }) => text.includes('more than a year ago'))).toEqual([false]);
    await aYearLater();
    await everkept.live(31);
    expect(nudges().at(-1)?.text.replace(/\s+/g, ' ')).toContain('more than a year ago');
  });
});
