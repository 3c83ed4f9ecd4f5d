import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { receiveReturnedMail } from '#server/features/bounces/returned-mail.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { failureReport } from '#tests/support/failure-reports.ts';

const priya = 'priya@friends.example';
const reader = 'nell@family.example';
const [lastSubject, letterSubject] = ['Check in before', 'wrote a message for you'];

let everkept: Everkept;
let sam: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Sam, silent from now on, with a letter to Nell and a contact. */
beforeEach(async () => {
  await everkept.database.db.delete(users);
  await everkept.database.db.delete(notifications);
  await everkept.database.pool.query('delete from rate_limits');
  everkept.mailer.answer(null);
  everkept.mailer.clear();
  sam = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
  await everkept.write(sam, { recipientEmail: reader, visibleToTrustedContact: true });
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
  await everkept.signIn(sam);
  await choose('inactivity');
});

async function choose(releaseMethod: string): Promise<void> {
  const body = { releaseMethod, inactivityDays: 90 };
  const answer = await sam.browser.send('PUT', '/api/user/release-settings', { body });
  expect(answer.statusCode).toBe(200);
}

const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject);
const questionsTo = (address: string) => subjectsTo(address).filter((subject) => subject.includes('please tell us'));
const last = (address: string, subject = '') => {
  const mail = mailsTo(address).findLast((each) => each.subject.includes(subject));
  if (!mail) throw new Error(`No mail to ${address} says ${subject}: ${subjectsTo(address).join(', ')}`);
  return mail;
};
/** Another server returns the newest such mail, and the report is processed. */
async function comeBack(address: string, { subject = '', status = '5.1.1' } = {}) {
  const { returnPath } = last(address, subject);
  const receipt = await receiveReturnedMail(everkept.opened, failureReport({ returnPath, address, status }));
  await everkept.work();
  return receipt;
}
/** Reminders that failed but count. */
const countedAsTried = async () =>
  (await everkept.database.pool.query(`select email_outcome from release_notices where email_outcome = 'tried'`)).rows;
/** One more mail to an address, which is kept there. */
async function writeTo(address: string): Promise<void> {
  const at = new Date();
  const mail = { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' };
  const cause = { channel: 'email', kind: 'billing.receipt', userId: null, subjectId: null } as const;
  const to = { address };
  await enqueueNotification(everkept.opened, everkept.database.db, { ...cause, dedupeKey: 'kept', at, to, mail });
}

const anybody = () => createBrowser(everkept.app);
const status = async () => {
  const [letter] = (await sam.browser.send('GET', '/api/messages')).json<{ status: string }[]>();
  return letter?.status;
};
async function confirm(): Promise<void> {
  const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
  const body = { confirmed: true, reason: 'I was at the funeral.' };
  expect((await anybody().send('POST', `${path}/confirm-release`, { body })).statusCode).toBe(200);
  await everkept.work();
}

describe('a letter that was accepted and comes back', () => {
  beforeEach(async () => {
    await everkept.live(91);
    await confirm();
    expect(subjectsTo(reader)).toHaveLength(1);
  });

  test('has the contacts told, who can give another address, and there it arrives', async () => {
    expect(await comeBack(reader)).toBe('taken_back');
    expect(last(priya).subject).toBe('We could not reach somebody Sam Lee wrote to. Can you help?');
    const page = everkept.linkTo(priya, '/new-address/').replace('/new', '/api/new');
    const shown = (await anybody().send('GET', page)).json<{ letters: { address: string; id: string }[] }>();
    expect(JSON.stringify(shown)).toContain(reader);
  });

  test('is sent again a day later with the same link, and a mailbox that accepts it then has it', async () => {
    const path = everkept.linkTo(reader, '/message/');
    await comeBack(reader);
    await everkept.live(1.1);
    expect(mailsTo(reader)).toHaveLength(2);
    expect(everkept.linkTo(reader, '/message/')).toBe(path);
    const told = subjectsTo(priya).filter((subject) => subject.includes('could not reach'));
    expect(told, 'the contacts are asked once').toHaveLength(1);
  });

  test('three times, while its domain accepts other mail, ends there with a dead link', async () => {
    const path = everkept.linkTo(reader, '/message/').replace('/message/', '/api/message-delivery/');
    await everkept.writeToNeighbour(reader, 4);
    for (let time = 0; time < 3; time += 1) {
      await everkept.live(0.1);
      expect(await comeBack(reader)).toBe('taken_back');
      await everkept.live(1.1);
    }
    expect((await anybody().send('GET', path)).statusCode).toBe(404);
    expect(subjectsTo(reader)).toHaveLength(3);
    const told = subjectsTo(priya).filter((subject) => subject.includes('could not reach'));
    expect(told, 'the contacts are asked once').toHaveLength(1);
  });

  test('for a reason that is none of the mailbox is sent again a day later, the same with the same link', async () => {
    const first = last(reader);
    expect(await comeBack(reader, { status: '5.7.1' })).toBe('taken_back');
    await everkept.live(1.1);
    const again = mailsTo(reader);
    expect(again).toHaveLength(2);
    const withoutDays = (text = '') => text.replace(/\d{1,2} January/g, '');
    expect(withoutDays(again[1]?.text), 'but for the day, which it leaves with').toBe(withoutDays(first.text));
    expect(again[1]?.messageId).toBe(first.messageId);
    expect(again[1]?.returnPath, 'each try has a return path of its own').not.toBe(first.returnPath);
    expect(subjectsTo(priya).join()).not.toContain('could not reach');
  });

  test('once it was opened counts as read all the same', async () => {
    const path = everkept.linkTo(reader, '/message/').replace('/message/', '/api/message-delivery/');
    expect((await anybody().send('POST', `${path}/opened`)).statusCode).toBe(200);
    expect(await comeBack(reader)).toBe('no_change');
    expect((await anybody().send('GET', path)).statusCode).toBe(200);
  });

  test('after the owner took it back is not sent again', async () => {
    const { returnPath } = last(reader, letterSubject);
    const checkIn = everkept.linkTo(sam.email, '/check-in/').replace('/check', '/api/check');
    expect((await anybody().send('POST', checkIn)).statusCode).toBe(200);
    await everkept.work();
    const sent = subjectsTo(reader).length;
    await receiveReturnedMail(everkept.opened, failureReport({ returnPath, address: reader, status: '5.7.1' }));
    await everkept.live(10);
    expect(subjectsTo(reader)).toHaveLength(sent);
    await everkept.signIn(sam);
    expect(await status()).toBe('ready');
  });

  test('by a report that comes twice, or 15 days later, changes nothing more', async () => {
    const { returnPath } = last(reader);
    const report = failureReport({ returnPath, address: reader, status: '5.7.1' });
    expect(await receiveReturnedMail(everkept.opened, report)).toBe('taken_back');
    expect(await receiveReturnedMail(everkept.opened, report)).toBe('no_change');
    await everkept.live(1.1);
    expect(await receiveReturnedMail(everkept.opened, report), 'of the try before').toBe('no_change');
    const late = failureReport({ returnPath: last(reader).returnPath, address: reader });
    await everkept.live(15);
    expect(await receiveReturnedMail(everkept.opened, late)).toBe('no_change');
  });
});

describe('a reminder of an unopened letter that comes back', () => {
  beforeEach(async () => {
    await everkept.live(91);
    await confirm();
    await everkept.live(7.2);
    expect(subjectsTo(reader)).toHaveLength(2);
  });
  const told = () => subjectsTo(priya).filter((subject) => subject.includes('could not reach'));
  const letterStatus = async () =>
    (await everkept.database.pool.query<{ status: string }>('select status from message_deliveries')).rows[0]?.status;

  test('once, because of its mailbox, leaves the letter as it is, and comes again a day later', async () => {
    await everkept.writeToNeighbour(reader, 4);
    await everkept.live(0.3);
    expect(await comeBack(reader)).toBe('taken_back');
    expect(await letterStatus()).toBe('accepted');
    expect(told()).toEqual([]);
    await everkept.live(1.1);
    expect(subjectsTo(reader)).toHaveLength(3);
    expect(await letterStatus()).toBe('accepted');
  });

  test('on three days, because its mailbox is closed, ends the letter, and the contacts are asked', async () => {
    await everkept.writeToNeighbour(reader, 5);
    for (let time = 0; time < 3; time += 1) {
      await everkept.live(0.3);
      expect(await comeBack(reader)).toBe('taken_back');
      await everkept.live(1.1);
    }
    expect(await letterStatus()).toBe('bounced');
    expect(told()).toHaveLength(1);
  });

  test('after the letter was opened changes nothing', async () => {
    const path = everkept.linkTo(reader, '/message/').replace('/message/', '/api/message-delivery/');
    expect((await anybody().send('POST', `${path}/opened`)).statusCode).toBe(200);
    expect(await comeBack(reader)).toBe('no_change');
    expect(await letterStatus()).toBe('accepted');
  });
});

describe('a reminder that was accepted and comes back', () => {
  test('was not given: contacts are asked ten days after the one that arrives', async () => {
    await everkept.live(80.5);
    expect(last(sam.email).subject).toContain(lastSubject);
    await everkept.live(5);
    expect(await comeBack(sam.email, { status: '5.2.2' })).toBe('taken_back');
    // Nothing was written on this day, so the next one goes at once.
    expect(mailsTo(sam.email).filter(({ subject }) => subject.includes(lastSubject))).toHaveLength(2);
    await everkept.live(9.8);
    expect(questionsTo(priya), 'ten days after the second').toEqual([]);
    await everkept.live(0.4);
    expect(everkept.linkTo(priya, '/trusted-contact-admin/')).toBeTruthy();
  });

  test('while contacts are asked stops their time to answer until ten days after the next', async () => {
    await everkept.live(90.5);
    expect(everkept.linkTo(priya, '/trusted-contact-admin/')).toBeTruthy();
    expect(await comeBack(sam.email, { subject: lastSubject, status: '5.2.2' })).toBe('taken_back');
    // Ten days after the one that arrived, and the six and a half of seven that were left.
    await everkept.live(16);
    expect(subjectsTo(reader), 'within the rest of the answer time').toEqual([]);
    await everkept.live(0.8);
    expect(subjectsTo(reader)).toHaveLength(1);
  });

  test('three times because the mailbox is closed counts as tried, so that a closed mailbox keeps no letter for ever', async () => {
    await everkept.live(80.5);
    await everkept.writeToNeighbour(sam.email, 5);
    await everkept.live(0.1);
    for (let time = 0; time < 3; time += 1) {
      expect(await comeBack(sam.email, { subject: lastSubject })).toBe('taken_back');
      await everkept.live(1.1);
    }
    const reminders = subjectsTo(sam.email).filter((subject) => subject.includes(lastSubject));
    expect(reminders).toHaveLength(3);
    // Ten days after the third one, and the seven of the answer; the first reminder had arrived.
    await everkept.live(15.5);
    expect(subjectsTo(reader)).toEqual([]);
    await everkept.live(1);
    expect(subjectsTo(reader)).toHaveLength(1);
  });

  test('twice on one day, and once more on the next, is no closed mailbox yet: it takes three days', async () => {
    await everkept.live(80.5);
    await everkept.writeToNeighbour(sam.email, 10);
    await everkept.live(5);
    // The second one goes at once, since five days have passed without any, and comes back on the same day.
    for (const pause of [0, 1.1, 1.1]) {
      expect(await comeBack(sam.email, { subject: lastSubject })).toBe('taken_back');
      await everkept.live(pause);
    }
    const reminders = () => subjectsTo(sam.email).filter((subject) => subject.includes(lastSubject));
    expect(reminders()).toHaveLength(4);
    expect(await comeBack(sam.email, { subject: lastSubject })).toBe('taken_back');
    await everkept.live(5);
    expect(reminders()).toHaveLength(4);
  });

  test.each([
    ['because the mailbox is full', '5.2.2'],
    ['because the only mailbox of its domain does not exist', '5.1.1'],
  ])('again and again for 30 days %s counts as tried, and silence alone then releases', async (_, code) => {
    await everkept.live(80.5);
    let days = 0;
    while (days < 40 && (await comeBack(sam.email, { subject: lastSubject, status: code })) === 'taken_back') {
      days += 1;
      await everkept.live(1.01);
    }
    expect(days).toBeGreaterThanOrEqual(29);
    expect(days).toBeLessThanOrEqual(31);
    await everkept.live(8);
    expect(subjectsTo(reader), 'ten days after the mailbox counts as closed').toEqual([]);
    await everkept.live(10);
    expect(subjectsTo(reader)[0]).toBe('Sam Lee wrote a message for you');
  });

  test('for 30 days is no closed mailbox if it kept another mail meanwhile', async () => {
    await everkept.live(80.5);
    for (let day = 0; day < 34; day += 1) {
      if (day === 15) await writeTo(sam.email);
      // From day 30 on, contacts are asked, and the reminder says so in its subject.
      expect(await comeBack(sam.email, { subject: 'heck in', status: '5.2.2' }), `on day ${day}`).toBe('taken_back');
      expect(await countedAsTried()).toEqual([]);
      await everkept.live(1.01);
    }
  });

  test('again and again for another reason never counts as tried, but contacts are asked after thirty days of it', async () => {
    await everkept.live(80.5);
    for (let day = 0; day < 30; day += 1) {
      expect(questionsTo(priya), `on day ${day} of the trouble`).toEqual([]);
      expect(await comeBack(sam.email, { subject: lastSubject, status: '5.7.1' })).toBe('taken_back');
      await everkept.live(1.01);
    }
    expect(everkept.linkTo(priya, '/trusted-contact-admin/')).toBeTruthy();
    expect(subjectsTo(reader)).toEqual([]);
  });

  test('after letters have left undoes nothing, and the operator is notified', async () => {
    await everkept.live(91);
    const { returnPath } = last(sam.email, lastSubject);
    await confirm();
    await receiveReturnedMail(everkept.opened, failureReport({ returnPath, address: sam.email, status: '5.2.2' }));
    await everkept.live(3);
    expect(subjectsTo(reader)).toHaveLength(1);
    expect(subjectsTo(adminEmail)).toContain('Everkept: a mail came back after letters had left');
  });
});

test('a bounced question reached no contact: the time to answer begins with the one that arrives', async () => {
  await everkept.live(90.5);
  expect(await comeBack(priya, { status: '5.7.1' })).toBe('taken_back');
  await everkept.live(7.2);
  expect(subjectsTo(reader), 'seven days after the question that arrived').toEqual([]);
  await everkept.live(1.2);
  expect(subjectsTo(reader)).toHaveLength(1);
});

test('the notice of the three days before an early release restarts them after a bounce', async () => {
  await everkept.live(4);
  await everkept.signIn(sam);
  const body = { userEmail: sam.email, contactEmail: priya, contactName: 'P. Shah', reason: 'There was an accident.' };
  expect((await anybody().send('POST', '/api/emergency-activate', { body })).statusCode).toBe(202);
  await everkept.work();
  await confirm();
  const subject = 'Your messages will be delivered in 3 days';
  await everkept.live(2);
  expect(await comeBack(sam.email, { subject, status: '5.7.1' })).toBe('taken_back');
  expect(
    subjectsTo(sam.email).filter((each) => each.includes(subject)),
    'told again at once',
  ).toHaveLength(2);
  await everkept.live(2.8);
  expect(subjectsTo(reader), 'three days after the notice that arrived').toEqual([]);
  await everkept.live(0.4);
  expect(subjectsTo(reader)).toHaveLength(1);
});

test('a forged report without our signature changes nothing', async () => {
  await everkept.live(91);
  await confirm();
  const returnPath = last(reader).returnPath?.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
  expect(await receiveReturnedMail(everkept.opened, failureReport({ returnPath, address: reader }))).toBe('not_ours');
  expect(await receiveReturnedMail(everkept.opened, Buffer.from('From: nell@family.example\r\n\r\nThank you.'))).toBe(
    'not_ours',
  );
  expect(subjectsTo(priya).join()).not.toContain('could not reach');
});
