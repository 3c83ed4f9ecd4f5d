import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createContact, getInvitation, updateContact } from '#shared/contract/contacts.ts';
import { createMessage, updateMessage } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { createBrowser, linkIn, signedIn } from '#tests/support/app.ts';
import { createVaultApp, type VaultApp } from './vault-app.test-world.ts';

let world: VaultApp;

beforeAll(async () => {
  world = await createVaultApp();
});

afterAll(() => world.close());

/** Seventy words that stand nowhere else, planted in everything that is promised to be sealed. */
const canaries = Array.from({ length: 70 }, (_, index) => `canary${index}q${(index * 7919).toString(36)}zx`);

test('nothing that is promised to be sealed stands anywhere in the database or the log', async () => {
  const left = [...canaries];
  const next = () => left.shift() ?? 'none left';
  const { browser, userId } = await signedIn(world);
  await world.db.update(users).set({ plan: 'premium' }).where(eq(users.id, userId));

  const message = () => ({ title: next(), content: `Dear ${next()},\nyours`, recipientEmail: `${next()}@example.org` });
  const phones: string[] = [];
  const contact = (email: string) => {
    const phone = `+44770090${String(1_000 + phones.length * 37)}`;
    phones.push(phone.slice(1));
    return { name: next(), relationship: next(), phone, email };
  };

  for (let round = 0; round < 5; round += 1) {
    const { id } = (await browser.send('POST', createMessage.path, { body: { ...message(), status: 'ready' } })).json();
    const changed = await browser.send('PUT', updateMessage.path.replace(':id', id), { body: message() });
    expect(changed.statusCode).toBe(200);

    const email = `friend${round}@friends.example`;
    const made = await browser.send('POST', createContact.path, { body: contact(email) });
    const path = updateContact.path.replace(':id', made.json().id);
    expect((await browser.send('PUT', path, { body: contact(email) })).statusCode).toBe(200);
    const token = linkIn(world.mails, email, '/trusted-contact-accept/').split('/').at(-1) ?? '';
    phones.push(token);
    const answer = { body: { accept: round % 2 === 0 } };
    const answered = await createBrowser(world.app).send('POST', getInvitation.path.replace(':token', token), answer);
    expect(answered.statusCode).toBe(200);
    if (round % 2 === 0) await dispatchDue(world.opened);
    // A name that has to be written in the subject of a mail, and a refusal that could quote what was sent.
    await browser.send('POST', createMessage.path, { body: { ...message(), title: 'x'.repeat(300) } });
  }

  const planted = [...canaries.slice(0, canaries.length - left.length), ...phones];
  expect(planted.length).toBeGreaterThanOrEqual(60);
  const dump = await world.dump();
  expect(dump).toContain('friend0@friends.example');
  expect(dump).toContain('trusted_contact');
  const log = world.log.join('\n');
  for (const canary of planted) {
    for (const form of [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64url')]) {
      expect(dump.includes(form), `${form} in the database`).toBe(false);
      expect(log.includes(form), `${form} in the log`).toBe(false);
    }
  }
});

test('the search itself would find a word in any kind of column', async () => {
  await world.db.execute(sql`
    create table planted (words text, bytes bytea, data jsonb);
    insert into planted values ('found in text', convert_to('found in bytes', 'UTF8'), '{"a": "found in json"}')`);
  const dump = await world.dump();
  for (const words of ['found in text', 'found in bytes', 'found in json']) expect(dump).toContain(words);
  await world.db.execute(sql`drop table planted`);
});

test('a value that was moved in the database is left out calmly, and the rest goes on', async () => {
  const { browser } = await signedIn(world);
  const made = (title: string) => ({ title, content: 'kept', recipientEmail: 'priya@example.org' });
  const { id } = (await browser.send('POST', createMessage.path, { body: made('one') })).json();
  await browser.send('POST', createMessage.path, { body: made('two') });
  await world.db.execute(sql`update messages set title = content where id = ${id}`);

  const answer = await browser.send('GET', '/api/messages');
  const shown = answer
    .json()
    .map(({ title, content, isDamaged }: Record<string, unknown>) => [title, content, isDamaged]);
  expect([answer.statusCode, shown]).toEqual([
    200,
    [
      ['two', 'kept', undefined],
      [damagedTitle, '', true],
    ],
  ]);
  expect((await browser.send('GET', '/api/dashboard/stats')).statusCode).toBe(200);
  expect((await browser.send('GET', '/api/plan-limits')).json()).toMatchObject({ messages: { current: 2 } });
});
