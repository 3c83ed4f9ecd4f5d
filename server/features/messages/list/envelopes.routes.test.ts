import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope, EnvelopePage } from '#shared/contract/letters/envelopes.ts';
import { createMessage } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { envelopesPerPage } from '#shared/rules/letters/envelopes.ts';
import { signedIn } from '#tests/support/app.ts';
import { createVaultApp, type VaultApp } from '../vault-app.test-world.ts';

let world: VaultApp;
beforeAll(async () => {
  world = await createVaultApp();
});
afterAll(() => world.close());

type Browser = Awaited<ReturnType<typeof signedIn>>['browser'];

const words = { content: 'Go to the sea.', category: 'family', status: 'ready' };
const nell = { name: 'Nell', relation: 'my daughter', email: 'nell@family.example' };
const tom = { name: 'Tom', relation: null, email: 'tom@family.example' };

async function premium(): Promise<Browser> {
  const { browser } = await signedIn(world);
  const { id } = (await browser.send('GET', '/api/user')).json();
  await world.db.execute(sql`update users set plan = 'premium', email_verified = true where id = ${id}`);
  return browser;
}

async function write(browser: Browser, body: object): Promise<{ id: string; version: string }> {
  world.clock.advance(1_000);
  const made = await browser.send('POST', createMessage.path, { body: { ...words, ...body } });
  expect(made.statusCode).toBe(201);
  return made.json();
}

async function list(browser: Browser, query = ''): Promise<EnvelopePage> {
  const answer = await browser.send('GET', `/api/messages/envelopes${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

async function search(browser: Browser, body: object): Promise<EnvelopePage> {
  const answer = await browser.send('POST', '/api/messages/search', { body });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

const titles = ({ groups }: EnvelopePage) => groups.flatMap(({ envelopes }) => envelopes.map(({ title }) => title));
const envelopesOf = ({ groups }: EnvelopePage): Envelope[] => groups.flatMap(({ envelopes }) => envelopes);

/** Copies one letter and its recipient as often as wanted; the copies open under no other id, so they count as damaged. */
async function addCopies(id: string, copies: number): Promise<void> {
  await world.db.execute(sql`
    insert into messages (id, user_id, title, content, category, status, position, created_at, updated_at)
    select gen_random_uuid(), user_id, title, content, category, status, 1, created_at - n * interval '1 second', updated_at
    from messages, generate_series(1, ${copies}::int) n where id = ${id}`);
}

describe('the envelopes of an owner', () => {
  test('hold the beginning of the text, and never the whole of it', async () => {
    const browser = await premium();
    const content = `${'a'.repeat(250)} secret end`;
    const { id, version } = await write(browser, { title: 'Long', content, recipients: [nell] });
    const page = await list(browser);
    expect(page).toMatchObject({ found: 1, all: 1, next: null });
    const [envelope] = envelopesOf(page);
    expect(envelope).toMatchObject({ id, version, title: 'Long', isSealed: false, pictures: 0, hasVoice: false });
    expect(envelope?.preview).toBe(`${'a'.repeat(200)}...`);
    expect(JSON.stringify(page)).not.toContain('secret end');
  });

  test('lie by person, in the order of reading, with the reader whose order is offered', async () => {
    const browser = await premium();
    await write(browser, { title: 'To both', recipients: [nell, tom], position: 2 });
    await write(browser, { title: 'Second', recipients: [nell], position: 3 });
    await write(browser, { title: 'First', recipients: [{ ...nell, name: null }], position: 1 });
    const page = await list(browser);
    expect(
      page.groups.map(({ key, readers, envelopes }) => [key, readers, envelopes.map(({ title }) => title)]),
    ).toEqual([
      [nell.email, [{ ...nell, isOrdered: true }], ['First', 'Second']],
      [
        `${nell.email} ${tom.email}`,
        [
          { ...nell, isOrdered: false },
          { ...tom, isOrdered: false },
        ],
        ['To both'],
      ],
    ]);
    expect(envelopesOf(page).map(({ readingIndex }) => readingIndex)).toEqual([0, 2, null]);
    expect(titles(await search(browser, { reader: nell.email }))).toEqual(['First', 'To both', 'Second']);
  });

  test('come sorted by day or title, and of one category', async () => {
    const browser = await premium();
    await write(browser, { title: 'émile', recipients: [nell] });
    await write(browser, { title: 'Frank', recipients: [nell], category: 'legal' });
    await write(browser, { title: 'Dora', recipients: [nell], category: 'personal' });
    expect(titles(await list(browser, '?sort=newest'))).toEqual(['Dora', 'Frank', 'émile']);
    expect(titles(await list(browser, '?sort=oldest'))).toEqual(['émile', 'Frank', 'Dora']);
    expect(titles(await list(browser, '?sort=title'))).toEqual(['Dora', 'émile', 'Frank']);
    const personal = await list(browser, '?sort=title&category=personal');
    expect([titles(personal), personal.found, personal.all]).toEqual([['Dora', 'émile'], 2, 3]);
    expect((await browser.send('GET', '/api/messages/envelopes?sort=size')).statusCode).toBe(400);
  });

  test('come fifty at a time, each once', async () => {
    const browser = await premium();
    const { id } = await write(browser, { title: 'One', recipients: [nell] });
    await addCopies(id, envelopesPerPage * 2);
    for (const sort of ['person', 'newest', 'oldest', 'title']) {
      const seen: string[] = [];
      for (let next: number | null = 0, pages = 0; next !== null; pages += 1) {
        const page: EnvelopePage = await list(browser, `?sort=${sort}&from=${next}`);
        expect([page.found, page.all, pages < 3]).toEqual([101, 101, true]);
        expect(envelopesOf(page).length).toBeLessThanOrEqual(envelopesPerPage);
        seen.push(...envelopesOf(page).map(({ id }) => id));
        next = page.next;
      }
      expect(new Set(seen).size).toBe(101);
      expect(seen).toHaveLength(101);
    }
  });

  test('have another fingerprint once their order has changed, and the same until then', async () => {
    const browser = await premium();
    const { id } = await write(browser, { title: 'One', recipients: [nell] });
    await addCopies(id, envelopesPerPage);
    const orderFrom = async (from: number) => (await list(browser, `?sort=newest&from=${from}`)).order;
    const order = await orderFrom(0);
    expect(await orderFrom(envelopesPerPage)).toBe(order);
    await write(browser, { title: 'Two', recipients: [nell] });
    expect(await orderFrom(envelopesPerPage)).not.toBe(order);
  });

  test('that are damaged have no words, and stand without a reader', async () => {
    const browser = await premium();
    const { id } = await write(browser, { title: 'Whole', recipients: [nell] });
    await addCopies(id, 1);
    const page = await list(browser);
    expect(page.groups.map(({ readers }) => readers.length)).toEqual([1, 0]);
    expect(envelopesOf(page)[1]).toMatchObject({ title: damagedTitle, preview: '', isDamaged: true, recipients: [] });
  });
});

describe('a search of letters', () => {
  test('finds words in title, text and recipients, in any case', async () => {
    const browser = await premium();
    const content = `${'Long before the end. '.repeat(20)}The boat is Yours.`;
    await write(browser, { title: 'Harbour', content, recipients: [nell] });
    await write(browser, { title: 'Garden', recipients: [tom] });
    for (const [wanted, found] of [
      ['boat is YOURS', ['Harbour']],
      [' gard ', ['Garden']],
      ['tom@FAMILY', ['Garden']],
      ['nell', ['Harbour']],
      ['no such word', []],
      ['', ['Garden', 'Harbour']],
    ] as const) {
      const page = await search(browser, { words: wanted, sort: 'title' });
      expect([wanted, titles(page), page.found, page.all]).toEqual([wanted, found, found.length, 2]);
    }
    expect(titles(await search(browser, { words: 'e', category: 'legal' }))).toEqual([]);
    expect((await browser.send('POST', '/api/messages/search', { body: { words: 'a'.repeat(201) } })).statusCode).toBe(
      400,
    );
  });

  test('logs none of its words', async () => {
    const browser = await premium();
    await write(browser, { title: 'Harbour', recipients: [nell] });
    await search(browser, { words: 'unlikelyword' });
    expect(world.log.join('')).toContain('/api/messages/search');
    expect(world.log.join('')).not.toContain('unlikelyword');
  });

  test('sees no letter of another owner', async () => {
    const [sam, other] = [await premium(), await premium()];
    const { id } = await write(sam, { title: 'Harbour', recipients: [nell] });
    expect(await search(other, { words: 'harbour' })).toMatchObject({ groups: [], found: 0, all: 0 });
    expect((await other.send('GET', `/api/messages/${id}`)).statusCode).toBe(404);
  });
});

describe('the summary of the letters', () => {
  test('counts all, and has ready ones first, then drafts, up to the shelf’s limit', async () => {
    const browser = await premium();
    for (const [title, status] of [
      ['1', 'draft'],
      ['2', 'ready'],
      ['3', 'draft'],
      ['4', 'ready'],
      ['5', 'draft'],
      ['6', 'draft'],
    ])
      await write(browser, { title, status, recipients: [nell] });
    const answer = (await browser.send('GET', '/api/messages/summary')).json();
    expect([answer.all, answer.doesWait]).toEqual([6, false]);
    expect(answer.shelf.map(({ title }: Envelope) => title)).toEqual(['4', '2', '6', '5', '3']);
    expect(JSON.stringify(answer)).not.toContain('"content"');
  });

  test('is empty for an owner without letters', async () => {
    const { browser } = await signedIn(world);
    const answer = await browser.send('GET', '/api/messages/summary');
    expect(answer.json()).toEqual({ all: 0, doesWait: false, shelf: [] });
  });
});

test('the people that an owner wrote to come with the latest first, each address once, with the name given last', async () => {
  const browser = await premium();
  await write(browser, { title: '1', recipients: [nell, tom] });
  await write(browser, { title: '2', recipients: [{ ...tom, name: 'Thomas' }] });
  await write(browser, { title: '3', recipients: [{ name: null, relation: null, email: nell.email }] });
  expect((await browser.send('GET', '/api/messages/readers')).json()).toEqual([nell, { ...tom, name: 'Thomas' }]);
});

test('one letter is read whole, as it was written', async () => {
  const browser = await premium();
  const made = await write(browser, { title: 'Whole', recipients: [nell, tom] });
  const answer = await browser.send('GET', `/api/messages/${made.id}`);
  expect([answer.statusCode, answer.json()]).toEqual([200, made]);
});
