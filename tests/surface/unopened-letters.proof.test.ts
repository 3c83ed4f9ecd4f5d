import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const [priya, tom] = ['priya@friends.example', 'tom@friends.example'];
const [nell, jon] = ['nell@family.example', 'jon@family.example'];
const asksForHelp = 'Nobody has opened a message that Sam Lee left. Can you help?';

let everkept: Everkept;
let sam: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

beforeEach(async () => {
  await everkept.database.db.delete(users);
  await everkept.database.pool.query('delete from rate_limits');
  everkept.mailer.answer(null);
  everkept.mailer.clear();
  sam = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
});

const anybody = () => createBrowser(everkept.app);
const subjectsTo = (address: string) =>
  everkept.mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);
const asksTo = (address: string) => subjectsTo(address).filter((subject) => subject.includes('opened'));
const pathOf = (address: string, page: string) => everkept.linkTo(address, `/${page}/`).replace('/', '/api/');
const letterOf = (address: string) => pathOf(address, 'message').replace('/message/', '/message-delivery/');

const textOf = (address: string, wanted: string) =>
  everkept.mailer.sent
    .find(({ to, subject }) => to.address === address && subject === wanted)
    ?.text.replace(/\s+/g, ' ');

type Page = {
  letters: { id: string; title: string; state: string; recipientEmail: string }[];
  privateLetterCount: number;
};
const pageOf = async (address: string) => (await anybody().send('GET', pathOf(address, 'new-address'))).json<Page>();
async function press(address: string, what: 'proposals' | 'answers', body: object): Promise<number> {
  const answer = await anybody().send('POST', `${pathOf(address, 'new-address')}/${what}`, { body });
  await everkept.work();
  return answer.statusCode;
}

/** Sam's silence is over, and letters have left; of `contacts`, who were all asked, the first has confirmed. */
async function released(letters: string[], contacts = [priya]): Promise<void> {
  for (const recipientEmail of letters) {
    await everkept.write(sam, { title: `For ${recipientEmail}`, recipientEmail, visibleToTrustedContact: true });
  }
  for (const email of contacts) await everkept.befriend(sam, { name: `${email.split('@')[0]} Shah`, email });
  await everkept.signIn(sam);
  const body = { releaseMethod: 'inactivity', inactivityDays: 90 };
  expect((await sam.browser.send('PUT', '/api/user/release-settings', { body })).statusCode).toBe(200);
  await everkept.live(90.5);
  const [first] = contacts;
  if (first) {
    const confirmation = { body: { confirmed: true, reason: 'I was at the funeral.' } };
    await anybody().send('POST', `${pathOf(first, 'trusted-contact-admin')}/confirm-release`, confirmation);
    await everkept.work();
  } else await everkept.live(8);
  for (const recipientEmail of letters) expect(subjectsTo(recipientEmail)).toHaveLength(1);
}

describe('a letter that was not opened in its thirty days', () => {
  test('is reported to the contacts once, who can give another address, and there it arrives', async () => {
    await released([nell], [priya, tom]);
    await everkept.live(29);
    expect(asksTo(priya)).toEqual([]);
    await everkept.live(1.5);
    expect([asksTo(priya), asksTo(tom)]).toEqual([[asksForHelp], [asksForHelp]]);
    expect(textOf(priya, asksForHelp)).toContain('We wrote three times.');
    const { letters } = await pageOf(priya);
    expect(letters).toMatchObject([{ title: `For ${nell}`, state: 'unopened', recipientEmail: nell }]);

    const proposal = { letterId: letters[0]?.id, address: 'nell@new.example', reason: 'She has moved.' };
    expect(await press(priya, 'proposals', { ...proposal, address: nell })).toBe(409);
    expect(await press(priya, 'proposals', proposal)).toBe(200);
    expect(await press(tom, 'answers', { letterId: letters[0]?.id, address: 'nell@new.example', agrees: true })).toBe(
      200,
    );
    expect(subjectsTo('nell@new.example')).toHaveLength(1);
    expect((await anybody().send('GET', letterOf('nell@new.example'))).statusCode).toBe(200);
    await everkept.live(20);
    expect(asksTo(priya), 'once').toEqual([asksForHelp]);
  });

  test('is reported with the number of emails that left, if a freeze held the reminders', async () => {
    await released([nell]);
    const freeze = (releaseFrozenAt: Date | null) => everkept.database.db.update(users).set({ releaseFrozenAt });
    await freeze(new Date());
    await everkept.live(31);
    expect([asksTo(priya), subjectsTo(nell).length]).toEqual([[], 1]);
    await freeze(null);
    await everkept.live(1);
    expect(subjectsTo(nell)).toHaveLength(1);
    expect(textOf(priya, asksForHelp)).toContain('We wrote once.');
  });

  test('can still be fetched with the old email, and is readable for thirty days more', async () => {
    await released([nell]);
    await everkept.live(31);
    const path = letterOf(nell);
    expect((await anybody().send('GET', path)).statusCode).toBe(404);
    expect((await anybody().send('POST', `${path}/renew`)).statusCode).toBe(200);
    await everkept.work();
    expect((await anybody().send('GET', path)).statusCode).toBe(200);
    expect(await pageOf(priya)).toMatchObject({ letters: [], privateLetterCount: 0 });
    await everkept.live(31);
    expect(asksTo(priya), 'again unopened').toHaveLength(2);
  });

  test('is not brought back by the old link once it is at another address', async () => {
    await released([nell]);
    await everkept.live(31);
    const path = letterOf(nell);
    const letterId = (await pageOf(priya)).letters[0]?.id;
    expect(await press(priya, 'proposals', { letterId, address: 'nell@new.example', reason: 'She has moved.' })).toBe(
      200,
    );
    // The old address accepts the notice too, as it accepted all before: acceptance does not mean that it was read.
    expect(subjectsTo(nell).at(-1)).toBe('A message from Sam Lee, once more at this address');
    await everkept.live(6.9);
    expect(subjectsTo('nell@new.example')).toEqual([]);
    await everkept.live(0.3);
    expect(subjectsTo('nell@new.example')).toHaveLength(1);
    const mails = subjectsTo(nell).length;
    expect((await anybody().send('POST', `${path}/renew`)).statusCode).toBe(200);
    await everkept.work();
    expect(subjectsTo(nell)).toHaveLength(mails);
  });

  test('stays at the old address where its reader asks for it before another one is used', async () => {
    await released([nell]);
    await everkept.live(31);
    const letterId = (await pageOf(priya)).letters[0]?.id;
    const proposal = { letterId, address: 'nell@new.example', reason: 'She has moved.' };
    expect(await press(priya, 'proposals', proposal)).toBe(200);
    const path = letterOf(nell);
    expect((await anybody().send('GET', path)).statusCode, 'its time is over').toBe(404);
    expect((await anybody().send('POST', `${path}/renew`)).statusCode).toBe(200);
    await everkept.work();
    expect((await anybody().send('GET', path)).statusCode).toBe(200);
    await everkept.live(10);
    expect(subjectsTo('nell@new.example')).toEqual([]);
  });

  test('an opened letter is not among the reported ones', async () => {
    await released([nell, jon]);
    expect((await anybody().send('POST', `${letterOf(nell)}/opened`)).statusCode).toBe(200);
    await everkept.live(31);
    expect(asksTo(priya)).toEqual([asksForHelp]);
    expect((await pageOf(priya)).letters.map(({ recipientEmail }) => recipientEmail)).toEqual([jon]);
  });

  test('waits for outages: its days are healthy ones', async () => {
    await released([nell]);
    await everkept.jump(40);
    await everkept.live(1);
    expect(asksTo(priya)).toEqual([]);
    await everkept.live(30);
    expect(asksTo(priya)).toEqual([asksForHelp]);
  });

  test('is reported to the operator if there is no contact', async () => {
    await released([nell], []);
    await everkept.live(31);
    expect(subjectsTo(adminEmail)).toContain('Everkept: a message waits, and there is nobody to ask');
  });

  test('has left all the same: who signs in afterwards is asked who they are', async () => {
    await released([nell]);
    await everkept.live(31);
    await everkept.signIn(sam);
    const { question } = (await sam.browser.send('GET', '/api/release')).json<{ question: object | null }>();
    expect(question).not.toBeNull();
  });

  test('is taken back when its owner returns, and its recipient is notified', async () => {
    await released([nell]);
    await everkept.live(31);
    const path = pathOf(sam.email, 'check-in');
    expect((await anybody().send('POST', path)).statusCode).toBe(200);
    await everkept.work();
    expect(subjectsTo(nell).at(-1)).toBe('We have heard from Sam Lee. Our earlier email can be ignored');
    const sent = subjectsTo(nell).length;
    await anybody().send('POST', `${letterOf(nell)}/renew`);
    await everkept.live(5);
    expect(subjectsTo(nell)).toHaveLength(sent);
  });
});
