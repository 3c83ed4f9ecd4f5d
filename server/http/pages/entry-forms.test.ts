import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpAuthenticator } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { type BarePages, createBarePages } from '#tests/support/bare-pages.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';

let everkept: Everkept;
let pages: BarePages;
let owner: Owner;
let caller = 0;

beforeAll(async () => {
  pages = await createBarePages();
  everkept = await createEverkept({ distDir: pages.distDir });
  owner = await everkept.signUp();
});
afterAll(async () => {
  await everkept.close();
  await pages.remove();
});

/** As a browser that runs no scripts posts a form; each from an address of its own. */
function post(url: string, fields: Record<string, string>, { from = testBaseUrl, cookie = '', address = '' } = {}) {
  caller += 1;
  return everkept.app.inject({
    method: 'POST',
    url,
    remoteAddress: address || `198.18.1.${caller % 250}`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: from,
      'sec-fetch-site': from === testBaseUrl ? 'same-origin' : 'cross-site',
      ...(cookie ? { cookie } : {}),
    },
    payload: new URLSearchParams(fields).toString(),
  });
}

const signIn = (more: Record<string, string> = {}, how = {}) =>
  post('/login', { email: owner.email, password: owner.password, ...more }, how);

describe('the form of the sign-in page', () => {
  test('signs in, and leads into the vault', async () => {
    const { statusCode, headers, cookies } = await signIn();
    expect([statusCode, headers.location]).toEqual([303, '/']);
    const [session] = cookies;
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(session?.maxAge).toBeUndefined();
    const me = await everkept.app.inject({
      url: '/api/user',
      headers: { cookie: `${session?.name}=${session?.value}` },
    });
    expect(me.json()).toMatchObject({ email: owner.email });
  });

  test('keeps a person signed in who has ticked the box', async () => {
    const { cookies } = await signIn({ keepSignedIn: 'true' });
    expect(cookies[0]?.maxAge).toBeGreaterThan(86_400);
  });

  test('shows the page again for a wrong password, without a session', async () => {
    const { statusCode, headers, cookies } = await signIn({ password: 'not the one' });
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      401,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(cookies.filter(({ value }) => value !== '')).toEqual([]);
  });

  test('leads a person with a question to its sheet, and nowhere else', async () => {
    expect((await signIn({ question: '3' })).headers.location).toBe('/messages?question=3');
    for (const question of ['', '999', '//elsewhere.example', '3&x=1']) {
      expect((await signIn({ question })).headers.location, question).toBe('/');
    }
  });

  test('keeps the question over a second step, and shows the step again where the code is wrong', async () => {
    const someone = await everkept.signUp();
    const { recoveryCodes } = await setUpAuthenticator(someone.browser, Date.now());
    const begun = await signIn({ email: someone.email, password: someone.password, question: '3' });
    expect(begun.headers.location).toBe('/login?step=second-factor&question=3');
    const cookie = begun.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const step = (code: string) => post('/login/second-step', { factor: 'recovery', code, question: '3' }, { cookie });
    expect((await step('0000-0000-0000')).statusCode).toBeGreaterThanOrEqual(400);
    expect((await step(recoveryCodes[0] ?? '')).headers.location).toBe('/messages?question=3');
  });

  test('says on a page, too, that there were too many attempts', async () => {
    const address = { address: '203.0.113.77' };
    const answers = [];
    for (let time = 0; time < 11; time += 1) answers.push(await signIn({ email: 'nobody@family.example' }, address));
    const last = answers.at(-1);
    expect([last?.statusCode, last?.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('takes nothing from another site', async () => {
    const { statusCode, cookies } = await signIn({}, { from: 'https://elsewhere.example' });
    expect([statusCode, cookies]).toEqual([403, []]);
  });

  test('shows the page again where fields are missing', async () => {
    expect((await post('/login', {})).statusCode).toBe(400);
  });
});

describe('the form of a reset', () => {
  test('sends the link, sets the password, and works once', async () => {
    expect((await post('/login/reset', { email: owner.email })).statusCode).toBe(200);
    await everkept.work();
    const token = everkept.tokenFor(owner.email, '/reset-password/');
    const password = 'a new pear tree by the wall';
    const set = (confirmPassword: string) => post(`/reset-password/${token}`, { password, confirmPassword });
    expect((await set('another one')).statusCode).toBe(400);
    expect((await set(password)).statusCode).toBe(200);
    expect((await set(password)).statusCode).toBeGreaterThanOrEqual(400);
    expect((await signIn({ password })).statusCode).toBe(303);
  });

  test('hides whether an address has an account', async () => {
    const answers = await Promise.all(
      [owner.email, 'nobody@family.example'].map((email) => post('/login/reset', { email })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(answers[0]?.body).toBe(answers[1]?.body);
  });
});

const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address).length;

describe('the registration form', () => {
  const una = { firstName: 'Una', lastName: 'Reed', email: 'una.reed@family.example', plan: 'premium' };
  const password = 'nine pears on a shelf';
  const register = (fields: Record<string, string> = {}, how = {}) =>
    post('/register', { ...una, password, confirmPassword: password, ...fields }, how);

  test('creates an account with the chosen plan, and sends the link', async () => {
    expect((await register({}, { from: 'https://elsewhere.example' })).statusCode).toBe(403);
    const { statusCode, headers } = await register();
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      201,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    await everkept.work();
    expect(everkept.linkTo(una.email, '/api/verify-email')).toContain('token=');
    const [row] = await everkept.database.db.select().from(users).where(eq(users.email, una.email));
    expect(row).toMatchObject({ firstName: 'Una', intendedPlan: 'premium', plan: 'free' });
  });

  test('answers a taken address like a free one', async () => {
    const answers = [await register({ email: owner.email }), await register({ email: 'new@family.example' })];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect(answers[0]?.body).toBe(answers[1]?.body);
  });

  test.each([
    { lastName: ' ' },
    { email: 'una at family' },
    { password: 'short', confirmPassword: 'short' },
    { confirmPassword: 'another one' },
    { plan: 'lifetime' },
  ])('refuses %j', async (fields) => {
    const email = 'refused@family.example';
    expect((await register({ email, ...fields })).statusCode).toBe(400);
    expect(await everkept.database.db.select().from(users).where(eq(users.email, email))).toEqual([]);
  });
});

describe('the form of a complaint', () => {
  const complaint = { name: 'Nell Ames', email: 'nell.ames@family.example', words: 'You hold an old address of mine.' };

  test('is taken without an account, and sends a receipt', async () => {
    expect((await post('/complaint', { ...complaint, words: 'Bad' })).statusCode).toBe(400);
    expect((await post('/complaint', complaint, { from: 'https://elsewhere.example' })).statusCode).toBe(403);
    await everkept.work();
    expect(mailsTo(complaint.email)).toBe(0);
    const { statusCode, headers } = await post('/complaint', complaint);
    expect([statusCode, headers['content-type']]).toEqual([202, 'text/html; charset=utf-8']);
    await everkept.work();
    expect(mailsTo(complaint.email)).toBe(1);
  });
});

describe('the form of an expired verification link', () => {
  test('sends a new link for an old one alone', async () => {
    const email = 'una@family.example';
    await everkept.app.inject({
      method: 'POST',
      url: '/api/register',
      headers: { origin: testBaseUrl, 'sec-fetch-site': 'same-origin' },
      payload: { firstName: 'Una', lastName: 'Lee', email, password: 'nine pears on a shelf' },
    });
    await everkept.work();
    const token = everkept.linkTo(email, '/api/verify-email').split('=').at(-1) ?? '';
    const before = mailsTo(email);
    expect((await post('/verify-email', { token: 'A'.repeat(43) })).statusCode).toBe(200);
    expect((await post('/verify-email', { token }, { from: 'https://elsewhere.example' })).statusCode).toBe(403);
    await everkept.work();
    expect(mailsTo(email)).toBe(before);
    const { statusCode, headers } = await post('/verify-email', { token });
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    await everkept.work();
    expect(mailsTo(email)).toBe(before + 1);
  });
});

describe('the form of a mailbox proof', () => {
  test('counts for the signed-in person alone', async () => {
    const someone = await everkept.signUp();
    const { db } = everkept.database;
    await db.update(users).set({ mailboxProvenAt: null }).where(eq(users.id, someone.userId));
    expect((await someone.browser.send('POST', '/api/user/mailbox-proof')).statusCode).toBe(200);
    await everkept.work();
    const token = everkept.tokenFor(someone.email, '/confirm-mailbox/');
    const press = (cookie = '') => post(`/confirm-mailbox/${token}`, {}, { cookie });
    expect((await press()).statusCode).toBe(401);
    const signedIn = async ({ email, password }: Pick<Owner, 'email' | 'password'>) => {
      const [session] = (await signIn({ email, password })).cookies;
      return `${session?.name}=${session?.value}`;
    };
    expect((await press(await signedIn(await everkept.signUp()))).statusCode).toBe(404);
    expect((await press(await signedIn(someone))).statusCode).toBe(200);
  });
});

describe('the emergency form', () => {
  test('is refused with the field’s sentence, and answers a stranger like a contact', async () => {
    const sam = await everkept.signUp();
    const contact = { name: 'Priya Shah', email: 'priya@friends.example' };
    await everkept.write(sam, { title: 'For Nell', recipientEmail: 'nell@family.example' });
    await everkept.befriend(sam, contact);
    await everkept.work();
    const before = mailsTo(contact.email);
    const ask = (fields: Record<string, string> = {}) =>
      post('/emergency-activation', {
        userEmail: sam.email,
        contactEmail: contact.email,
        contactName: contact.name,
        reason: 'I was at the funeral on Monday.',
        ...fields,
      });
    expect((await ask({ reason: 'Short' })).statusCode).toBe(400);
    const answers = [await ask({ contactEmail: 'nobody@family.example' }), await ask()];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(answers[0]?.body).toBe(answers[1]?.body);
    await everkept.work();
    expect(mailsTo(contact.email)).toBe(before + 1);
  });
});
