import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recipientsMax } from '#shared/contract/letters/recipients.ts';
import { createMessage, listMessages, updateMessage } from '#shared/contract/messages.ts';
import { signedIn } from '#tests/support/app.ts';
import { listReadyMessages, readLettersToSend } from './letters.ts';
import { markDelivered } from './messages.test-world.ts';
import { createVaultApp, type VaultApp } from './vault-app.test-world.ts';

let world: VaultApp;
beforeAll(async () => {
  world = await createVaultApp();
});
afterAll(() => world.close());

const words = { title: 'For the summer', content: 'Go to the sea.', category: 'family', status: 'ready' };
const nell = { name: 'Nell', relation: 'my daughter', email: 'nell@family.example' };
const tom = { name: null, relation: null, email: 'tom@family.example' };
const unsent = { status: null, openedAt: null };
const at = (path: string, id: string) => path.replace(':id', id);

type Browser = Awaited<ReturnType<typeof signedIn>>['browser'];
const write = async (browser: Browser, body: object) =>
  (await browser.send('POST', createMessage.path, { body: { ...words, ...body } })).json();

async function premium(browser: Browser) {
  const { id } = (await browser.send('GET', '/api/user')).json();
  await world.db.execute(sql`update users set plan = 'premium', email_verified = true where id = ${id}`);
  return browser;
}

async function recipientRows(messageId: string) {
  const { rows } = await world.db.execute<Record<'id' | 'person', string>>(
    sql`select id, person from message_recipients where message_id = ${messageId} order by position`,
  );
  return rows;
}

describe('for whom a message is', () => {
  test('can be several people, in the order in which they were named', async () => {
    const { browser } = await signedIn(world);
    const made = await write(browser, { recipients: [nell, tom], showRecipients: true });
    expect(made).toMatchObject({
      recipientEmail: nell.email,
      recipients: [
        { ...nell, ...unsent },
        { ...tom, ...unsent },
      ],
      showRecipients: true,
      position: 1,
    });
    expect((await browser.send('GET', listMessages.path)).json()).toEqual([made]);
    for (const { person } of await recipientRows(made.id)) expect(person).not.toMatch(/Nell|daughter|family/);
  });

  test('is one person without a name where `recipientEmail` is all that is said', async () => {
    const { browser } = await signedIn(world);
    const made = await write(browser, { recipientEmail: ' Nell@Family.example ' });
    expect(made.recipients).toEqual([{ name: null, relation: null, email: nell.email, ...unsent }]);
    expect(made).toMatchObject({ recipientEmail: nell.email, showRecipients: false });
  });

  test('stays the same people in a change that names their addresses again, and is nobody else', async () => {
    const browser = await premium((await signedIn(world)).browser);
    const { id } = await write(browser, { recipients: [nell, tom] });
    const [first, second] = await recipientRows(id);
    const ida = { name: 'Ida', relation: null, email: 'ida@family.example' };
    const renamed = { ...nell, name: 'Nell Ashworth' };
    const body = { ...words, recipients: [ida, renamed] };
    const changed = (await browser.send('PUT', at(updateMessage.path, id), { body })).json();
    expect(changed.recipients).toMatchObject([ida, renamed]);
    const rows = await recipientRows(id);
    expect(rows.map((row) => row.id)).toEqual([expect.any(String), first?.id]);
    expect(rows[0]?.id).not.toBe(second?.id);
  });

  const refused: [string, object, string, string][] = [
    ['nobody', {}, 'recipientEmail', 'Please enter a valid email address'],
    ['an empty list', { recipients: [] }, 'recipients', 'Say for whom this is'],
    [
      'more than there may be',
      { recipients: Array.from({ length: recipientsMax + 1 }, (_, index) => ({ email: `${index}@a.example` })) },
      'recipients',
      'Please keep this to 20 people',
    ],
    ['no address', { recipients: [nell, { name: 'Tom' }] }, 'recipients.1.email', 'Please enter a valid email address'],
    [
      'an address twice, written otherwise',
      { recipients: [nell, { name: 'Somebody', email: 'NELL@family.example' }] },
      'recipients.1.email',
      'This address is in the list already',
    ],
    [
      'a name with a link in it',
      { recipients: [{ ...nell, name: 'www.evil.example' }] },
      'recipients.0.name',
      'Please leave out web and email addresses',
    ],
    [
      'a relation of two lines',
      { recipients: [{ ...nell, relation: 'my\nsister' }] },
      'recipients.0.relation',
      'This must be a single line of text',
    ],
    [
      'another first address than the list has',
      { recipientEmail: tom.email, recipients: [nell, tom] },
      'recipientEmail',
      'This is not the address of the first person in the list',
    ],
    [
      'a place before the first',
      { recipients: [nell], position: 0 },
      'position',
      'Choose a whole number from 1 to 1,000,000',
    ],
  ];

  test.each(refused)('is refused for %s, with a sentence where it is wrong', async (_, body, path, message) => {
    const { browser } = await signedIn(world);
    const answer = await browser.send('POST', createMessage.path, { body: { ...words, ...body } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().issues).toContainEqual(expect.objectContaining({ path, message }));
    expect((await browser.send('GET', listMessages.path)).json()).toEqual([]);
  });

  test('does not count against the plan: a hundred at once for twenty people each make two messages', async () => {
    const { browser } = await signedIn(world);
    const recipients = Array.from({ length: recipientsMax }, (_, index) => ({ email: `${index}@many.example` }));
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => browser.send('POST', createMessage.path, { body: { ...words, recipients } })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(2);
    expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(98);
    const listed: { id: string; recipients: object[]; position: number }[] = (
      await browser.send('GET', listMessages.path)
    ).json();
    expect(listed.map((message) => message.recipients.length)).toEqual([recipientsMax, recipientsMax]);
    expect(listed.map(({ position }) => position).toSorted()).toEqual([1, 2]);
  });
});

describe('what becomes of a message for several people', () => {
  test('is delivered once each has ended and one has it, and says of each what became of theirs', async () => {
    const browser = await premium((await signedIn(world)).browser);
    const { id } = await write(browser, { recipients: [nell, tom] });
    const first = new Date('2026-04-01T00:00:00.000Z');
    await markDelivered(world.db, [{ id, at: first }], ['accepted', 'bounced']);
    expect((await browser.send('GET', listMessages.path)).json()).toMatchObject([
      {
        status: 'delivered',
        deliveredAt: first.toISOString(),
        recipients: [
          { ...nell, status: 'accepted', openedAt: null },
          { ...tom, status: 'bounced', openedAt: null },
        ],
      },
    ]);
  });

  test.each(['pending', 'withdrawn'] as const)(
    'is ready, and can not be changed, while one has it and the letter of another is %s',
    async (fate) => {
      const browser = await premium((await signedIn(world)).browser);
      const { id } = await write(browser, { recipients: [nell, tom] });
      const first = new Date('2026-04-01T00:00:00.000Z');
      await markDelivered(world.db, [{ id, at: first }], ['accepted', fate]);
      const [message] = (await browser.send('GET', listMessages.path)).json();
      expect(message).toMatchObject({ status: 'ready', deliveredAt: first.toISOString() });
      const { userId } = (
        await world.db.execute<{ userId: string }>(sql`select user_id as "userId" from messages where id = ${id}`)
      ).rows[0] as { userId: string };
      const { whole } = await readLettersToSend(world.opened, world.db, userId);
      expect(
        whole.map(({ email }) => email),
        'who has it is sent it no more',
      ).toEqual([tom.email]);
      const answer = await browser.send('PUT', at(updateMessage.path, id), { body: { ...words, recipients: [nell] } });
      expect([answer.statusCode, answer.json().message]).toEqual([
        409,
        'One of its readers can open this message already, so it can no longer be changed. The others get it with your next release.',
      ]);
    },
  );

  test.each([
    ['bounced', 'bounced'],
    ['unopened', 'bounced'],
    ['withdrawn', 'withdrawn'],
  ] as const)('is ready where nobody has it: %s and %s', async (...fates) => {
    const browser = await premium((await signedIn(world)).browser);
    const { id } = await write(browser, { recipients: [nell, tom] });
    await markDelivered(world.db, [{ id, at: new Date() }], fates);
    const [message] = (await browser.send('GET', listMessages.path)).json();
    expect(message).toMatchObject({ status: 'ready', deliveredAt: null });
  });
});

describe('the order of letters', () => {
  test('is that of writing unless their writer gives them places', async () => {
    const browser = await premium((await signedIn(world)).browser);
    const made = [];
    for (const title of ['one', 'two', 'three']) made.push(await write(browser, { title, recipients: [nell] }));
    expect(made.map(({ position }) => position)).toEqual([1, 2, 3]);
    const userId = (await browser.send('GET', '/api/user')).json().id;
    const titles = async () => (await listReadyMessages(world.opened, world.db, userId)).map(({ title }) => title);
    expect(await titles()).toEqual(['one', 'two', 'three']);

    const places = [3, 1, 2];
    for (const [index, { id, title }] of made.entries()) {
      const body = { ...words, title, recipients: [nell], position: places[index] };
      expect((await browser.send('PUT', at(updateMessage.path, id), { body })).json().position).toBe(places[index]);
    }
    expect(await titles()).toEqual(['two', 'three', 'one']);
    // A change that says nothing of it keeps the place.
    const kept = { ...words, title: 'two again', recipients: [nell] };
    await browser.send('PUT', at(updateMessage.path, made[1].id), { body: kept });
    expect(await titles()).toEqual(['two again', 'three', 'one']);
    expect((await write(browser, { recipients: [nell] })).position).toBe(4);
  });
});
