import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const nell = { name: 'Nell', relation: 'my daughter', email: 'nell@family.example' };
const tom = { name: 'Tom', relation: 'my brother', email: 'tom@family.example' };

type Letter = { title: string; letters: { token: string; title: string; position: number }[] };

const subjects = (address: string) =>
  everkept.mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);
const read = async (token: string): Promise<Letter & { statusCode: number }> => {
  const answer = await createBrowser(everkept.app).send('GET', `/api/message-delivery/${token}`);
  return { statusCode: answer.statusCode, ...answer.json() };
};
const open = (token: string) => createBrowser(everkept.app).send('POST', `/api/message-delivery/${token}/opened`);
const linkTo = (address: string) => everkept.tokenFor(address, '/message/');
const messagesOf = async (owner: Owner) => (await owner.browser.send('GET', '/api/messages')).json();

async function ownerWith(contact: string, messages: readonly object[]): Promise<Owner> {
  const owner = await everkept.signUp({ firstName: 'Sam', lastName: 'Ashworth' });
  await everkept.database.pool.query("update users set plan = 'premium' where id = $1", [owner.userId]);
  for (const message of messages) {
    const body = { content: 'Be kind.', category: 'family', status: 'ready', ...message };
    expect((await owner.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
  }
  await everkept.befriend(owner, { name: 'Priya Shah', email: contact });
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  return owner;
}

test('each person gets one mail with all that is for them, and the owner who comes back sees what each has read', async () => {
  const owner = await ownerWith('priya@friends.example', [
    { title: 'The second', recipients: [nell], position: 2 },
    { title: 'The first', recipients: [nell, tom], position: 1, showRecipients: true },
  ]);
  everkept.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await everkept.live(98);
  expect(subjects(nell.email)).toEqual(['Sam Ashworth wrote 2 messages for you']);
  const page = await read(linkTo(nell.email));
  expect(page).toMatchObject({ title: 'The first', alsoFor: [] });
  expect(page.letters.map(({ title, position }) => [position, title])).toEqual([
    [1, 'The first'],
    [2, 'The second'],
  ]);
  const second = page.letters[1]?.token ?? '';
  expect(await read(second)).toMatchObject({ title: 'The second', alsoFor: [] });
  expect((await open(second)).statusCode).toBe(200);
  expect(await read(second)).toMatchObject({ alsoFor: [] });

  // In the middle: Tom's letter is still on its way, and one of Nell's has been read.
  const somebody = { ...owner, browser: createBrowser(everkept.app) };
  await everkept.signIn(somebody);
  expect((await somebody.browser.send('POST', '/api/release/answer', { body: { take: 'back' } })).statusCode).toBe(200);
  everkept.mailer.answer(null);
  await everkept.live(2);
  expect(subjects(tom.email), 'nothing more leaves').toEqual([]);
  expect((await read(linkTo(nell.email))).statusCode).toBe(404);
  const left = await read(second);
  expect([left.statusCode, left.letters.map(({ title }) => title)]).toEqual([200, ['The second']]);
  const byTitle = Object.fromEntries((await messagesOf(somebody)).map((each: { title: string }) => [each.title, each]));
  expect(byTitle['The second']).toMatchObject({
    status: 'delivered',
    recipients: [{ ...nell, status: 'accepted', openedAt: expect.any(String) }],
  });
  expect(byTitle['The first']).toMatchObject({
    status: 'ready',
    deliveredAt: null,
    recipients: [
      { ...nell, status: 'withdrawn', openedAt: null },
      { ...tom, status: 'cancelled', openedAt: null },
    ],
  });
  const { deliveries } = (await somebody.browser.send('GET', '/api/release')).json();
  expect(
    deliveries
      .map(({ recipient, status }: { recipient: string; status: string }) => `${recipient} ${status}`)
      .toSorted(),
  ).toEqual(['Nell accepted', 'Nell withdrawn', 'Tom cancelled']);
});

test('a contact reads after a release how many messages went, and not how many readers they had', async () => {
  const nora = { ...nell, email: 'nora@counted.example' };
  const tess = { ...tom, email: 'tess@counted.example' };
  await ownerWith('kim@counted.example', [
    { title: 'For one', recipients: [nora] },
    { title: 'For two', recipients: [nora, tess] },
  ]);
  await everkept.live(98);
  const last = everkept.mailer.sent.filter(({ to }) => to.address === 'kim@counted.example').at(-1);
  expect(last?.subject).toBe('Sam Ashworth: the messages have been delivered');
  expect(last?.text).toContain('2 messages that Sam wrote have been delivered.');
});

test('a message that one has read goes to the others alone with the next release, in its old words', async () => {
  const owner = await ownerWith('ada@friends.example', [{ title: 'For two', recipients: [nell, tom] }]);
  everkept.mailer.clear();
  everkept.mailer.answer(({ to }) =>
    to.address === tom.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await everkept.live(98);
  await open(linkTo(nell.email));
  const somebody = { ...owner, browser: createBrowser(everkept.app) };
  await everkept.signIn(somebody);
  await somebody.browser.send('POST', '/api/release/answer', { body: { take: 'back' } });
  const [message] = await messagesOf(somebody);
  expect(message).toMatchObject({ status: 'ready', recipients: [{ status: 'accepted' }, { status: 'cancelled' }] });
  const body = { title: 'Other words', content: 'Never mind.', recipients: [tom], status: 'ready' };
  expect((await somebody.browser.send('PUT', `/api/messages/${message.id}`, { body })).statusCode).toBe(409);

  everkept.mailer.answer(null);
  const before = subjects(nell.email).filter((subject) => subject.includes('wrote'));
  await everkept.live(98);
  expect(subjects(nell.email).filter((subject) => subject.includes('wrote'))).toEqual(before);
  expect(subjects(tom.email)).toContain('Sam Ashworth wrote a message for you');
  expect(await read(linkTo(tom.email))).toMatchObject({ title: 'For two' });
  const { rows } = await everkept.database.pool.query(
    'select status, delivered_at is not null as is_dated from messages where id = $1',
    [message.id],
  );
  expect(rows).toEqual([{ status: 'delivered', is_dated: true }]);
});

test('other readers of a letter are named after it was opened, and not before', async () => {
  await ownerWith('kim@friends.example', [
    { title: 'For both', recipients: [nell, { ...tom, email: 'thomas@family.example' }], showRecipients: true },
  ]);
  await everkept.live(98);
  const token = linkTo('thomas@family.example');
  expect(await read(token)).toMatchObject({ alsoFor: [] });
  expect((await open(token)).statusCode).toBe(200);
  expect(await read(token)).toMatchObject({ alsoFor: ['Nell'] });
});
