import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createMessage, deleteMessage, listMessages, messageSchema, updateMessage } from '#shared/contract/messages.ts';
import { createBrowser, signedIn } from '#tests/support/app.ts';
import { markDelivered } from './messages.test-world.ts';
import { countMessages } from './ready-messages.ts';
import { createVaultApp, type VaultApp } from './vault-app.test-world.ts';

let world: VaultApp;

beforeAll(async () => {
  world = await createVaultApp();
});

afterAll(() => world.close());

const body = {
  title: 'For your wedding day',
  content: 'Dear Priya,\nthe ring is in the blue box.',
  recipientEmail: ' Priya@Example.org ',
  category: 'family',
  status: 'draft',
};

const at = (path: string, id: string) => path.replace(':id', id);

test('a message is written, read, changed and deleted', async () => {
  const { browser } = await signedIn(world);

  const made = await browser.send('POST', createMessage.path, { body });
  expect(made.statusCode).toBe(201);
  const message = messageSchema.encode(messageSchema.decode(made.json()));
  expect(message).toMatchObject({ ...body, recipientEmail: 'priya@example.org', visibleToTrustedContact: false });

  const changed = await browser.send('PUT', at(updateMessage.path, message.id), { body: { ...body, status: 'ready' } });
  expect(changed.statusCode).toBe(200);
  expect(changed.json()).toMatchObject({ id: message.id, status: 'ready' });
  expect((await browser.send('GET', listMessages.path)).json()).toEqual([changed.json()]);

  const gone = await browser.send('DELETE', at(deleteMessage.path, message.id));
  expect([gone.statusCode, gone.body]).toEqual([204, '']);
  expect((await browser.send('GET', listMessages.path)).json()).toEqual([]);
});

test('a message of which nothing is said is a draft', async () => {
  const { browser } = await signedIn(world);
  const { status: _, ...unsaid } = body;
  const made = await browser.send('POST', createMessage.path, { body: unsaid });
  expect([made.statusCode, made.json().status]).toEqual([201, 'draft']);
  expect((await browser.send('GET', listMessages.path)).json()).toMatchObject([{ status: 'draft' }]);
});

test('a hundred at once on the free plan make exactly two, and the others say so', async () => {
  const { browser } = await signedIn(world);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => browser.send('POST', createMessage.path, { body })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(2);
  const refused = answers.filter(({ statusCode }) => statusCode === 403);
  expect(refused).toHaveLength(98);
  for (const answer of refused) {
    expect(answer.json()).toEqual({
      message: expect.stringContaining('plan limit'),
      type: 'MESSAGE_LIMIT_EXCEEDED',
      upgradeRequired: true,
      current: 2,
      limit: 2,
    });
  }
});

test('what is not an owner’s to say is dropped', async () => {
  const { browser, userId } = await signedIn(world);
  const stranger = await signedIn(world);
  const forbidden = {
    id: randomUUID(),
    userId: stranger.userId,
    deliveredAt: '2020-01-01T00:00:00.000Z',
    createdAt: '2020-01-01T00:00:00.000Z',
    attachmentPath: '/etc/passwd',
    attachmentSize: 5,
    hasAttachment: true,
  };
  const made = await browser.send('POST', createMessage.path, { body: { ...body, ...forbidden } });
  expect(made.statusCode).toBe(201);
  expect(made.json()).toMatchObject({ deliveredAt: null, hasAttachment: false, attachmentSize: null });
  expect(made.json().id).not.toBe(forbidden.id);
  expect(made.json()).not.toHaveProperty('attachmentPath');
  expect(made.json()).not.toHaveProperty('userId');
  expect((await stranger.browser.send('GET', listMessages.path)).json()).toEqual([]);
  expect((await browser.send('GET', listMessages.path)).json()).toHaveLength(1);
  expect(await countMessages(world.db, userId)).toMatchObject({ ready: 0 });

  const delivered = await browser.send('POST', createMessage.path, { body: { ...body, status: 'delivered' } });
  expect(delivered.statusCode).toBe(400);
});

describe('a letter that the browser sealed', () => {
  const sealed = {
    version: 2,
    iterations: 600_000,
    salt: 'A'.repeat(22),
    nonce: 'B'.repeat(16),
    ciphertext: 'C'.repeat(64),
    hint: 'What stood in the yard?',
  };
  const letter = { ...body, content: '', encryptedContent: sealed };

  test('is kept as it came, with its hint, and sealed once more', async () => {
    const { browser } = await signedIn(world);
    const made = await browser.send('POST', createMessage.path, { body: letter });
    expect([made.statusCode, made.json().content, made.json().encryptedContent]).toEqual([201, '', sealed]);
    expect((await browser.send('GET', listMessages.path)).json()).toMatchObject([{ encryptedContent: sealed }]);
    const { rows } = await world.db.execute<{ row: string }>(
      sql`select m::text as row from messages m where id = ${made.json().id}`,
    );
    for (const word of ['yard', sealed.ciphertext]) expect(rows[0]?.row).not.toContain(word);
    expect(made.json().title, 'whatever was sent').toBe('A sealed letter');
    expect((await browser.send('GET', listMessages.path)).json()).toMatchObject([{ title: 'A sealed letter' }]);

    const path = at(updateMessage.path, made.json().id);
    const opened = await browser.send('PUT', path, { body: { ...body, content: 'In the clear again.' } });
    expect(opened.json()).toMatchObject({
      title: body.title,
      content: 'In the clear again.',
      encryptedContent: null,
    });
    const again = await browser.send('PUT', path, { body: letter });
    expect(again.json()).toMatchObject({ title: 'A sealed letter', content: '', encryptedContent: sealed });
  });

  test('keeps its title where it was sealed first, when that was not under the seal, and needs no hint', async () => {
    const { browser } = await signedIn(world);
    const first = { ...sealed, version: 1, hint: null };
    const made = await browser.send('POST', createMessage.path, { body: { ...letter, encryptedContent: first } });
    expect(made.json()).toMatchObject({ title: body.title, encryptedContent: first });
    expect((await browser.send('GET', listMessages.path)).json()).toMatchObject([{ title: body.title }]);
  });

  test.each([
    ['words in the clear besides', { content: 'Dear Nell' }],
    ['no words at all', { encryptedContent: null }],
    ['few rounds', { encryptedContent: { ...sealed, iterations: 1 } }],
    ['too many rounds', { encryptedContent: { ...sealed, iterations: 1e9 } }],
    ['another version', { encryptedContent: { ...sealed, version: 3 } }],
    ['a short nonce', { encryptedContent: { ...sealed, nonce: 'B' } }],
    ['what is no base64', { encryptedContent: { ...sealed, ciphertext: '<script>'.repeat(9) } }],
    ['no ciphertext', { encryptedContent: { ...sealed, ciphertext: '' } }],
    ['no hint', { encryptedContent: { ...sealed, hint: null } }],
    ['an empty hint', { encryptedContent: { ...sealed, hint: '  ' } }],
    ['a hint of two lines', { encryptedContent: { ...sealed, hint: 'a\nb' } }],
    ['a text', { encryptedContent: 'sealed' }],
  ])('is refused with %s', async (_, change) => {
    const { browser } = await signedIn(world);
    const answer = await browser.send('POST', createMessage.path, { body: { ...letter, ...change } });
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
  });
});

describe('who may', () => {
  const calls = [
    ['GET', listMessages.path, undefined],
    ['POST', createMessage.path, body],
    ['PUT', at(updateMessage.path, randomUUID()), body],
    ['DELETE', at(deleteMessage.path, randomUUID()), undefined],
  ] as const;

  test.each(calls)('a visitor is refused %s %s', async (method, path, sent) => {
    const answer = await createBrowser(world.app).send(method, path, { body: sent });
    expect([answer.statusCode, answer.json().type]).toEqual([401, 'UNAUTHENTICATED']);
  });

  test('an unverified owner writes and reads, but neither changes nor deletes', async () => {
    const { browser } = await signedIn(world, { verified: false });
    const made = await browser.send('POST', createMessage.path, { body });
    expect(made.statusCode).toBe(201);
    const { id } = made.json();
    const refused = [
      await browser.send('PUT', at(updateMessage.path, id), { body }),
      await browser.send('DELETE', at(deleteMessage.path, id)),
    ];
    expect(refused.map((answer) => [answer.statusCode, answer.json().type])).toEqual(
      Array(2).fill([403, 'EMAIL_VERIFICATION_REQUIRED']),
    );
    expect((await browser.send('GET', listMessages.path)).json()).toEqual([made.json()]);
  });

  test('another owner’s message, a missing one and no id at all are answered with one body', async () => {
    const [owner, stranger] = [await signedIn(world), await signedIn(world)];
    const { id } = (await owner.browser.send('POST', createMessage.path, { body })).json();
    for (const method of ['PUT', 'DELETE'] as const) {
      const sent = method === 'PUT' ? { body } : {};
      const answers = await Promise.all(
        [id, randomUUID(), 'nonsense', "' or 1=1 --".replaceAll(' ', '%20'), '%00'].map((wanted) =>
          stranger.browser.send(method, `/api/messages/${wanted}`, sent),
        ),
      );
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(404));
      expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    }
    expect((await owner.browser.send('GET', listMessages.path)).json()).toMatchObject([{ id }]);
  });

  test('another site cannot write in an owner’s name', async () => {
    const { browser } = await signedIn(world);
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect((await browser.send('POST', createMessage.path, { body, headers })).statusCode).toBe(403);
    expect((await browser.send('GET', listMessages.path)).json()).toEqual([]);
  });
});

test('a delivered message is answered 409 when it is changed', async () => {
  const { browser } = await signedIn(world);
  const { id } = (await browser.send('POST', createMessage.path, { body: { ...body, status: 'ready' } })).json();
  await markDelivered(world.db, [{ id, at: new Date() }]);
  const answer = await browser.send('PUT', at(updateMessage.path, id), { body });
  expect([answer.statusCode, answer.json().type]).toEqual([409, 'CONFLICT']);
  expect((await browser.send('DELETE', at(deleteMessage.path, id))).statusCode).toBe(204);
});

const malformed: [string, unknown][] = [
  ['no body', undefined],
  ['text', '"text"'],
  ['null', 'null'],
  ['a list', [body]],
  ['broken JSON', '{"title": '],
  ['deep JSON', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
  ['an empty object', {}],
  ['no title', { ...body, title: undefined }],
  ['an empty title', { ...body, title: '  ' }],
  ['a title of two lines', { ...body, title: 'one\r\nBcc: x@y.example' }],
  ['a long title', { ...body, title: 'x'.repeat(201) }],
  ['a title that is a list', { ...body, title: ['x'] }],
  ['a title that is an object', { ...body, title: { $ne: '' } }],
  ['no content', { ...body, content: '' }],
  ['long content', { ...body, content: 'x'.repeat(200_001) }],
  ['NUL in the content', { ...body, content: 'a\0b' }],
  ['half a character in the content', `{"title":"x","content":"\\ud800","recipientEmail":"a@b.example"}`],
  ['an address that is none', { ...body, recipientEmail: 'nobody' }],
  ['two addresses', { ...body, recipientEmail: 'a@b.example, c@d.example' }],
  ['an address with a line break', { ...body, recipientEmail: 'a@b.example\r\nBcc: c@d.example' }],
  ['a long address', { ...body, recipientEmail: `${'x'.repeat(300)}@b.example` }],
  ['an unknown category', { ...body, category: 'secret' }],
  ['an unknown status', { ...body, status: 'sent' }],
  ['text for yes', { ...body, visibleToTrustedContact: 'yes' }],
  ['a number for text', { ...body, content: 5 }],
];

test.each(malformed)('%s is refused, changes nothing, and the next request is well', async (_, sent) => {
  const { browser, userId } = await signedIn(world);
  const { id } = (await browser.send('POST', createMessage.path, { body })).json();
  await world.db.update(users).set({ plan: 'premium' }).where(eq(users.id, userId));
  const before = (await browser.send('GET', listMessages.path)).body;

  const calls = [
    ['POST', createMessage.path],
    ['PUT', at(updateMessage.path, id)],
  ] as const;
  for (const [method, path] of calls) {
    const answer = await browser.send(method, path, { body: sent });
    expect([400, 413, 415]).toContain(answer.statusCode);
    expect(answer.json()).toMatchObject({ message: expect.any(String), type: expect.any(String) });
  }
  expect((await browser.send('GET', listMessages.path)).body).toBe(before);
});
