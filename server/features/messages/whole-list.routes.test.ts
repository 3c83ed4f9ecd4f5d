import { gunzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMessage, listMessages, type Message } from '#shared/contract/messages.ts';
import { signedIn } from '#tests/support/app.ts';
import { listedAtOnce } from './list/whole-list.ts';
import { createVaultApp, type VaultApp } from './vault-app.test-world.ts';

let world: VaultApp;
beforeAll(async () => {
  world = await createVaultApp();
});
afterAll(() => world.close());

const words = { title: 'One', content: 'Go to the sea.', recipientEmail: 'nell@family.example' };
const letters = listedAtOnce * 2 + 1;

/** An owner with one whole letter, and copies of its row that count as damaged. */
async function ownerOfMany() {
  const { browser } = await signedIn(world);
  const made: Message = (await browser.send('POST', createMessage.path, { body: words })).json();
  await world.db.execute(sql`
    insert into messages (id, user_id, title, content, category, status, position, created_at, updated_at)
    select gen_random_uuid(), user_id, title, content, category, status, 1, created_at - n * interval '1 second', updated_at
    from messages, generate_series(1, ${letters - 1}::int) n where id = ${made.id}`);
  return { browser, made };
}

test('a list of more letters than one statement reads is whole, newest first, in chunks', async () => {
  const { browser, made } = await ownerOfMany();
  const answer = await browser.send('GET', listMessages.path);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(answer.headers['content-length']).toBeUndefined();
  const listed: Message[] = answer.json();
  expect(listed).toHaveLength(letters);
  expect(listed[0]).toEqual(made);
  expect(listed.slice(1).every(({ isDamaged }) => isDamaged)).toBe(true);
  expect(listed.map(({ createdAt }) => createdAt)).toEqual(
    listed
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .reverse(),
  );
});

test('the list is compressed if the caller accepts it, and says the same', async () => {
  const { browser } = await ownerOfMany();
  const plain = await browser.send('GET', listMessages.path);
  const compressed = await browser.send('GET', listMessages.path, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(compressed.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: expect.stringContaining('Accept-Encoding'),
  });
  expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body);
  expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
});

test('a list that one statement reads is sent as a whole', async () => {
  const { browser } = await signedIn(world);
  await browser.send('POST', createMessage.path, { body: words });
  const answer = await browser.send('GET', listMessages.path, { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
});

test('a list of few letters with long texts is sent in chunks too, whole', async () => {
  const { browser } = await signedIn(world);
  const { id } = (await browser.send('GET', '/api/user')).json();
  await world.db.execute(sql`update users set plan = 'premium' where id = ${id}`);
  const content = 'Go to the sea. '.repeat(13_000).trim();
  for (let letter = 0; letter < 5; letter += 1) {
    const made = await browser.send('POST', createMessage.path, { body: { ...words, content } });
    expect(made.statusCode).toBe(201);
  }
  const answer = await browser.send('GET', listMessages.path);
  expect(answer.headers['content-length']).toBeUndefined();
  expect(answer.json().map((message: Message) => message.content)).toEqual(Array(5).fill(content));
});
