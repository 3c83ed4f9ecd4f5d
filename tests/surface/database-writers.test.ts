import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

/** Possible actions of an attacker who writes to the database without a key; `docs/security.md` explains each. */

let everkept: Everkept;
let owner: Owner;
let intruder: Owner;
let letterId: string;

beforeAll(async () => {
  everkept = await createEverkept();
  owner = await everkept.signUp();
  intruder = await everkept.signUp({ password: 'nine plums in a bucket' });
  letterId = await everkept.write(owner, { title: 'The first words' });
});
afterAll(() => everkept.close());

const run = (statement: ReturnType<typeof sql>) => everkept.database.db.execute<Record<string, unknown>>(statement);
const titlesFor = async (browser: Owner['browser']) =>
  (await browser.send('GET', '/api/messages')).json<{ title: string; isDamaged?: boolean }[]>();

describe('an attacker who can write to the database', () => {
  test('becomes an owner by putting the hash of a known password in place of theirs, and the log holds the sign-in alone', async () => {
    await run(sql`update users set password = (select password from users where id = ${intruder.userId})
      where id = ${owner.userId}`);
    const browser = createBrowser(everkept.app);
    const answer = await browser.send('POST', '/api/login', {
      body: { email: owner.email, password: intruder.password },
    });
    expect(answer.statusCode).toBe(200);
    expect(await titlesFor(browser)).toMatchObject([{ title: 'The first words' }]);
    const { rows } = await run(sql`select action from audit_logs where user_id = ${owner.userId}
      order by position desc limit 1`);
    expect(rows).toEqual([{ action: 'session.start' }]);
  });

  test('becomes an owner by pointing a session of their own at them', async () => {
    await run(sql`update sessions set user_id = ${owner.userId} where user_id = ${intruder.userId}`);
    expect(await titlesFor(intruder.browser)).toMatchObject([{ title: 'The first words' }]);
  });

  test('puts back what a cell held before, and nothing is found to be damaged', async () => {
    const { rows } = await run(sql`select title from messages where id = ${letterId}`);
    const changed = await owner.browser.send('PUT', `/api/messages/${letterId}`, {
      body: { title: 'The last words', content: 'Later.', recipientEmail: 'nell@people.example', status: 'ready' },
    });
    expect(changed.statusCode).toBe(200);
    await run(sql`update messages set title = ${rows[0]?.title} where id = ${letterId}`);
    const [letter] = await titlesFor(owner.browser);
    expect([letter?.title, letter?.isDamaged ?? false]).toEqual(['The first words', false]);
    expect((await run(sql`select 1 from integrity_events`)).rows).toEqual([]);
  });

  test('confirms a contact in the place of one who was asked', async () => {
    const contact = { name: 'Ada Hill', email: 'ada@people.example', phone: '', relationship: 'Sister' };
    expect((await owner.browser.send('POST', '/api/trusted-contacts', { body: contact })).statusCode).toBe(201);
    await run(sql`update trusted_contacts set email = 'theirs@elsewhere.example', is_confirmed = true,
      confirmed_at = now(), is_active = true where user_id = ${owner.userId}`);
    expect((await owner.browser.send('GET', '/api/trusted-contacts')).json()).toMatchObject([
      { name: 'Ada Hill', email: 'theirs@elsewhere.example', isConfirmed: true },
    ]);
  });
});
