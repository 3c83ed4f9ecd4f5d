import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { constantTimeMs } from '#server/platform/clock/constant-time.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { activateEmergency } from './emergency.ts';

const reason = 'There was an accident in Kirkmichaelbrae, and Sam is not waking up.';
const contactEmail = 'priya@friends.example';
/** Tables that a request without a match may change: a counter. */
const counters = { except: ['rate_limits'] };

let everkept: Everkept;
let sam: Owner;
let contactId: string;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Sam, with a letter and a phone, and Priya, who said yes more than three days ago. */
beforeEach(async () => {
  await everkept.database.db.delete(users);
  await everkept.database.pool.query('delete from rate_limits');
  everkept.mailer.clear();
  everkept.texter.clear();
  sam = await everkept.signUp({ firstName: 'Sam' });
  await everkept.write(sam);
  contactId = await everkept.befriend(sam, { name: 'Priya Shah', email: contactEmail });
  await everkept.givePhone(sam, '+447700900003');
  const profile = { releaseMethod: 'inactivity', inactivityDays: 180 };
  await sam.browser.send('PUT', '/api/user-profile', { body: profile });
  await everkept.live(4);
  // Mails of the daily tasks leave before the request.
  await everkept.work();
});

const form = (given = {}) => ({ userEmail: sam.email, contactEmail, contactName: 'P. Shah', reason, ...given });
const request = (given = {}, browser = createBrowser(everkept.app)) =>
  browser.send('POST', '/api/emergency-activate', { body: form(given) });
/** Text on one line, since a mail breaks long lines. */
const mailsTo = (address: string) =>
  everkept.mailer.sent
    .filter(({ to }) => to.address === address)
    .map(({ subject, text }) => ({ subject, text: text.replace(/\s+/g, ' ') }));
const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject);
const portalPath = () => everkept.linkTo(contactEmail, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
const anybody = () => createBrowser(everkept.app);

describe('a request with another spelling of a mailbox', () => {
  const fred = 'fred.smith@googlemail.com';
  const ann = 'ann+legacy@gmail.com';
  const asked = () => subjectsTo(ann).filter((subject) => subject.includes('please tell us what you know'));

  beforeEach(async () => {
    await everkept.database.pool.query('update users set email = $1 where id = $2', [fred, sam.userId]);
    await everkept.database.pool.query('update trusted_contacts set email = $1 where id = $2', [ann, contactId]);
    everkept.mailer.clear();
  });

  test.each([
    ['fred.smith@gmail.com', ann],
    ['fredsmith@googlemail.com', 'ann@gmail.com'],
    ['FRED.Smith+x@gmail.com', 'a.n.n@googlemail.com'],
    [fred, ann],
  ])('finds the pair by %s and %s, and writes to the registered addresses alone', async (userEmail, contact) => {
    expect((await request({ userEmail, contactEmail: contact })).statusCode).toBe(202);
    await everkept.work();
    expect(asked()).toHaveLength(1);
    expect(subjectsTo(fred)).toContain('Sam, somebody asked for your messages to be released');
    expect(new Set(everkept.mailer.sent.map(({ to }) => to.address))).toEqual(new Set([fred, ann]));
  });

  test.each([
    ['fred.smith@mail.example', ann],
    [fred, 'anna@gmail.com'],
  ])('finds nothing by %s and %s', async (userEmail, contact) => {
    expect((await request({ userEmail, contactEmail: contact })).statusCode).toBe(202);
    await everkept.work();
    expect(everkept.mailer.sent).toEqual([]);
  });

  test('uses up the tries of the one pair, also with a hundred forms in parallel', async () => {
    await everkept.database.pool.query('delete from rate_limits');
    const forms = Array.from({ length: 100 }, (_, index) => {
      const browser = createBrowser(everkept.app, { 'x-forwarded-for': `203.0.113.${index + 1}` });
      return request({ userEmail: `f.red.smith+${index}@gmail.com`, contactEmail: `ann+${index}@gmail.com` }, browser);
    });
    const answers = await Promise.all(forms);
    // A network has thirty tries an hour, and a pair three of them a day.
    expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(30);
    await everkept.work();
    expect([asked().length, subjectsTo(fred).length]).toEqual([1, 1]);
  });

  test('prefers the account with the exact address if a mailbox has two', async () => {
    const other = await everkept.signUp({ firstName: 'Fred' });
    await everkept.write(other);
    await everkept.befriend(other, { name: 'Ann', email: 'ann@gmail.com' });
    await everkept.database.pool.query('update users set email = $1 where id = $2', [
      'fredsmith@gmail.com',
      other.userId,
    ]);
    await everkept.live(4);
    everkept.mailer.clear();
    await request({ userEmail: 'fredsmith@gmail.com', contactEmail: 'ann@gmail.com' });
    await everkept.work();
    expect([subjectsTo('ann@gmail.com').length, asked().length]).toEqual([1, 0]);
  });
});

describe('a request that matches', () => {
  test('gives the contact a link, and tells the owner by every channel who says what', async () => {
    const before = subjectsTo(contactEmail).length;
    const answer = await request({ contactEmail: '  PRIYA@friends.example ' });
    expect([answer.statusCode, answer.json()]).toEqual([202, { message: expect.stringContaining('If these details') }]);
    await everkept.work();

    expect(subjectsTo(contactEmail).slice(before)).toEqual(['Sam Ashworth: please tell us what you know']);
    const told = mailsTo(sam.email).at(-1);
    expect(told?.subject).toBe('Sam, somebody asked for your messages to be released');
    expect(told?.text).toContain('P. Shah');
    expect(told?.text).toContain(reason);
    expect(told?.text).toContain('/check-in/');
    expect(everkept.texter.sent.at(-1)?.text).toContain('released early');
    expect(mailsTo(contactEmail).at(-1)?.text).not.toContain('Kirkmichaelbrae');
  });

  test('by a second contact, days after one without an answer, also notifies the owner', async () => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Lee', email: 'tom@friends.example' });
    await everkept.live(4);
    await request();
    await everkept.live(2);
    await request({ contactEmail: 'tom@friends.example', contactName: 'T. Lee', reason: 'He died in the night.' });
    await everkept.work();
    const asked = mailsTo(sam.email).filter(({ subject }) =>
      subject.endsWith('asked for your messages to be released'),
    );
    expect(asked.map(({ text }) => text.includes('T. Lee'))).toEqual([false, true]);
    expect(everkept.texter.sent.filter(({ text }) => text.includes('released early'))).toHaveLength(2);
  });

  test('quotes typed text as words, never as markup', async () => {
    await request({ contactName: '<b>Priya</b>', reason: '<a href="https://elsewhere.example">Press here, Sam</a>' });
    await everkept.work();
    const html = everkept.mailer.sent.findLast(({ to }) => to.address === sam.email)?.html ?? '';
    expect(html).toContain('&lt;b&gt;Priya');
    expect(html).not.toContain('href="https://elsewhere.example"');
  });

  test('quotes no address that a mail program would make a link of', async () => {
    await request({ reason: 'He is dead. Stop this at https://elsewhere.example/stop, or at elsewhere.example/now.' });
    await everkept.work();
    const told = everkept.mailer.sent.findLast(({ to }) => to.address === sam.email);
    expect(told?.text.replace(/\s+/g, ' ')).toContain('Stop this at [address left out] or at [address left out]');
    expect(told?.text + String(told?.html)).not.toMatch(/elsewhere|example\/now/);
  });

  test('quotes no telephone number, and stands below our own words in text and HTML', async () => {
    const words = 'Pay at v.gd/AbC123 or ring 0330 123 4567. He died on 27.11.2026.';
    await request({ reason: words, contactName: 'Refund\u202e Office' });
    await everkept.work();
    const told = everkept.mailer.sent.findLast(({ to }) => to.address === sam.email);
    for (const part of [told?.text.replace(/\s+/g, ' ') ?? '', told?.html.replace(/\s+/g, ' ') ?? '']) {
      expect(part).not.toMatch(/v\.gd|AbC123|0330|4567|\u202e/);
      expect(part).toContain('[address left out] or ring [number left out]. He died on 27.11.2026.');
      const order = ['press Check in', '/check-in/', 'typed by a person we do not know', 'Refund Office'];
      const places = order.map((words) => part.indexOf(words));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
    }
  });

  test('stores the reason only sealed, and no content in the audit log', async () => {
    await request();
    await everkept.work();
    const rows = await dumpRows(everkept.database);
    expect(rows.filter((row) => row.includes('Kirkmichaelbrae') || row.includes('P. Shah'))).toEqual([]);
    expect(rows.filter((row) => row.includes('release.emergency_requested') && row.includes(sam.userId))).toHaveLength(
      1,
    );
    expect(everkept.log.filter((line) => line.includes('Kirkmichaelbrae'))).toEqual([]);
  });

  test('leads to delivery once the contact confirms behind their link', async () => {
    await request();
    await everkept.work();
    const body = { confirmed: true, reason: 'I am with the family.' };
    expect((await anybody().send('POST', `${portalPath()}/confirm-release`, { body })).statusCode).toBe(200);
    await everkept.live(3.1);
    expect(mailsTo('nell@family.example')).toHaveLength(1);
    expect(mailsTo('nell@family.example')[0]?.text).toMatch(/It stays there until \d+ \w+ \d{4}\./);
  });

  test('is over when the owner presses the link in the mail: the contact’s link is dead', async () => {
    await request();
    await everkept.work();
    const portal = portalPath();
    expect((await anybody().send('GET', portal)).statusCode).toBe(200);
    const stop = everkept.linkTo(sam.email, '/check-in/').replace('/check-in/', '/api/check-in/');
    expect((await anybody().send('POST', stop)).statusCode).toBe(200);
    expect((await anybody().send('GET', portal)).statusCode).toBe(404);
    const body = { confirmed: true, reason: 'I am with the family.' };
    expect((await anybody().send('POST', `${portal}/confirm-release`, { body })).statusCode).toBe(404);
    await everkept.live(10);
    expect(mailsTo('nell@family.example')).toEqual([]);
  });

  test('by a contact whose link is a day old gives them another, once a day, and the old one is dead', async () => {
    await request();
    await everkept.work();
    const old = portalPath();
    await everkept.live(1.1);
    const answers = [await request(), await request()];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    await everkept.work();

    const fresh = portalPath();
    expect((await anybody().send('GET', old)).statusCode).toBe(404);
    expect((await anybody().send('GET', fresh)).statusCode).toBe(200);
    expect(subjectsTo(contactEmail).filter((subject) => subject.includes('please tell us what you know'))).toHaveLength(
      2,
    );
    const told = () => subjectsTo(sam.email).filter((subject) => /somebody|emergency form/.test(subject));
    expect(told()).toEqual(Array(2).fill('Sam, somebody asked for your messages to be released'));
    await everkept.live(1.1);
    expect(told().at(-1)).toBe('Sam, the emergency form was used again');
  });

  test('made twice at once begins one release with one link', async () => {
    const answers = await Promise.all([request(), request()]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    await everkept.work();
    expect(subjectsTo(contactEmail).filter((subject) => subject.includes('please tell us what you know'))).toHaveLength(
      1,
    );
    expect(subjectsTo(sam.email).filter((subject) => subject.includes('somebody'))).toHaveLength(1);
    await everkept.live(1.1);
    expect(subjectsTo(sam.email)).toContain('Sam, the emergency form was used again');
  });
});

describe('mails to the owner about many requests', () => {
  const isOfForm = (subject: string) => /somebody (asked|used)|emergency form was used again/.test(subject);
  const ofForm = () => mailsTo(sam.email).filter(({ subject }) => isOfForm(subject));
  const textsOfForm = () => everkept.texter.sent.filter(({ text }) => /released early|emergency form/.test(text));
  const quoted = () => ofForm().filter(({ text }) => text.includes('Kirkmichaelbrae'));

  test('is one text and one email for each contact immediately, and one email about the day, for a hundred in parallel', async () => {
    await everkept.signIn(sam);
    const friends = Array.from({ length: 34 }, (_, number) => `friend${number}@friends.example`);
    await everkept.database.pool.query(
      `insert into trusted_contacts select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'email', friend, 'confirmation_token', null))).*
       from trusted_contacts c, unnest($1::text[]) friend where c.id = $2`,
      [friends.slice(1), contactId],
    );
    friends[0] = contactEmail;
    const tries = friends.flatMap((friend) => [friend, friend, friend]).slice(0, 100);
    const send = (friend: string, number: number) =>
      activateEmergency(everkept.opened, {
        principal: null,
        origin: { ipAddress: `198.51.${number}.1`, userAgent: null },
        body: form({ contactEmail: friend }),
      });
    // Waves of twenty use every connection of the pool. More would wait for a connection, and time out on a slow machine.
    const numbered = tries.map((friend, number) => () => send(friend, number));
    for (let from = 0; from < numbered.length; from += 20) {
      await Promise.all(numbered.slice(from, from + 20).map((act) => act()));
    }
    await everkept.work();
    expect([ofForm().length, textsOfForm().length, quoted().length]).toEqual([friends.length, 1, 1]);
    const asked = everkept.mailer.sent.filter(({ subject }) => subject.includes('please tell us what you know'));
    expect(new Set(asked.map(({ to }) => to.address))).toEqual(new Set(friends));

    await everkept.live(1.1);
    expect([ofForm().length, textsOfForm().length, quoted().length]).toEqual([friends.length + 1, 1, 1]);
    expect(ofForm().at(-1)?.text).toContain('it was used 99 more times within a day');
    expect(ofForm().at(-1)?.text).toContain('The list leaves out 79 earlier uses');
    const log = await sam.browser.send('GET', '/api/user/activity');
    expect(log.body).toContain('A request for an emergency release had no effect');
  });

  test('names each use of the day with its result and time, and the next day is immediate again', async () => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Reed', email: 'tom@friends.example' });
    for (const email of [contactEmail, contactEmail, 'tom@friends.example']) await request({ contactEmail: email });
    await everkept.live(1.1);
    expect(ofForm()[1]?.text).toMatch(/- \d\d:\d\d \(UK time\) on [\d\w ]+: We had asked this contact already/);
    expect(ofForm()[1]?.text).toContain('This contact accepted the role less than 72 hours ago');
    expect(ofForm()[1]?.text).not.toContain('P. Shah');
    await request();
    await everkept.work();
    expect([ofForm().length, textsOfForm().length, quoted().length]).toEqual([3, 2, 2]);
  });

  test('is immediate after the press of a trustee on the same day, which is no use of the form', async () => {
    await everkept.signIn(sam);
    const preferences = { quorum: 2, waitingDays: 3, answerDays: 7 };
    await everkept.befriend(sam, { name: 'Tom Lee', email: 'tom@friends.example' });
    await sam.browser.send('PUT', '/api/release/preferences', { body: preferences });
    await everkept.live(4);
    const origin = { ipAddress: null, userAgent: null };
    expect(await everkept.releases.pressTrustee({ ownerId: sam.userId, contactId, origin })).toBeNull();
    await request({ contactEmail: 'tom@friends.example' });
    await everkept.work();
    expect(quoted()).toHaveLength(1);
    expect(textsOfForm()).toHaveLength(1);
  });

  test('is an email immediately if a second contact is asked in an open request', async () => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Lee', email: 'tom@friends.example' });
    await everkept.live(4);
    await request();
    await request({ contactEmail: 'tom@friends.example' });
    await everkept.work();
    expect([ofForm().length, textsOfForm().length, quoted().length]).toEqual([2, 1, 1]);
  });

  test.each(['bounced', 'dead'])('is immediate again if the first email and text are %s', async (status) => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Lee', email: 'tom@friends.example' });
    await everkept.live(4);
    await request();
    await everkept.work();
    await everkept.database.pool.query("update notifications set status = $1 where kind = 'release.owner_early'", [
      status,
    ]);
    await request({ contactEmail: 'tom@friends.example' });
    await everkept.work();
    expect([ofForm().length, textsOfForm().length, quoted().length]).toEqual([2, 2, 2]);
  });

  test('is an email and a text immediately if a new request opens on the same day, without quoted words', async () => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Lee', email: 'tom@friends.example' });
    await everkept.live(4);
    await request();
    await everkept.work();
    const body = { confirmed: false, reason: 'Sam is here with me.' };
    await anybody().send('POST', `${portalPath()}/confirm-release`, { body });
    await request({ contactEmail: 'tom@friends.example' });
    await everkept.work();
    expect(ofForm().map(({ subject }) => subject)).toEqual(
      Array(2).fill('Sam, somebody asked for your messages to be released'),
    );
    expect(ofForm()[1]?.text).toContain('/check-in/');
    expect([textsOfForm().length, quoted().length]).toEqual([2, 1]);
  });
});

describe('a request that begins nothing', () => {
  const nobody: [string, object][] = [
    ['an address without an account', { userEmail: 'nobody@people.example' }],
    ['somebody who is no contact', { contactEmail: 'stranger@people.example' }],
  ];

  test.each(nobody)('is answered alike for %s, and leaves a count and nothing else', async (_, given) => {
    const before = await dumpRows(everkept.database, counters);
    const unmatched = await request(given);
    expect(await dumpRows(everkept.database, counters)).toEqual(before);
    const matched = await request();
    const comparable = ({ statusCode, body }: typeof matched) => ({ statusCode, body });
    expect(comparable(unmatched)).toEqual(comparable(matched));
  });

  test('takes as long as one that begins something', async () => {
    const slow = await createEverkept({ answerFloorMs: constantTimeMs });
    try {
      const startedMs = performance.now();
      await createBrowser(slow.app).send('POST', '/api/emergency-activate', { body: form() });
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(constantTimeMs - 5);
    } finally {
      await slow.close();
    }
  });

  test('is answered alike for a contact who was switched off, has left, or never said yes', async () => {
    const token = everkept.tokenFor(contactEmail, '/trusted-contact-accept/');
    const off = { name: 'Priya Shah', email: contactEmail, isActive: false };
    const change = async (body: object) => {
      await everkept.signIn(sam);
      const answer = await sam.browser.send('PUT', `/api/trusted-contacts/${contactId}`, { body });
      expect(answer.statusCode).toBe(200);
    };
    await change(off);
    expect((await request()).statusCode).toBe(202);
    await change({ ...off, isActive: true });
    await anybody().send('POST', `/api/trusted-contact-invitation/${token}`, { body: { accept: false } });
    expect((await request()).statusCode).toBe(202);
    const invited = { name: 'Tom Reed', email: 'tom@friends.example' };
    expect((await sam.browser.send('POST', '/api/trusted-contacts', { body: invited })).statusCode).toBe(201);
    expect((await request({ contactEmail: invited.email })).statusCode).toBe(202);
    await everkept.work();
    expect(subjectsTo(sam.email).filter((subject) => subject.includes('somebody'))).toEqual([]);
    expect(subjectsTo(contactEmail).filter((subject) => subject.includes('please tell us what you know'))).toEqual([]);
  });

  test('within 72 hours of the contact’s yes still notifies the owner of the try, and of the reason why nothing began', async () => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Reed', email: 'tom@friends.example' });
    expect((await request({ contactEmail: 'tom@friends.example' })).statusCode).toBe(202);
    await everkept.work();
    const told = mailsTo(sam.email).at(-1);
    expect(told?.subject).toBe('Sam, somebody used the emergency form');
    expect(told?.text).toContain('less than 72 hours ago');
    expect(told?.text).toContain(reason);
    expect(everkept.texter.sent.at(-1)?.text).toContain('Nothing new has begun');
    expect(
      subjectsTo('tom@friends.example').filter((subject) => subject.includes('please tell us what you know')),
    ).toEqual([]);
    const rows = await dumpRows(everkept.database);
    expect(rows.filter((row) => row.includes('release.emergency_ignored') && row.includes(sam.userId))).toHaveLength(1);
  });
});

describe('the contact in whose name it was', () => {
  const toldOnce = () => mailsTo(contactEmail).filter(({ subject }) => subject.includes('what became of'));
  /** Three tries a day: the form counts by the machine's own time, which no test clock moves. */
  const anotherDay = async () => {
    await everkept.live(1.01);
    await everkept.database.pool.query('delete from rate_limits');
  };

  test('hears why nothing begins and from when it can, at their own address, once a day', async () => {
    await everkept.signIn(sam);
    await everkept.befriend(sam, { name: 'Tom Reed', email: 'tom@friends.example' });
    const answers = [await request({ contactEmail: 'tom@friends.example' }), await request()];
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    await request({ contactEmail: 'tom@friends.example', contactName: '<b>Win</b> at evil.example' });
    await everkept.work();
    const told = mailsTo('tom@friends.example').filter(({ subject }) => subject.includes('what became of'));
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toContain('You accepted this role less than 72 hours ago.');
    expect(told[0]?.text).toMatch(/again from \d\d:\d\d \(UK time\) on \d+ \w+ \d{4}\./);
    expect(told[0]?.text).not.toMatch(/evil|accident/);
  });

  test('hears that a link was sent already, and gets another on the day it names', async () => {
    await request();
    await everkept.work();
    await request();
    await everkept.work();
    expect(toldOnce()[0]?.text).toContain('We have sent you an email with a link already, and it still works.');
    await everkept.live(1.01);
    await request();
    await everkept.work();
    expect(subjectsTo(contactEmail).filter((subject) => subject.includes('please tell us what you know'))).toHaveLength(
      2,
    );
  });

  test('hears that there is nothing ready, and that the week is used up', async () => {
    await everkept.database.pool.query("update messages set status = 'draft'");
    await request();
    await everkept.work();
    expect(toldOnce().at(-1)?.text).toContain('has no message that is ready to be sent');

    await everkept.database.pool.query("update messages set status = 'ready'");
    for (let times = 0; times < 3; times += 1) {
      await anotherDay();
      await request();
      await everkept.work();
      await everkept.signIn(sam);
      await sam.browser.send('POST', '/api/checkin');
    }
    expect(subjectsTo(contactEmail).filter((subject) => subject.includes('please tell us what you know'))).toHaveLength(
      3,
    );
    await anotherDay();
    await request();
    await everkept.work();
    const [, told] = toldOnce();
    expect(told?.text).toContain('asked for three times within a week');
    expect(told?.text).toMatch(/again from \d\d:\d\d \(UK time\) on \d+ \w+ \d{4}\./);
  });

  test('learns within a day of an ended request that a contact is asked at most once a day', async () => {
    await request();
    await everkept.work();
    const body = { confirmed: false, reason: 'Sam is here with me.' };
    expect((await anybody().send('POST', `${portalPath()}/confirm-release`, { body })).statusCode).toBe(200);
    await request();
    await everkept.work();
    expect(toldOnce().at(-1)?.text).toContain('We have asked you within the last day, and that request is over.');

    await everkept.live(1.01);
    await request();
    await everkept.work();
    expect(subjectsTo(contactEmail).filter((subject) => subject.includes('please tell us what you know'))).toHaveLength(
      2,
    );
  });

  test('hears after a cancel against silence that it holds, and until when', async () => {
    await everkept.live(177);
    const body = { confirmed: false, reason: 'Sam is here with me.' };
    expect((await anybody().send('POST', `${portalPath()}/confirm-release`, { body })).statusCode).toBe(200);
    await request();
    await everkept.work();
    expect(toldOnce().at(-1)?.text).toContain('A trusted contact stopped the release a short time ago.');
    expect(toldOnce().at(-1)?.text).toMatch(/again from \d\d:\d\d \(UK time\) on/);
  });

  test('hears that everything is stopped, and the form says what it says to everybody', async () => {
    await everkept.releases.freeze('The operator looks.');
    const answers = [await request(), await request({ contactEmail: 'nobody@people.example' })];
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    await everkept.work();
    await everkept.releases.resume();
    expect(toldOnce()[0]?.text).toContain('Releases are stopped at the moment. Nothing is lost.');
  });
});

describe('the limits', () => {
  /** From an address of its own, as the proxy in front says it. */
  const from = (ip: string, given = {}) =>
    everkept.app.inject({
      method: 'POST',
      url: '/api/emergency-activate',
      headers: { 'x-forwarded-for': ip, 'sec-fetch-site': 'same-origin', host: 'localhost:3000' },
      payload: form(given),
    });
  const wrong = { contactEmail: 'prya@friends.example' };

  test('are thirty an hour from one network, for any owner', async () => {
    const thirty = Array.from({ length: 30 }, (_, index) => index + 1);
    const answers = await Promise.all(thirty.map((number) => from(`203.0.113.${number}`, wrong)));
    expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(30);
    const refused = await from('203.0.113.200');
    expect([refused.statusCode, refused.json()]).toMatchObject([429, { type: 'RATE_LIMITED' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    expect((await from('203.0.114.1')).statusCode).toBe(202);
    await Promise.all(thirty.map((number) => from(`2001:db8:1:2${number + 10}::1`, wrong)));
    expect((await from('2001:db8:1:ffff::1')).statusCode).toBe(429);
    expect((await from('2001:db8:2:200::1')).statusCode).toBe(202);
  });

  test('are three a day of a pair; a fourth is answered as a wrong pair is, and does nothing', async () => {
    const answers = [];
    for (let times = 0; times < 4; times += 1) answers.push(await request());
    answers.push(await request(wrong));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    await everkept.work();
    await everkept.live(1.1);
    const [, again] = mailsTo(sam.email).filter(({ subject }) => /somebody asked|emergency form/.test(subject));
    expect(again?.text).toContain('it was used 2 more times within a day');
  });

  test('count a mistyped address for no correct pair', async () => {
    for (let times = 0; times < 12; times += 1) expect((await request(wrong)).statusCode).toBe(202);
    await request();
    await everkept.work();
    expect(subjectsTo(contactEmail).at(-1)).toBe('Sam Ashworth: please tell us what you know');
  });
});

test('names the error of each field in the sentences of the form', async () => {
  const answer = await request({ userEmail: 'sam', contactEmail: '', contactName: ' P ', reason: 'too short ' });
  expect(answer.statusCode).toBe(400);
  expect(answer.json<{ issues: unknown }>().issues).toEqual([
    { path: 'userEmail', message: 'Please enter a valid email address' },
    { path: 'contactEmail', message: 'Please enter a valid email address' },
    { path: 'contactName', message: 'Please enter your full name' },
    { path: 'reason', message: 'Please provide a detailed reason (at least 10 characters)' },
  ]);
  const empty = await request({
    userEmail: undefined,
    contactEmail: undefined,
    contactName: undefined,
    reason: undefined,
  });
  expect(empty.json()).toEqual(answer.json());
  expect((await request({ contactName: '' })).json<{ issues: unknown[] }>().issues).toHaveLength(1);
});
