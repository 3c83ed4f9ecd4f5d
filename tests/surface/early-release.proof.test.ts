import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const [priya, tom] = ['priya@friends.example', 'tom@friends.example'];
const reader = 'nell@family.example';
const isWell = 'We have heard from Sam Lee. Nothing was sent';

let everkept: Everkept;
let sam: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Sam, who has changed no setting, with a letter and two contacts whose word counts. */
beforeEach(async () => {
  await everkept.database.db.delete(users);
  await everkept.database.pool.query('delete from rate_limits');
  everkept.mailer.answer(null);
  everkept.mailer.clear();
  sam = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
  await everkept.write(sam, { recipientEmail: reader });
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
  await everkept.befriend(sam, { name: 'Tom Reid', email: tom });
  await everkept.live(4);
  await everkept.signIn(sam);
});

const anybody = () => createBrowser(everkept.app);
const mailsTo = (address: string) =>
  everkept.mailer.sent
    .filter(({ to }) => to.address === address)
    .map(({ subject, text }) => ({ subject, text: text.replace(/\s+/g, ' ') }));
const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject);
const portalOf = (address: string) =>
  everkept.linkTo(address, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');

async function request(contactEmail = priya): Promise<void> {
  const body = { userEmail: sam.email, contactEmail, contactName: 'P. Shah', reason: 'There was an accident.' };
  expect((await anybody().send('POST', '/api/emergency-activate', { body })).statusCode).toBe(202);
  await everkept.work();
}

async function answer(address: string, confirmed: boolean) {
  const body = { confirmed, reason: 'I am with the family.' };
  const answered = await anybody().send('POST', `${portalOf(address)}/confirm-release`, { body });
  expect(answered.statusCode).toBe(200);
  await everkept.work();
  return answered.json<{ message: string }>();
}

const overview = async () =>
  (await sam.browser.send('GET', '/api/release')).json<{
    state: string;
    waitingDays: number;
    lastActivityAt: string;
    timeline: { what: string; at: string }[];
  }>();
const longDate = (date: Date) =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'Europe/London' });

describe('the form and one contact’s yes, with the settings that everybody starts with', () => {
  test('send no letter for three days after the owner’s notice was accepted', async () => {
    everkept.mailer.answer(({ to }) =>
      to.address === sam.email ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
    );
    await request();
    const { message } = await answer(priya, true);
    expect(message).toMatch(/We try to reach Sam for 3 days, until .* at the earliest: they begin when our email/);
    await everkept.live(6);
    expect(subjectsTo(reader), 'while no notice was accepted').toEqual([]);
    expect(await overview()).toMatchObject({ state: 'holding', waitingDays: 3 });

    everkept.mailer.answer(null);
    await everkept.live(1);
    expect(subjectsTo(sam.email)).toContain('Your messages will be delivered in 3 days, unless you check in');
    await everkept.live(1.9);
    expect(subjectsTo(reader), 'on the third day').toEqual([]);
    await everkept.live(1.2);
    expect(subjectsTo(reader)).toHaveLength(1);
  });

  test('are stopped by the owner’s check-in on the second day, and the contacts hear that nothing was sent', async () => {
    await request();
    await answer(priya, true);
    await everkept.live(2);
    expect((await sam.browser.send('POST', '/api/checkin')).statusCode).toBe(200);
    await everkept.live(20);
    expect(subjectsTo(reader)).toEqual([]);
    expect([subjectsTo(priya).at(-1), subjectsTo(tom).at(-1)]).toEqual([isWell, isWell]);
    expect((await anybody().send('GET', portalOf(priya))).statusCode).toBe(404);
  });

  test.each([
    [
      'the link in the notice',
      () => anybody().send('POST', everkept.linkTo(sam.email, '/check-in/').replace('/', '/api/')),
    ],
    ['Stop', () => sam.browser.send('POST', '/api/release/stop')],
    ['a sign-in', async () => ({ statusCode: await everkept.signIn(sam).then(() => 200) })],
  ])('are ended by %s', async (_, act) => {
    await request();
    await answer(priya, true);
    await everkept.live(1);
    expect((await act()).statusCode).toBe(200);
    await everkept.live(5);
    expect(subjectsTo(reader)).toEqual([]);
    expect(await overview()).toMatchObject({ state: 'watching' });
  });

  test('say the day to the owner and to every contact, and give the others a link whose no ends it', async () => {
    await request();
    await answer(priya, true);
    // Sam has signed in a moment ago.
    const day = longDate(new Date(Date.parse((await overview()).lastActivityAt) + 3 * 86_400_000));
    expect(mailsTo(sam.email).at(-1)?.text).toContain(`nothing goes before ${day}`);
    expect(mailsTo(tom).at(-1)?.text).toContain(`We try to reach Sam for 3 days, until ${day} at the earliest.`);
    expect((await overview()).timeline.find(({ what }) => what === 'holding_until')?.at).toBeTruthy();
    const page = (await anybody().send('GET', portalOf(priya))).json<{ outcome: string }>();
    expect(page.outcome).toContain(`We try to reach Sam until ${day}. Then the letters go.`);

    await everkept.live(2);
    expect((await anybody().send('GET', portalOf(tom))).json()).toMatchObject({ state: 'open', waitingDays: 3 });
    await answer(tom, false);
    const [toSam, toPriya] = [subjectsTo(sam.email).at(-1), subjectsTo(priya).at(-1)];
    expect([toSam, toPriya]).toEqual(['Sam, please log in now', 'Sam Lee: the request has ended. Nothing was sent']);
    await everkept.live(10);
    expect(subjectsTo(reader)).toEqual([]);
    expect((await anybody().send('GET', portalOf(priya))).json()).toMatchObject({ state: 'stopped' });
  });

  test('leave the reader’s letters shut though the reader is the contact', async () => {
    await everkept.write(sam, { recipientEmail: priya });
    await request();
    await answer(priya, true);
    await everkept.live(2.9);
    expect(mailsTo(priya).some(({ text }) => text.includes('/message-delivery/'))).toBe(false);
  });

  test('begin a wait of their own each time', async () => {
    await request();
    await answer(priya, true);
    await everkept.live(2.9);
    await everkept.signIn(sam);
    await everkept.live(1);
    await request();
    await answer(priya, true);
    await everkept.live(2.9);
    expect(subjectsTo(reader)).toEqual([]);
  });
});

describe('fewer days', () => {
  const choose = (waitingDays: number) =>
    sam.browser.send('PUT', '/api/release/preferences', { body: { quorum: 1, waitingDays, answerDays: 7 } });

  test('are asked for with a fresh sign-in, and within limits', async () => {
    await everkept.jump(0.01);
    for (const days of [0, 2]) {
      const refused = await choose(days);
      expect([refused.statusCode, refused.json()]).toMatchObject([403, { type: 'REAUTHENTICATION_REQUIRED' }]);
    }
    await everkept.signIn(sam);
    expect((await choose(31)).statusCode).toBe(400);
    expect((await choose(-1)).statusCode).toBe(400);
    expect((await choose(0)).statusCode).toBe(200);
    expect(await overview()).toMatchObject({ waitingDays: 0 });
  });

  test('days that an attacker writes into the row shorten no announced wait', async () => {
    await request();
    await everkept.database.db.update(users).set({ releaseWaitingDays: 0 });
    await answer(priya, true);
    await everkept.live(2.9);
    expect(subjectsTo(reader)).toEqual([]);
    await everkept.live(0.3);
    expect(subjectsTo(reader)).toHaveLength(1);
  });
});

test('a silence that is complete still releases within minutes of a contact’s yes', async () => {
  await everkept.live(92);
  expect((await anybody().send('GET', portalOf(priya))).json()).toMatchObject({ isEarly: false, waitingDays: 0 });
  expect(await answer(priya, true)).toMatchObject({ message: 'The messages will be delivered within minutes.' });
  await everkept.live(0.01);
  expect(subjectsTo(reader)).toHaveLength(1);
});
