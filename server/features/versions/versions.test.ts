import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { contactSchema } from '#shared/contract/contacts.ts';
import { documentSchema } from '#shared/contract/documents.ts';
import { messageSchema } from '#shared/contract/messages.ts';
import { bytesPerMegabyte, plans } from '#shared/rules/plans.ts';

let world: FilesWorld;

beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

type Item = { id: string; version: string } & Record<string, unknown>;
type Said = Record<string, unknown>;

const pdf = { name: 'will.pdf', content: '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n' };
let people = 0;

/** The three kinds of saved words: where they are, how one is created, and a body for each text. */
const kinds = [
  {
    kind: 'letter',
    path: '/api/messages',
    schema: messageSchema,
    text: 'content',
    bodyOf: (content: string): Said => ({ title: 'For Nell', content, recipientEmail: 'nell@example.com' }),
  },
  {
    kind: 'document',
    path: '/api/documents',
    schema: documentSchema,
    text: 'description',
    bodyOf: (description: string): Said => ({ name: 'The will', category: 'legal', description }),
  },
  {
    kind: 'contact',
    path: '/api/trusted-contacts',
    schema: contactSchema,
    text: 'relationship',
    bodyOf: (relationship: string, email = `priya${++people}@friends.example`): Said => ({
      name: 'Priya Shah',
      email,
      relationship,
    }),
  },
] as const;
type Kind = (typeof kinds)[number];

const named = (changeKey?: string): Record<string, string> => (changeKey ? { 'idempotency-key': changeKey } : {});

async function create({ path, kind }: Kind, owner: FileOwner, body: Said, changeKey?: string) {
  if (kind !== 'document') return owner.browser.send('POST', path, { body, headers: named(changeKey) });
  const { name, category, description } = body as Record<string, string>;
  return owner.upload({
    fields: { name: `${name}`, category: `${category}`, description: `${description}` },
    file: pdf,
    headers: named(changeKey),
  });
}

async function created(kind: Kind, owner: FileOwner, body: Said): Promise<Item> {
  const answer = await create(kind, owner, body);
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

const change = ({ path }: Kind, owner: FileOwner, id: string, body: Said, changeKey?: string) =>
  owner.browser.send('PUT', `${path}/${id}`, { body, headers: named(changeKey) });

async function listed({ path }: Kind, owner: FileOwner): Promise<Item[]> {
  return (await owner.browser.send('GET', path)).json();
}

describe.each(kinds)('a saved $kind', (kind) => {
  const { text, bodyOf, schema } = kind;

  test('that was changed elsewhere is not overwritten, and the refusal holds the stored words', async () => {
    const owner = await world.newOwner();
    const body = bodyOf('as written first');
    const first = await created(kind, owner, body);
    const mine = { ...body, [text]: 'on the phone' };
    const theirs = { ...body, [text]: 'on the laptop' };
    const phone = await change(kind, owner, first.id, { ...mine, version: first.version });
    expect(phone.statusCode).toBe(200);
    expect(phone.json().version).not.toBe(first.version);

    const laptop = await change(kind, owner, first.id, { ...theirs, version: first.version });
    expect([laptop.statusCode, laptop.json().type, laptop.json().message]).toEqual([
      409,
      'CHANGED_ELSEWHERE',
      `This ${kind.kind} was changed in another window or on another device. Nothing was overwritten.`,
    ]);
    const { stored } = laptop.json();
    expect(stored).toMatchObject({ id: first.id, version: phone.json().version, [text]: 'on the phone' });
    expect(Object.keys(stored).filter((name) => !(name in schema.shape))).toEqual([]);
    expect(await listed(kind, owner)).toMatchObject([{ [text]: 'on the phone' }]);

    const kept = await change(kind, owner, first.id, { ...theirs, version: stored.version });
    expect([kept.statusCode, kept.json()[text]]).toEqual([200, 'on the laptop']);
  });

  test('without a version in the change is replaced, as the specification says', async () => {
    const owner = await world.newOwner();
    const body = bodyOf('as written first');
    const { id } = await created(kind, owner, body);
    await change(kind, owner, id, { ...body, [text]: 'second' });
    const third = await change(kind, owner, id, { ...body, [text]: 'third' });
    expect([third.statusCode, third.json()[text]]).toEqual([200, 'third']);
  });

  test('with a version of the wrong form is refused', async () => {
    const owner = await world.newOwner();
    const body = bodyOf('as written first');
    const { id } = await created(kind, owner, body);
    expect((await change(kind, owner, id, { ...body, version: 'two' })).statusCode).toBe(400);
    expect((await change(kind, owner, id, body, 'not-a-uuid')).statusCode).toBe(400);
  });

  test('has one winner among a hundred changes of one version in parallel', async () => {
    const owner = await world.newOwner();
    const body = bodyOf('as written first');
    const { id, version } = await created(kind, owner, body);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => change(kind, owner, id, { ...body, [text]: `by ${index}`, version })),
    );
    const statuses = Object.groupBy(answers, ({ statusCode }) => statusCode);
    expect([statuses[200]?.length, statuses[409]?.length]).toEqual([1, 99]);
    expect((await listed(kind, owner))[0]?.[text]).toBe(statuses[200]?.[0]?.json()[text]);
  });

  test('is changed once by a request that comes twice', async () => {
    const owner = await world.newOwner();
    const body = bodyOf('as written first');
    const { id, version } = await created(kind, owner, body);
    const changeKey = randomUUID();
    const given = { ...body, [text]: 'second', version };
    const first = await change(kind, owner, id, given, changeKey);
    const again = await change(kind, owner, id, given, changeKey);
    expect([again.statusCode, again.json()]).toEqual([200, first.json()]);
    expect(first.json().version).toBe(changeKey);
  });

  test('is created once by requests that come twice, also in parallel and after a change', async () => {
    const owner = await world.newOwner();
    const changeKey = randomUUID();
    const body = bodyOf('as written first');
    const before = await world.kept();
    const answers = await Promise.all([1, 2, 3].map(() => create(kind, owner, body, changeKey)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1);
    const { id } = answers[0]?.json() ?? {};
    await change(kind, owner, id, { ...body, [text]: 'second' });
    const late = await create(kind, owner, body, changeKey);
    expect([late.statusCode, late.json()[text]]).toEqual([201, 'second']);
    expect(await listed(kind, owner)).toHaveLength(1);
    const { files } = await world.kept();
    expect(files - before.files).toBe(kind.kind === 'document' ? 1 : 0);
  });

  test('belongs to one owner: the key of another owner finds nothing', async () => {
    const [owner, other] = [await world.newOwner(), await world.newOwner()];
    const changeKey = randomUUID();
    const mine = (await create(kind, owner, bodyOf('mine'), changeKey)).json();
    const theirs = (await create(kind, other, bodyOf('theirs'), changeKey)).json();
    expect(theirs.id).not.toBe(mine.id);
  });

  test('that was changed elsewhere is not deleted under its old version', async () => {
    const owner = await world.newOwner();
    const body = bodyOf('as written first');
    const { id, version } = await created(kind, owner, body);
    const changed = (await change(kind, owner, id, { ...body, [text]: 'second', version })).json();
    const remove = (from: string) => owner.browser.send('DELETE', `${kind.path}/${id}?version=${from}`);
    const refused = await remove(version);
    expect([refused.statusCode, refused.json().type, refused.json().stored[text]]).toEqual([
      409,
      'CHANGED_ELSEWHERE',
      'second',
    ]);
    expect((await remove(changed.version)).statusCode).toBe(204);
    expect(await listed(kind, owner)).toEqual([]);
  });
});

describe('release settings that were changed elsewhere', () => {
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  const path = '/api/user/release-settings';

  test('are not overwritten, and the refusal holds the stored ones', async () => {
    const { browser } = await world.newOwner();
    const longer = { ...settings, inactivityDays: 180 };
    const phone = await browser.send('PUT', path, { body: { ...longer, before: settings } });
    expect([phone.statusCode, phone.json()]).toEqual([200, longer]);
    const laptop = await browser.send('PUT', path, {
      body: { ...settings, releaseMethod: 'trusted_contact', before: settings },
    });
    expect([laptop.statusCode, laptop.json().type, laptop.json().stored]).toEqual([409, 'CHANGED_ELSEWHERE', longer]);
    expect((await browser.send('GET', path)).json()).toEqual(longer);
    expect((await browser.send('PUT', path, { body: settings })).statusCode).toBe(200);
  });

  test('are not refused to a request that comes twice, because its answer was lost', async () => {
    const { browser } = await world.newOwner();
    const body = { ...settings, inactivityDays: 180, before: settings };
    const answers = [await browser.send('PUT', path, { body }), await browser.send('PUT', path, { body })];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const { quorum, waitingDays, answerDays } = (await browser.send('GET', '/api/release')).json();
    const before = { quorum, waitingDays, answerDays };
    const preferences = { ...before, waitingDays: waitingDays + 2, before };
    const save = () => browser.send('PUT', '/api/release/preferences', { body: preferences });
    expect([(await save()).statusCode, (await save()).statusCode]).toEqual([200, 200]);
  });

  test('have one winner among a hundred changes in parallel', async () => {
    const { browser } = await world.newOwner();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        browser.send('PUT', path, { body: { ...settings, inactivityDays: 100 + index, before: settings } }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(99);
  });

  test('include the preferences, which are kept too', async () => {
    const { browser } = await world.newOwner();
    const { quorum, waitingDays, answerDays } = (await browser.send('GET', '/api/release')).json();
    const before = { quorum, waitingDays, answerDays };
    const save = (body: object) => browser.send('PUT', '/api/release/preferences', { body: { ...body, before } });
    expect((await save({ ...before, waitingDays: waitingDays + 2 })).statusCode).toBe(200);
    expect((await save({ ...before, quorum: 2 })).json().type).toBe('CHANGED_ELSEWHERE');
    expect((await browser.send('GET', '/api/release')).json()).toMatchObject({
      quorum,
      waitingDays: waitingDays + 2,
      answerDays,
    });
  });
});

describe('a file whose answer was lost in a vault that has no room for it twice', () => {
  const megabyte = bytesPerMegabyte;
  const large = { name: 'will.pdf', content: `${pdf.content}${' '.repeat(2_000)}` };

  /** An owner with room for one more such file, and half of another. */
  async function almostFull(): Promise<FileOwner> {
    const owner = await world.newOwner();
    const { id } = (await owner.upload({ fields: { name: 'Deeds', category: 'legal' }, file: pdf })).json();
    const used = plans.essential.storageLimitMb * megabyte - large.content.length * 1.5;
    await world.database.db
      .update(documents)
      .set({ fileSize: Math.floor(used) })
      .where(eq(documents.id, id));
    return owner;
  }

  test.each([
    ['document', '/api/documents', { name: 'The will', category: 'legal' }],
    [
      'letter',
      '/api/messages/with-attachment',
      { title: 'For Nell', content: 'Dear Nell', recipientEmail: 'nell@example.com' },
    ],
  ])('is stored once with its %s, and the repeat is not refused', async (_, path, fields) => {
    const owner = await almostFull();
    const given = { fields, file: large, headers: named(randomUUID()) };
    const send = () => owner.upload(given, ['POST', path]);
    const [first, repeat] = [await send(), await send()];
    expect([first.statusCode, repeat.statusCode]).toEqual([201, 201]);
    expect(repeat.json().id).toBe(first.json().id);
    const another = await owner.upload({ ...given, headers: named(randomUUID()) }, ['POST', path]);
    expect(another.json()).toMatchObject({ type: 'STORAGE_LIMIT_EXCEEDED' });
  });
});
