import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVault } from '#server/features/accounts/accounts.ts';
import { registrationsOfNetworkPerDay } from '#shared/contract/accounts.ts';
import { createBrowser, newPerson } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

/** Mails under our letterhead to people who did not ask for them, and the parts that a stranger can influence. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const bait = 'You won 1000 GBP! Claim at https://evil.example/claim';
const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);

test('an unverified address is never greeted by a name', async () => {
  const { email, password } = newPerson();
  const given = { email, password, confirmPassword: password, firstName: 'Winner of a million', lastName: 'Pounds' };
  const stranger = createBrowser(everkept.app);
  await stranger.send('POST', '/api/register', { body: given });
  await stranger.send('POST', '/api/register', { body: given });
  await stranger.send('POST', '/api/reset-password', { body: { email } });
  await stranger.send('POST', '/api/login', { body: { email, password } });
  await stranger.send('POST', '/api/user/resend-verification');
  await stranger.send('DELETE', '/api/delete-account', { body: { password } });
  await everkept.work();

  const mails = mailsTo(email);
  expect(mails.length).toBeGreaterThanOrEqual(3);
  for (const { subject, text, html, to } of mails) {
    expect(JSON.stringify({ subject, text, html, to })).not.toMatch(/Winner|million|Pounds/);
  }
});

test('a name that holds a link is refused wherever another person would read it', async () => {
  const owner = await everkept.signUp();
  const before = everkept.mailer.sent.length;
  const person = newPerson();
  const registered = { ...person, confirmPassword: person.password };
  const calls: [path: string, body: object][] = [
    ['/api/register', { ...registered, firstName: bait }],
    ['/api/register', { ...registered, lastName: 'evil.example' }],
    ['/api/trusted-contacts', { name: bait, email: 'ada@people.example' }],
    [
      '/api/emergency-activate',
      {
        userEmail: owner.email,
        contactEmail: 'ada@people.example',
        contactName: bait,
        reason: 'We have heard nothing.',
      },
    ],
    ['/api/complaints', { name: bait, email: 'ada@people.example', words: 'You wrote to me.' }],
  ];
  for (const [path, body] of calls) {
    const answer = await owner.browser.send('POST', path, { body });
    expect([path, answer.statusCode, answer.json().type]).toEqual([path, 400, 'VALIDATION']);
    expect(answer.body).toContain('Please leave out web and email addresses');
  }
  await everkept.work();
  expect(everkept.mailer.sent.length).toBe(before);
});

test('a name and a word with a hidden link or a number are refused, and real names are accepted', async () => {
  const owner = await everkept.signUp();
  const add = (body: object) =>
    owner.browser.send('POST', '/api/trusted-contacts', { body: { email: `ada.${owner.email}`, ...body } });
  for (const words of ['Refund: v.gd/AbC123', 'dr.xyz/claim', '1.2.3.4/x', 'evil.\u200bcom', 'ring 0330 123 4567']) {
    for (const body of [{ name: words }, { name: 'Ada Shah', word: words }]) {
      const answer = await add(body);
      expect([answer.statusCode, answer.body]).toEqual([
        400,
        expect.stringMatching(/Please leave out (web and email addresses|phone numbers)/),
      ]);
    }
  }
  const added = await add({ name: '\u202eLt.Col. Brown\u2066' });
  expect([added.statusCode, added.json<{ name: string }>().name]).toEqual([201, 'Lt.Col. Brown']);
  await everkept.work();
  const [mail] = mailsTo(`ada.${owner.email}`);
  expect(mail?.text).toContain('Hello Lt.Col. Brown,');
});

test('a word that an older version stored loses its links and numbers in the invitation', async () => {
  const owner = await everkept.signUp();
  const email = `ada.${owner.email}`;
  const body = { name: 'Uncle Bob', email, word: 'Would you do this for me?' };
  const { id } = (await owner.browser.send('POST', '/api/trusted-contacts', { body })).json<{ id: string }>();
  const vault = await openVault(everkept.opened, everkept.database.db, owner.userId);
  const place = { table: 'trusted_contacts', column: 'word', rowId: id };
  const old = vault.seal(place, 'Pay at v.gd/AbC123 or ring 0330 123 4567.');
  await everkept.database.pool.query('update trusted_contacts set word = $1 where id = $2', [old, id]);
  await owner.browser.send('POST', `/api/trusted-contacts/${id}/resend-invitation`);
  await everkept.work();
  const mail = mailsTo(email).at(-1);
  for (const part of [mail?.text, mail?.html]) {
    expect(part).toContain('Uncle Bob');
    expect(part?.replace(/\s+/g, ' ')).toContain('Pay at [address left out] or ring [number left out].');
    expect(part).not.toMatch(/v\.gd|0330/);
  }
});

test('registrations of a network are two hundred a day, since each writes to a mailbox that may be a stranger’s', async () => {
  const register = (address: string) => {
    const { email, password, firstName, lastName } = newPerson();
    const body = { email, password, confirmPassword: password, firstName, lastName };
    const headers = { 'x-forwarded-for': address };
    return createBrowser(everkept.app).send('POST', '/api/register', { body, headers });
  };
  const before = everkept.mailer.sent.length;
  const statuses: number[] = [];
  for (let count = 0; count < registrationsOfNetworkPerDay + 20; count += 1) {
    statuses.push((await register(`198.18.5.${count % 250}`)).statusCode);
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(registrationsOfNetworkPerDay);
  expect(statuses.indexOf(429)).toBe(registrationsOfNetworkPerDay);
  expect((await register('198.18.6.1')).statusCode).toBe(201);
  await everkept.work();
  expect(everkept.mailer.sent.length - before).toBeLessThanOrEqual(registrationsOfNetworkPerDay + 1);
});

async function invite(owner: Owner, count: number, start = 0) {
  const answers = [];
  for (let each = start; each < start + count; each += 1) {
    const body = { name: `Friend ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[each]}`, email: `friend${each}.${owner.email}` };
    answers.push(await owner.browser.send('POST', '/api/trusted-contacts', { body }));
  }
  await everkept.work();
  return answers;
}

test('invitations of an account go out by threes on its first day, and those beyond wait and say when they leave', async () => {
  const owner = await everkept.signUp();
  const answers = await invite(owner, 5);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201, 201]);
  const waits = answers.map(
    (answer) => answer.json<{ invitationLeavesAt: string | null }>().invitationLeavesAt !== null,
  );
  expect(waits).toEqual([false, false, false, true, true]);
  const invited = () => [0, 1, 2, 3, 4].map((each) => mailsTo(`friend${each}.${owner.email}`).length);
  expect(invited()).toEqual([1, 1, 1, 0, 0]);

  const { id } = answers[4]?.json<{ id: string }>() ?? { id: '' };
  const again = await owner.browser.send('POST', `/api/trusted-contacts/${id}/resend-invitation`);
  expect(again.json<{ message: string }>().message).toMatch(
    /^We send only a few invitations at a time, so it goes out on /,
  );
  expect(invited()).toEqual([1, 1, 1, 0, 0]);

  await everkept.live(1.1);
  expect(invited()).toEqual([1, 1, 1, 1, 1]);
});

test('a contact who is removed or moved before the invitation leaves is not written to', async () => {
  const owner = await everkept.signUp();
  const answers = await invite(owner, 4);
  const { id } = answers[3]?.json<{ id: string }>() ?? { id: '' };
  await owner.browser.send('DELETE', `/api/trusted-contacts/${id}`);
  await everkept.live(2);
  expect(mailsTo(`friend3.${owner.email}`)).toEqual([]);
});

test('a contact who presses yes and no again and again sends the owner a mail a state, and the last one is true', async () => {
  const owner = await everkept.signUp();
  const contact = `ada.${owner.email}`;
  await everkept.befriend(owner, { name: 'Ada Shah', email: contact });
  await everkept.work();
  const token = everkept.tokenFor(contact, '/trusted-contact-accept/');
  const ada = createBrowser(everkept.app);
  const press = (accept: boolean) => ada.send('POST', `/api/trusted-contact-invitation/${token}`, { body: { accept } });
  const told = () =>
    mailsTo(owner.email)
      .filter(({ subject }) => /Ada Shah/.test(subject))
      .map(({ subject }) => subject);

  for (let presses = 0; presses < 6; presses += 1) {
    for (const accept of [false, true]) expect((await press(accept)).statusCode).toBe(200);
    await everkept.work();
  }
  await press(false);
  await everkept.work();
  expect(told()).toHaveLength(2);

  await everkept.live(2);
  expect(told().length).toBeLessThanOrEqual(3);
  expect(told().at(-1)).toContain('no longer wants to be');

  const statuses = [];
  for (let presses = 0; presses < 20; presses += 1) statuses.push((await press(presses % 2 === 0)).statusCode);
  expect(statuses).toContain(429);
});
