import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyByOperator } from '#server/features/administered-accounts/accounts-admin.ts';
import { buy, subscribe } from '#server/features/billing/billing.test-world.ts';
import { createBrowser, newPerson } from '#tests/support/app.ts';
import { adminEmail, createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

/** "This was not me", in the mail that asks an address whether an account is its reader's. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await rows('delete from users');
  everkept.mailer.clear();
});

const anybody = () => createBrowser(everkept.app);
const rows = async (statement: string, ...values: unknown[]) =>
  (await everkept.database.pool.query(statement, values)).rows;
const isThere = async ({ userId }: Owner) => (await rows('select 1 from users where id = $1', userId)).length === 1;
const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const pathFor = ({ email }: { email: string }) => `/api${everkept.linkTo(email, '/not-me/')}`;
const press = (path: string) => anybody().send('POST', path);
/** A mail scanner, or a careless hand, in a browser that knows nothing of the account. */
const openVerification = ({ email }: Owner) => anybody().send('GET', everkept.linkTo(email, '/api/verify-email'));
const restore = ({ browser }: Owner) => browser.send('POST', '/api/user/restore');

/** A stranger registers another person's address, and plants a letter and a contact. */
async function plant(): Promise<Owner & { contact: string }> {
  const stranger = await everkept.signUp({ isVerified: false });
  await everkept.write(stranger);
  const contact = `ida.${stranger.email}`;
  await stranger.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ida Lee', email: contact } });
  return { ...stranger, contact };
}

describe('the mail that asks', () => {
  test('lists the content of the account when the mail is sent, not when it was written', async () => {
    const person = newPerson();
    const browser = anybody();
    await browser.send('POST', '/api/register', {
      body: { ...person, confirmPassword: person.password, plan: 'premium' },
    });
    const signedIn = await browser.send('POST', '/api/login', { body: person });
    const { user } = signedIn.json<{ user: { id: string } }>();
    await everkept.write({ ...person, browser, userId: user.id });
    await browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ida Lee', email: 'ida@people.example' } });
    await browser.send('PUT', '/api/user-profile', { body: { phone: '07700 900123' } });
    await everkept.work();
    const [mail] = mailsTo(person.email);
    const words = mail?.text.replace(/\s+/g, ' ');
    expect(words).toContain(
      'is in it so far: 1 letter, 1 trusted contact and a phone number. The Premium plan was chosen',
    );
    for (const typed of [person.firstName, 'For Nell', 'Ida Lee']) expect(mail?.html).not.toContain(typed);
  });

  test('mentions changed settings even if only the wait of an early release was changed', async () => {
    const stranger = await everkept.signUp({ isVerified: false });
    await stranger.browser.send('PUT', '/api/release/preferences', {
      body: { quorum: 1, waitingDays: 0, answerDays: 7 },
    });
    await stranger.browser.send('POST', '/api/resend-verification');
    await everkept.work();
    expect(mailsTo(stranger.email).at(-1)?.text.replace(/\s+/g, ' ')).toContain('settings for when letters are sent');
  });

  test('says that the account is still empty, has both links, and says truthfully what happens without a press', async () => {
    const stranger = await everkept.signUp({ isVerified: false });
    const words = mailsTo(stranger.email)[0]?.text.replace(/\s+/g, ' ');
    expect(words).toContain('So far there is nothing in it.');
    expect(words).toMatch(/api\/verify-email\?token=[\w-]{43} /);
    expect(words).toMatch(/This was not me \(http:\S+\/not-me\/[\w-]{43}\)/);
    expect(words).toContain('an account that nobody confirms is deleted after 30 days');
  });

  test('is as true the second time, and the link in the first one still works', async () => {
    const stranger = await everkept.signUp({ isVerified: false });
    const first = pathFor(stranger);
    await everkept.write(stranger);
    await stranger.browser.send('POST', '/api/resend-verification');
    await everkept.work();
    expect(mailsTo(stranger.email).at(-1)?.text).toContain('1 letter');
    expect(pathFor(stranger)).not.toBe(first);
    expect((await anybody().send('GET', first)).statusCode).toBe(200);
  });
});

describe('the page', () => {
  test('says in numbers what would go, and changes nothing by being opened', async () => {
    const stranger = await plant();
    const path = pathFor(stranger);
    const before = await dumpRows(everkept.database, { except: ['rate_limits'] });
    await anybody().send('HEAD', path);
    const answer = await anybody().send('GET', path);
    expect(await dumpRows(everkept.database, { except: ['rate_limits'] })).toEqual(before);
    expect(answer.json()).toMatchObject({
      letters: 1,
      contacts: 1,
      documents: 0,
      plan: null,
      isVerified: false,
      removal: 'at-once',
    });
    expect(answer.body).not.toContain(stranger.email);
  });

  test('cannot be pressed from the page of another site', async () => {
    const stranger = await plant();
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' };
    expect((await anybody().send('POST', pathFor(stranger), { headers })).statusCode).toBe(403);
    expect(await isThere(stranger)).toBe(true);
  });
});

describe('a press for an unverified address', () => {
  test('deletes the account with its content immediately, frees the address, and emails only the invited contacts', async () => {
    const stranger = await plant();
    const path = pathFor(stranger);
    const answer = await press(path);
    expect([answer.statusCode, answer.json()]).toEqual([200, { goesAt: null }]);
    expect(await isThere(stranger)).toBe(false);
    expect((await stranger.browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await everkept.ledger.names()).size).toBe(1);
    const [entry] = await rows(
      `select action, details from audit_logs where action = 'account.erased' order by id desc`,
    );
    expect(entry).toMatchObject({ details: { because: 'not-me' } });
    await everkept.work();
    expect(mailsTo(stranger.contact)).toEqual([]);

    // Used, over, or never ours: one answer.
    const refused = [
      await press(path),
      await anybody().send('GET', path),
      await press(`/api/not-me/${'A'.repeat(43)}`),
    ];
    expect(new Set(refused.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(refused[0]?.statusCode).toBe(404);

    const person = newPerson({ email: stranger.email });
    await anybody().send('POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
    await everkept.work();
    expect(mailsTo(stranger.email).at(-1)?.text).toContain('So far there is nothing in it.');
  });

  test('acts once for any number of parallel requests', async () => {
    const path = pathFor(await plant());
    const answers = await Promise.all(Array.from({ length: 20 }, () => press(path)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(19);
  });

  test.each([
    ['has paid', (email: string) => buy(everkept, anybody(), { plan: 'premium', email })],
    ['is about to pay', (email: string) => subscribe(anybody(), { plan: 'premium', email })],
  ])('closes the account and loses no money if a buyer %s for the address', async (_, pay) => {
    const stranger = await plant();
    await pay(stranger.email);
    const payments = await rows('select id from payments');
    expect((await press(pathFor(stranger))).json<{ goesAt: string }>().goesAt).toBeTruthy();
    expect(await isThere(stranger)).toBe(true);
    await everkept.live(32);
    expect(await isThere(stranger)).toBe(false);
    expect(await rows('select id from payments')).toEqual(expect.arrayContaining(payments));
  });
});

describe('a press, after a scanner has opened the verification link', () => {
  test('deletes an unused account immediately, and tells the invited contacts that it was a mistake', async () => {
    const stranger = await plant();
    await openVerification(stranger);
    await everkept.work();
    const invitation = everkept.tokenFor(stranger.contact, '/trusted-contact-accept/');
    expect((await anybody().send('GET', pathFor(stranger))).json()).toMatchObject({
      isVerified: true,
      removal: 'at-once',
    });

    expect((await press(pathFor(stranger))).json()).toEqual({ goesAt: null });
    expect(await isThere(stranger)).toBe(false);
    expect((await anybody().send('GET', `/api/trusted-contact-invitation/${invitation}`)).statusCode).toBe(404);
    await everkept.work();
    expect(mailsTo(stranger.contact).map(({ subject }) => subject)).toEqual([
      expect.stringContaining('has named you as a trusted contact'),
      'Our invitation to you was a mistake',
    ]);
  });

  test('closes an account in use, and the password alone undoes nothing', async () => {
    const stranger = await plant();
    await openVerification(stranger);
    await everkept.signIn(stranger);
    await everkept.work();
    const verification = everkept.linkTo(stranger.email, '/api/verify-email');
    expect((await press(pathFor(stranger))).json<{ goesAt: string }>().goesAt).toBeTruthy();
    expect((await stranger.browser.send('GET', '/api/user')).statusCode).toBe(401);

    await everkept.signIn(stranger);
    expect((await restore(stranger)).statusCode).toBe(409);
    // Not with the link from before either, wherever it is opened.
    expect((await stranger.browser.send('GET', verification)).headers.location).toBe('/verify-email');
    expect((await restore(stranger)).statusCode).toBe(409);

    await everkept.live(31);
    expect(await isThere(stranger)).toBe(false);
    expect(mailsTo(stranger.contact).at(-1)?.subject).toBe('Our invitation to you was a mistake');
  });

  test('holds back the invitations that have not left yet', async () => {
    const stranger = await plant();
    await openVerification(stranger);
    await everkept.signIn(stranger);
    await press(pathFor(stranger));
    await everkept.live(2);
    expect(mailsTo(stranger.contact)).toEqual([]);
  });

  test('closes what an operator has vouched for', async () => {
    const stranger = await plant();
    await verifyByOperator(everkept.opened, stranger.email);
    await everkept.work();
    expect((await anybody().send('GET', pathFor(stranger))).json()).toMatchObject({ removal: 'with-undo' });
  });
});

describe('a press by a person who received the forwarded mail, about a real vault', () => {
  test('destroys nothing: its owner is emailed, proves the mailbox, and restores everything; the link has expired', async () => {
    const owner = await everkept.signUp();
    await everkept.write(owner);
    await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
    const path = pathFor(owner);
    await press(path);
    expect((await press(path)).statusCode).toBe(404);
    await everkept.work();
    const told = mailsTo(owner.email).at(-1);
    expect(told?.subject).toMatch(/^Your account will be deleted on /);
    expect(told?.text).toContain('This was not me');

    await everkept.signIn(owner);
    expect((await owner.browser.send('GET', '/api/user')).json()).toMatchObject({ isDisowned: true });
    expect((await restore(owner)).statusCode).toBe(409);
    expect((await owner.browser.send('POST', '/api/user/mailbox-proof')).statusCode).toBe(200);
    await everkept.work();
    const token = everkept.tokenFor(owner.email, '/confirm-mailbox/');
    // The link without the password, or the password without the link, opens nothing.
    expect((await anybody().send('POST', '/api/user/mailbox-proof/confirm', { body: { token } })).statusCode).toBe(401);
    await owner.browser.send('POST', '/api/user/mailbox-proof/confirm', { body: { token } });
    expect((await restore(owner)).statusCode).toBe(200);
    expect((await owner.browser.send('GET', '/api/messages')).json<unknown[]>()).toHaveLength(1);
    expect((await owner.browser.send('GET', '/api/user')).json()).not.toHaveProperty('isDisowned');
    expect((await press(path)).statusCode).toBe(404);
    expect(mailsTo(`ada.${owner.email}`).map(({ subject }) => subject)).not.toContain(
      'Our invitation to you was a mistake',
    );
  });

  test('closes nothing while a release of it is under way, nor once letters have left', async () => {
    const owner = await everkept.signUp();
    await everkept.write(owner);
    await everkept.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}` });
    const path = pathFor(owner);
    // Weeks of silence in a day: the mail is as young as it was.
    await rows("update not_me_links set expires_at = now() + interval '300 days'");
    await everkept.live(91);
    const portal = everkept.tokenFor(`ada.${owner.email}`, '/trusted-contact-admin/');
    expect((await press(path)).statusCode).toBe(409);
    const body = { confirmed: true, reason: 'I was at the funeral.' };
    await anybody().send('POST', `/api/trusted-contact-admin/${portal}/confirm-release`, { body });
    await everkept.work();
    expect(mailsTo('nell@family.example')).toHaveLength(1);
    expect((await press(path)).statusCode).toBe(409);
    expect(await rows('select deletion_requested_at as at from users where id = $1', owner.userId)).toEqual([
      { at: null },
    ]);
  });

  test('expires 30 days after the mail has left, even if that was late', async () => {
    const owner = await everkept.signUp({ isVerified: false });
    const person = newPerson();
    await anybody().send('POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
    await everkept.jump(3);
    await everkept.work();
    await everkept.jump(28);
    expect((await anybody().send('GET', pathFor(owner))).statusCode).toBe(404);
    expect((await anybody().send('GET', pathFor(person))).statusCode).toBe(200);
    await everkept.jump(3);
    expect((await anybody().send('GET', pathFor(person))).statusCode).toBe(404);
  });

  test('is rejected for the designated administrator, who runs the service', async () => {
    const operator = await everkept.signUp({ email: adminEmail });
    expect((await press(pathFor(operator))).statusCode).toBe(404);
    expect((await operator.browser.send('GET', '/api/user')).json()).toMatchObject({ isAdministrator: true });
  });
});
