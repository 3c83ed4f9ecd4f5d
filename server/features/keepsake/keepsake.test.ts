import { sql } from 'drizzle-orm';
import { extractImages, extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverWithEnclosures } from '#server/features/delivery/delivered-letter.test-world.ts';
import { partiesOf } from '#server/features/delivery/read-letter.ts';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { createRateLimits } from '#server/http/rate-limits.ts';
import { runInThread } from '#server/platform/threads/pool.ts';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { dayMs } from '#tests/support/everkept.ts';
import { copiesOfLinkPerDayMax, copiesOfOwnerPerDayMax } from './keepsake.ts';

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

const get = (url: string) => world.app.inject({ method: 'GET', url });
const copyOf = (token: string, query = '') => get(`/api/message-delivery/${token}/copy${query}`);
const inOneLine = (text: string) => text.replace(/\s+/g, ' ');

async function pagesOf(pdf: Buffer): Promise<string[]> {
  const { text } = await extractText(new Uint8Array(pdf));
  return text.map(inOneLine);
}

describe('a copy of a letter', () => {
  test('is one PDF with its words, its pictures at their places, and the words of a voice', async () => {
    const content = 'Dear Nell,\n\nPut the kettle on first. Łucja has the key.\n\nDad';
    const { token } = await deliverWithEnclosures(world, { content });
    const answer = await copyOf(token);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(answer.headers['content-disposition']).toContain('filename="For Nell.pdf"');
    const [page = ''] = await pagesOf(answer.rawPayload);
    expect(page).toContain('For Nell');
    expect(page).toMatch(/Dear Nell, Put the kettle on first\. Łucja has the key\. Dad/);
    expect(page).toContain('The garden');
    expect(page).toContain('A recording, voice.mp3, saved on its own. Hello, love.');
    const pdf = await getDocumentProxy(new Uint8Array(answer.rawPayload));
    expect(await extractImages(pdf, 1)).toHaveLength(1);
  });

  test('with all letters of a person is one PDF in the writer’s order, with a leaf and contents', async () => {
    const { owner, token } = await deliverWithEnclosures(world, { more: ['The lemon cake', 'The boat'] });
    const { letters } = (await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>();
    expect(letters).toHaveLength(3);
    const answer = await copyOf(token, '?all=true');
    expect(answer.headers['content-disposition']).toMatch(/filename="Letters from .+\.pdf"/);
    const [leaf = '', contents = '', ...pages] = await pagesOf(answer.rawPayload);
    expect(leaf).toContain('Letters to');
    expect(leaf).toContain(owner.firstName);
    expect(contents).toMatch(/Contents For Nell 3 The lemon cake 4 The boat 5/);
    expect(pages.map((page) => page.split(' ').slice(0, 3).join(' '))).toEqual([
      expect.stringContaining('For Nell'),
      'The lemon cake',
      expect.stringContaining('The boat'),
    ]);
  });

  test('is a web page as well, which the letter offers if a PDF cannot show all of it', async () => {
    const content = 'Dear Nell,\n\nᏣᎳᎩ ❤';
    const { token } = await deliverWithEnclosures(world, { content });
    expect((await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>().pdfIsWhole).toBe(false);
    // A minute has ten copies for an address.
    const remoteAddress = '198.51.100.8';
    const answer = await world.app.inject({ url: `/api/message-delivery/${token}/copy?as=page`, remoteAddress });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['content-disposition']).toContain('filename="For Nell.html"');
    expect(answer.body).toContain('ᏣᎳᎩ ❤</p>');
    expect(answer.body).toContain('<img src="data:image/jpeg;base64,');
    expect(answer.body).toContain('A recording, \u2068voice.mp3\u2069, saved on its own.');
    expect(answer.body).toContain('Hello, love.');
  });

  test('has no other form to offer if the PDF shows all of it', async () => {
    const { token } = await deliverWithEnclosures(world);
    expect((await get(`/api/message-delivery/${token}`)).json()).not.toHaveProperty('pdfIsWhole');
  });

  test('records nothing, and is available as long as the letter is, and no longer', async () => {
    const { token } = await deliverWithEnclosures(world);
    const { openedAt } = (await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>();
    expect((await copyOf(token)).statusCode).toBe(200);
    expect((await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>().openedAt).toBe(openedAt);
    expect((await copyOf('unknown')).statusCode).toBe(404);
    expect((await copyOf(token, '?all=perhaps')).statusCode).toBe(400);
    await world.live(31);
    expect((await copyOf(token)).statusCode).toBe(404);
  });

  test('is refused before the opening, and a copy of all leaves unopened letters out', async () => {
    const { owner, token } = await deliverWithEnclosures(world, { more: ['The boat', 'The tree'], isOpened: false });
    const { letters } = (await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>();
    for (const query of ['', '?all=true']) {
      const refused = await copyOf(token, query);
      expect([refused.statusCode, refused.json().message]).toEqual([
        409,
        'This letter is not opened yet. Open it on its page first.',
      ]);
    }
    for (const each of letters.slice(0, 2)) {
      await owner.browser.send('POST', `/api/message-delivery/${each.token}/opened`);
    }
    const pages = (await pagesOf((await copyOf(letters[2]?.token ?? '', '?all=true')).rawPayload)).join(' ');
    expect([pages.includes('The boat'), pages.includes('The tree')]).toEqual([true, false]);
  });

  test('uses one turn of its reader in the pool, for any of their letters', async () => {
    const { token } = await deliverWithEnclosures(world, { more: ['The boat'] });
    const { letters } = (await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>();
    const parties = await Promise.all(letters.map((each) => partiesOf(world.opened, each.token)));
    const keys = parties.map(({ reader }) => reader);
    expect([letters.length, new Set(keys).size]).toEqual([2, 1]);
    const { promise, resolve } = Promise.withResolvers<string>();
    const module = new URL('../../platform/threads/hostile.fixture.ts', import.meta.url);
    const job = { name: 'held', module, lane: 'book', busyMs: 60_000 } as const;
    const running = runInThread(job, { input: '', owner: keys[0] ?? '', answer: () => promise });
    const copy = (of: string) =>
      world.app.inject({ url: `/api/message-delivery/${of}/copy`, remoteAddress: '198.51.100.7' });
    const copies = await Promise.all(letters.map((each) => copy(each.token)));
    expect(copies.map((each) => each.json().message)).toEqual(
      Array(2).fill(expect.stringContaining('Another file of yours')),
    );
    resolve('there');
    await running;
    expect((await copy(token)).statusCode).toBe(200);
  });

  test('has its words even if a picture is gone', async () => {
    const { token, picture } = await deliverWithEnclosures(world);
    const { rows } = await world.database.db.execute<{ path: string }>(
      sql`select file_path as path from message_enclosures where id = ${picture.id}`,
    );
    world.store.files.delete(rows[0]?.path ?? '');
    const [page = ''] = await pagesOf((await copyOf(token)).rawPayload);
    expect(page).toContain('Put the kettle on first.');
    expect(page).toContain('A picture, garden.jpg, saved on its own.');
  });
});

describe('the daily budget of copies', () => {
  const copyFrom = (token: string, address: number) =>
    world.app.inject({ url: `/api/message-delivery/${token}/copy`, remoteAddress: `198.51.100.${address}` });
  const overBudget = {
    statusCode: 429,
    message: 'Many copies of these letters were made today. The letter stays on its page: save it again tomorrow.',
    retryAfter: expect.stringMatching(/^\d{4,5}$/),
  };
  const refusalOf = (answer: Awaited<ReturnType<typeof copyFrom>>) => ({
    statusCode: answer.statusCode,
    message: answer.json().message as string,
    retryAfter: answer.headers['retry-after'],
  });

  test('is limited for a hundred parallel requests by one link, and another link still returns its copy', async () => {
    const { token } = await deliverWithEnclosures(world, { more: ['The boat'] });
    const { letters } = (await get(`/api/message-delivery/${token}`)).json<DeliveredMessage>();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => copyFrom(token, index + 1)));
    const refused = answers.filter((each) => each.statusCode === 429).map(refusalOf);
    const overspent = refused.filter(({ message }) => message === overBudget.message);
    expect(overspent).toHaveLength(100 - copiesOfLinkPerDayMax);
    expect(overspent[0]).toEqual(overBudget);
    const other = letters.find((each) => each.token !== token)?.token ?? '';
    await world.app.inject({ method: 'POST', url: `/api/message-delivery/${other}/opened` });
    expect(refusalOf(await copyFrom(token, 201))).toEqual(overBudget);
    expect((await copyFrom(other, 201)).statusCode).not.toBe(429);
  });

  test('never stops a reader who saves the same copy several times a day', async () => {
    const { token } = await deliverWithEnclosures(world);
    for (let count = 1; count <= 5; count += 1) expect((await copyFrom(token, 202)).statusCode).toBe(200);
  });

  test('counts the copies of all letters of an owner', async () => {
    const { owner, token } = await deliverWithEnclosures(world);
    const limits = createRateLimits({ db: world.database.db });
    const budget = { limit: copiesOfOwnerPerDayMax, windowMs: dayMs };
    const spend = () => limits.spend(`copies of owner ${owner.userId}`, budget);
    await Promise.all(Array.from({ length: copiesOfOwnerPerDayMax - 1 }, spend));
    expect((await copyFrom(token, 203)).statusCode).toBe(200);
    expect(refusalOf(await copyFrom(token, 203))).toEqual(overBudget);
    const { token: ofAnother } = await deliverWithEnclosures(world);
    expect((await copyFrom(ofAnother, 203)).statusCode).toBe(200);
  });

  test('is not spent on letters without a copy', async () => {
    const { token } = await deliverWithEnclosures(world, { isOpened: false });
    for (let count = 0; count <= copiesOfLinkPerDayMax; count += 1) {
      expect((await copyFrom(token, 204 + (count % 6))).statusCode).toBe(409);
    }
  });
});
