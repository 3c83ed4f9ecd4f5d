import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createReleaseWorld, nowhere } from '#server/features/release/release.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const tom = 'tom@friends.example';
const reason = 'There was an accident, and nobody can reach them.';
const operatorSubject = 'Everkept: an early release waits until you look';
let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.db.delete(users);
  everkept.mailer.clear();
});

/** Mailboxes of readers, with different names. */
const readers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `reader${from + index}@family.example`);
const writeTo = async (owner: Owner, addresses: readonly string[]) => {
  const recipients = addresses.map((email) => ({ name: null, relation: null, email }));
  const body = { title: 'For you', content: 'Be kind.', category: 'family', status: 'ready', recipients };
  return owner.browser.send('POST', '/api/messages', { body });
};

async function ownerWith(letters: readonly (readonly string[])[], plan = 'free', waitingDays = 0): Promise<Owner> {
  const owner = await everkept.signUp({ firstName: 'Ines' });
  await everkept.database.pool.query('update users set plan = $1 where id = $2', [plan, owner.userId]);
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  const preferences = { quorum: 1, waitingDays, answerDays: 7 };
  await owner.browser.send('PUT', '/api/release/preferences', { body: preferences });
  for (const addresses of letters) expect((await writeTo(owner, addresses)).statusCode).toBe(201);
  await everkept.befriend(owner, { name: 'Tom Lee', email: tom });
  await everkept.live(4);
  everkept.mailer.clear();
  return owner;
}

async function confirmEarly(owner: Owner): Promise<string> {
  await everkept.database.pool.query('delete from rate_limits');
  const form = { userEmail: owner.email, contactEmail: tom, contactName: 'Tom Lee', reason };
  await createBrowser(everkept.app).send('POST', '/api/emergency-activate', { body: form });
  await everkept.work();
  const portal = `/api${everkept.linkTo(tom, '/trusted-contact-admin/')}`;
  const body = { confirmed: true, reason };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => createBrowser(everkept.app).send('POST', `${portal}/confirm-release`, { body })),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  await everkept.live(0.1);
  return portal;
}

const mailsTo = (address: string) =>
  everkept.mailer.sent
    .filter(({ to }) => to.address === address)
    .map(({ subject, text }) => ({ subject, text: text.replace(/\s+/g, ' ') }));
const letters = () => everkept.mailer.sent.filter(({ subject }) => subject.includes('wrote a message for you'));
const operatorMails = () => mailsTo(adminEmail).filter(({ subject }) => subject === operatorSubject);
const waiting = async () => (await everkept.releases.freezes()).earlyReviews;
const comeBack = async (owner: Owner) => {
  await everkept.signIn(owner);
  await owner.browser.send('POST', '/api/release/answer', { body: { take: 'back' } });
  await everkept.work();
};

describe('an early release of a free account', () => {
  test('to more than ten new mailboxes waits for the operator, and everyone concerned reads why', async () => {
    const owner = await ownerWith([readers(11)]);
    const portal = await confirmEarly(owner);
    await everkept.live(10);
    expect(letters()).toEqual([]);
    expect(await waiting()).toEqual([owner.email]);
    expect(operatorMails()).toHaveLength(1);
    expect(operatorMails()[0]?.text).toContain(`release resume ${owner.email}`);
    expect(operatorMails()[0]?.text).toContain('11 mailboxes');
    const told = [mailsTo(owner.email), mailsTo(tom)].map((mails) =>
      mails.filter(({ subject }) => subject.includes('early release') && subject.includes('waits for a review')),
    );
    expect(told.map(({ length }) => length)).toEqual([1, 1]);
    for (const [mail] of told) expect(mail?.text).toContain('many people whom we have not written to');
    const page = (await createBrowser(everkept.app).send('GET', portal)).json();
    expect(page).toMatchObject({ held: { by: 'early_review', until: null } });
    expect(page.outcome).toContain('so the people who run Everkept must allow this release first');

    expect(await everkept.releases.resumeOwner(owner.email.toUpperCase())).toBe('done');
    await everkept.work();
    expect(letters()).toHaveLength(11);
    expect(await waiting()).toEqual([]);
    expect(operatorMails()).toHaveLength(1);
  });

  test('names no day for its letters in an email while it waits, and the days again once it is allowed', async () => {
    const owner = await ownerWith([readers(11)], 'free', 3);
    await confirmEarly(owner);
    await everkept.live(1.2);
    const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject);
    const ofWait = () => subjectsTo(owner.email).filter((subject) => subject.endsWith('unless you check in'));
    expect(ofWait().length).toBeGreaterThanOrEqual(2);
    for (const subject of ofWait()) expect(subject).toBe('Your messages are to be delivered, unless you check in');
    expect(subjectsTo(tom).filter((subject) => subject.includes('you confirmed'))).toEqual([
      expect.stringContaining('This release waits for a review'),
    ]);
    await everkept.releases.resumeOwner(owner.email);
    everkept.mailer.clear();
    await everkept.live(2.5);
    expect(ofWait()[0] ?? '').toMatch(/^Your messages will be delivered on /);
    expect(letters()).toHaveLength(11);
  });

  test('to ten mailboxes goes without a check, and ten other ones later wait, also if the letter was deleted', async () => {
    const owner = await ownerWith([readers(10)]);
    await confirmEarly(owner);
    expect(letters()).toHaveLength(10);
    await comeBack(owner);
    const [{ id }] = (await owner.browser.send('GET', '/api/messages')).json();
    expect((await owner.browser.send('DELETE', `/api/messages/${id}`)).statusCode).toBe(204);
    await everkept.live(2);
    await everkept.signIn(owner);
    expect((await writeTo(owner, readers(10, 10))).statusCode).toBe(201);
    everkept.mailer.clear();
    await confirmEarly(owner);
    await everkept.live(1);
    expect([letters().length, operatorMails().length]).toEqual([0, 1]);
  });

  test('to mailboxes that the operator let go once goes without a check afterwards', async () => {
    const owner = await ownerWith([readers(11)]);
    await confirmEarly(owner);
    await everkept.releases.resumeOwner(owner.email);
    await everkept.work();
    await comeBack(owner);
    await everkept.live(2);
    everkept.mailer.clear();
    await confirmEarly(owner);
    expect([letters().length, operatorMails().length]).toEqual([11, 0]);
  });

  test('is taken over by silence, which is never checked', async () => {
    const owner = await ownerWith([readers(11)]);
    await everkept.live(80);
    await confirmEarly(owner);
    expect([letters().length, await waiting()]).toEqual([0, [owner.email]]);
    await everkept.live(16);
    expect(letters()).toHaveLength(11);
  });
});

test('a release by silence to twenty mailboxes is not checked', async () => {
  await ownerWith([readers(20)]);
  await everkept.live(100);
  expect([letters().length, operatorMails().length]).toEqual([20, 0]);
});

describe('an early release of an account with a plan', () => {
  test('is checked within the first 30 days', async () => {
    const owner = await ownerWith([readers(11)], 'premium');
    await confirmEarly(owner);
    expect([letters().length, await waiting()]).toEqual([0, [owner.email]]);
  });

  test('is not checked after the first 30 days', async () => {
    const owner = await ownerWith([readers(11)], 'premium');
    await everkept.live(30);
    await confirmEarly(owner);
    expect([letters().length, await waiting()]).toEqual([11, []]);
  });

  test('counts twelve spellings of one mailbox as one, and still writes to each address as it stands', async () => {
    const spellings = Array.from({ length: 12 }, (_, index) => [`victim+${index}@mail.example`]);
    const owner = await ownerWith(spellings, 'premium');
    await confirmEarly(owner);
    expect(await waiting()).toEqual([]);
    expect(everkept.mailer.sent.filter(({ to }) => to.address.startsWith('victim'))).toHaveLength(12);
  });
});

test('a letter to two spellings of one mailbox is refused with a sentence', async () => {
  const owner = await everkept.signUp();
  const answer = await writeTo(owner, ['victim+0@mail.example', 'victim+1@mail.example']);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().issues).toEqual([
    { path: 'recipients.1.email', message: 'This mailbox is in the list already, written as victim+0@mail.example' },
  ]);
});

test('without an operator an early release under review says so, and the command line can still allow it', async () => {
  const world = await createReleaseWorld({ adminEmail: null });
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact', releaseWaitingDays: 0 });
  const priya = await world.befriend(owner, 'Priya');
  for (const reader of readers(11)) await world.write(owner, reader);
  await world.db.update(users).set({ plan: 'free' }).where(eq(users.id, owner.userId));
  await world.live(4);
  await world.releases.requestEmergency({ ownerId: owner.userId, contactId: priya.id, origin: nowhere });
  await world.live(0.1);
  await world.answer(priya, true);
  await world.live(0.1);
  const toldTo = (address: string) =>
    world.mailer.sent
      .filter(({ to, subject }) => to.address === address && subject.includes('early release'))
      .map(({ text }) => text.replace(/\s+/g, ' '));
  expect(toldTo(owner.email)).toEqual([expect.stringContaining('No one is named here whom we can email about it')]);
  expect(toldTo(priya.email)).toEqual([expect.stringContaining('please ask them to look')]);
  for (const text of [...toldTo(owner.email), ...toldTo(priya.email)]) expect(text).not.toContain('look at it');
  expect(world.logged.splice(0).map(({ message }) => message)).toEqual([
    'An early release waits for a review, and ADMIN_EMAIL names no operator: see everkept release show.',
  ]);
  expect(await world.releases.resumeOwner(owner.email)).toBe('done');
  await world.live(0.1);
  expect(world.subjects('reader0@family.example')).toHaveLength(1);
  await world.close();
});
