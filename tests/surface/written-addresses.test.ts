import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let owner: Owner;
let count = 0;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.pool.query('delete from rate_limits');
  owner = await everkept.signUp();
  count += 1;
});

const anybody = () => createBrowser(everkept.app);
const addressee = async (address: string) => {
  await everkept.work();
  return everkept.mailer.sent.filter(({ to }) => to.address === address);
};

/** Typed text, and the address that it means. `N` keeps the tests apart. */
const typed = [
  ['post-N@müller.example', 'post-N@xn--mller-kva.example'],
  ['anna-N@почта.рф', 'anna-N@xn--80a1acny.xn--p1ai'],
  ['smith&sons-N@mail.example', 'smith&sons-N@mail.example'],
  ['a/b-N@mail.example', 'a/b-N@mail.example'],
  ['x!y-N@mail.example', 'x!y-N@mail.example'],
  ['\u2068jane-N@mail.example\u2069\u200b', 'jane-N@mail.example'],
  ['Jane Doe <Jane-N@mail.example>', 'jane-N@mail.example'],
  ['mailto:jane-N@mail.example', 'jane-N@mail.example'],
  ['jane-N@mail.example,', 'jane-N@mail.example'],
  ['jane-N＠mail.example', 'jane-N@mail.example'],
  ['o’brien-N@mail.example', "o'brien-N@mail.example"],
] as const;

describe.each(typed)('%s', (given, stored) => {
  let spelling: string;
  let address: string;
  beforeEach(() => {
    spelling = given.replace('N', String(count));
    address = stored.replace('N', String(count)).toLowerCase();
  });

  test('registers, signs in and resets as one address', async () => {
    const password = 'twelve lemons in a bowl';
    const names = { firstName: 'Jane', lastName: 'Doe' };
    const account = { ...names, username: spelling, email: spelling, password, confirmPassword: password };
    expect((await anybody().send('POST', '/api/register', { body: account })).statusCode).toBe(201);
    const signedIn = await anybody().send('POST', '/api/login', { body: { email: spelling, password } });
    expect(signedIn.json()).toMatchObject({ user: { email: address } });
    const reset = await anybody().send('POST', '/api/reset-password', { body: { email: spelling } });
    expect(reset.statusCode).toBe(200);
    expect(await addressee(address)).toHaveLength(2);
  });

  test('is a contact, is found by the emergency form, and reads letters', async () => {
    const body = { name: 'Jane', email: spelling };
    const contact = await owner.browser.send('POST', '/api/trusted-contacts', { body });
    expect([contact.statusCode, contact.json().email]).toEqual([201, address]);
    await everkept.befriend(owner, { name: 'Ann', email: `ann-${count}@mail.example` });
    const again = await owner.browser.send('POST', '/api/trusted-contacts', { body: { ...body, email: address } });
    expect(again.statusCode).toBe(409);

    await everkept.write(owner, { recipientEmail: spelling });
    const letters = (await owner.browser.send('GET', '/api/messages')).json<{ recipientEmail: string }[]>();
    expect(letters.map(({ recipientEmail }) => recipientEmail)).toEqual([address]);

    const invitation = everkept.linkTo(address, '/trusted-contact-accept/').split('/').at(-1);
    await anybody().send('POST', `/api/trusted-contact-invitation/${invitation}`, { body: { accept: true } });
    await everkept.live(4);
    const reason = 'There was an accident in Kirkmichaelbrae, and Sam is not waking up.';
    const form = { userEmail: ` <${owner.email}> `, contactEmail: spelling, contactName: 'Jane', reason };
    expect((await anybody().send('POST', '/api/emergency-activate', { body: form })).statusCode).toBe(202);
    const asked = (await addressee(address)).filter(({ subject }) => subject.includes('please tell us what you know'));
    expect(asked).toHaveLength(1);
  });
});

test('a letter before the @ that we can’t send to is refused with a sentence that names it', async () => {
  const body = { name: 'Jürgen', email: 'jürgen@mail.example' };
  const answer = await owner.browser.send('POST', '/api/trusted-contacts', { body });
  expect([answer.statusCode, answer.json().issues]).toEqual([
    400,
    [
      {
        path: 'email',
        message: 'We can’t send email to an address with “ü” before the @. Please enter another address',
      },
    ],
  ]);
});

test.each(['\u200b', '\u2800', '\u3164', '\u00ad', ' \u2060 '])(
  'nothing but %j is no name, title or text',
  async (blank) => {
    const contact = { name: blank, email: `nell-${count}@mail.example` };
    const letter = { title: blank, content: blank, recipientEmail: 'nell@mail.example' };
    const answers = [
      await owner.browser.send('POST', '/api/trusted-contacts', { body: contact }),
      await owner.browser.send('POST', '/api/messages', { body: letter }),
    ];
    const missing = (path: string) => ({ path, message: 'Required' });
    expect(answers.map((answer) => answer.json().issues)).toEqual([
      [missing('name')],
      [missing('title'), missing('content')],
    ]);
  },
);

test.each([
  ['fred.smith-N@googlemail.com', 'fredsmith-N@gmail.com'],
  ['ann-N+legacy@mail.example', 'ann-N@mail.example'],
])('two accounts of one mailbox, %s and %s, each open with their own address and password', async (...spellings) => {
  const accounts = spellings.map((spelling, index) => ({
    email: spelling.replace('N', String(count)),
    password: `${index} lemons in a bowl`,
  }));
  const open = ({ email, password }: { email: string; password: string }) =>
    anybody().send('POST', '/api/login', { body: { email, password } });
  for (const account of accounts) {
    const body = { ...account, confirmPassword: account.password, firstName: 'Fred', lastName: 'Smith' };
    expect((await anybody().send('POST', '/api/register', { body })).statusCode).toBe(201);
  }
  for (const account of accounts)
    expect((await open(account)).json()).toMatchObject({ user: { email: account.email } });
  const [one, other] = accounts;
  expect((await open({ email: one?.email ?? '', password: other?.password ?? '' })).statusCode).toBe(401);

  const before = await Promise.all(accounts.map(async ({ email }) => (await addressee(email)).length));
  await anybody().send('POST', '/api/reset-password', { body: { email: other?.email } });
  const after = await Promise.all(accounts.map(async ({ email }) => (await addressee(email)).length));
  expect(after.map((mails, index) => mails - (before[index] ?? 0))).toEqual([0, 1]);
});

test.each([
  ['fred.smith-N@googlemail.com', 'fredsmith-N@gmail.com'],
  ['ann-N@mail.example', 'ann-N+legacy@mail.example'],
])('a contact with %s can’t be named again as %s', async (...spellings) => {
  const [email, again] = spellings.map((spelling) => spelling.replace('N', String(count)));
  const name = (address = '') =>
    owner.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ann', email: address } });
  expect((await name(email)).statusCode).toBe(201);
  const refused = await name(again);
  expect([refused.statusCode, refused.json().message]).toEqual([
    409,
    `You have already named a trusted contact with this mailbox, written as ${email}.`,
  ]);
});
