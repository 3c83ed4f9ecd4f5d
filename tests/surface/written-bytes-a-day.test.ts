import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writtenBytesPerDay } from '#server/http/limits/written-bytes.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { sendForm } from '#tests/support/forms.ts';

/** Every save of a text leaves an old version on the disk, until the database tidies up. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const words = 'Put the kettle on first. '.repeat(4_000);
const letter = { title: 'For Nell', content: words, recipientEmail: 'nell@family.example', status: 'draft' };
const letterBytes = Buffer.byteLength(JSON.stringify(letter));

/** As if the account had written these bytes today already. */
async function haveWritten({ userId }: Owner, bytes: number) {
  const key = createHash('sha256').update(`bytes of ${userId}`).digest('base64url');
  await everkept.database.pool.query(
    "insert into rate_limits (key, count, window_ends_at) values ($1, $2, now() + interval '170 minutes')",
    [key, bytes],
  );
}

const countOf = async () =>
  (await everkept.database.pool.query<{ count: string }>('select count(*) from messages')).rows[0]?.count;

test('a hundred letters in parallel write no more than the day’s rest, and stored letters stay', async () => {
  const owner = await everkept.signUp();
  await everkept.database.pool.query("update users set plan = 'premium' where id = $1", [owner.userId]);
  const first = await everkept.write(owner, { content: 'The first words.' });
  const left = 30 * letterBytes;
  await haveWritten(owner, writtenBytesPerDay.premium - left);
  // The process learns the count of the day with its first megabyte.
  const learning = Math.ceil(bytesPerMegabyte / letterBytes);
  const send = () => owner.browser.send('POST', '/api/messages', { body: letter });
  for (let count = 0; count < learning; count += 1) expect((await send()).statusCode).toBe(201);
  const before = Number(await countOf());
  const answers = await Promise.all(Array.from({ length: 100 }, send));
  const taken = answers.filter(({ statusCode }) => statusCode === 201).length;
  expect(taken).toBeLessThanOrEqual(30 - learning);
  expect(taken).toBeGreaterThan(0);
  expect(Number(await countOf()) - before).toBe(taken);

  const refused = answers.find(({ statusCode }) => statusCode === 429);
  expect(refused?.headers['retry-after']).toMatch(/^\d+$/);
  expect(refused?.json<{ message: string }>().message).toBe(
    'Today you have saved as much text as the Premium plan takes in a day (600 MB). Nothing you typed is lost: leave this page open, and save again in 3 hours.',
  );
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(100 - taken);
  const kept = (await owner.browser.send('GET', '/api/messages')).json<{ id: string; content: string }[]>();
  expect(kept.find(({ id }) => id === first)?.content).toBe('The first words.');
});

test.each([
  ['a letter', 'POST', '/api/messages', letter],
  ['a draft', 'PUT', '/api/drafts/new', { content: words, version: 0 }],
] as const)('%s counts, a check-in does not, and reading goes on', async (_, method, url, body) => {
  const owner = await everkept.signUp();
  await haveWritten(owner, writtenBytesPerDay.free);
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) {
    statuses.push((await owner.browser.send(method, url, { body })).statusCode);
  }
  expect(statuses.at(-1)).toBe(429);
  expect((await owner.browser.send('POST', '/api/checkin')).statusCode).toBe(200);
  expect((await owner.browser.send('GET', '/api/messages')).statusCode).toBe(200);
});

test('an import counts with its text, a look into it does not', async () => {
  const owner = await everkept.signUp();
  const file = {
    name: 'export.json',
    content: Buffer.from(JSON.stringify({ filler: 'x'.repeat(2 * bytesPerMegabyte) })),
  };
  const post = (preview: boolean) =>
    sendForm({ app: everkept.app, cookie: owner.browser.cookie }, ['POST', '/api/import-data'], {
      fields: { preview: String(preview) },
      file,
    });
  await haveWritten(owner, writtenBytesPerDay.free);
  expect((await post(true)).statusCode).not.toBe(429);
  const statuses = [(await post(false)).statusCode, (await post(false)).statusCode];
  expect(statuses.at(-1)).toBe(429);
});

describe('an account whose day is spent', () => {
  const messages = () => everkept.database.pool.query('select 1 from messages').then(({ rowCount }) => rowCount);

  test('can delete, and a loop of deleting and restoring ends, with the letter under Recently deleted', async () => {
    const owner = await everkept.signUp();
    const id = (await owner.browser.send('POST', '/api/messages', { body: letter })).json<{ id: string }>().id;
    // Room for some rounds: a round writes the sealed letter twice.
    await haveWritten(owner, writtenBytesPerDay.free - 6 * letterBytes);
    const restore = () => owner.browser.send('POST', `/api/recently-deleted/message/${id}/restore`);
    const rounds: number[] = [];
    while (rounds.length < 40 && rounds.at(-1) !== 429) {
      expect((await owner.browser.send('DELETE', `/api/messages/${id}`)).statusCode).toBe(204);
      rounds.push((await restore()).statusCode);
    }
    expect(rounds.at(-1)).toBe(429);
    expect((await restore()).json<{ message: string }>().message).toBe(
      'Today you have saved as much text as the Free plan takes in a day (100 MB). It stays under Recently deleted: restore it in 3 hours.',
    );
    const kept = await owner.browser.send('GET', '/api/recently-deleted');
    expect(kept.json<{ id: string }[]>().map((one) => one.id)).toEqual([id]);
  });

  test('sends no text in a form with a file, and nothing of the form is kept', async () => {
    const owner = await everkept.signUp();
    await everkept.database.pool.query("update users set plan = 'premium' where id = $1", [owner.userId]);
    await haveWritten(owner, writtenBytesPerDay.premium);
    const [before, files] = [await messages(), everkept.store.files.size];
    const file = { name: 'map.txt', content: Buffer.from('North.') };
    const visitor = { app: everkept.app, cookie: owner.browser.cookie };
    const send = (content: string) =>
      sendForm(visitor, ['POST', '/api/messages/with-attachment'], { fields: { ...letter, content }, file });
    const statuses: number[] = [];
    while (statuses.length < 15 && statuses.at(-1) !== 429) statuses.push((await send(words)).statusCode);
    expect(statuses.at(-1)).toBe(429);
    const stored = statuses.filter((status) => status === 201).length;
    expect(await messages()).toBe((before ?? 0) + stored);
    expect(everkept.store.files.size).toBe(files + stored);
    expect((await send('North.')).statusCode).toBe(201);
  });
});
