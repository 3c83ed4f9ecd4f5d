import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, newPerson, type Person } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept } from '#tests/support/everkept.ts';

/** Result of a verification link: the browser that registered is signed in, any other gets the address filled in. */

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(() => everkept.mailer.clear());

const anybody = () => createBrowser(everkept.app);
const linkTo = ({ email }: Person) => everkept.linkTo(email, '/api/verify-email');

/** A new account, in a browser that is not signed in. */
async function register(given: Partial<Person> = {}) {
  const person = newPerson(given);
  const browser = anybody();
  await browser.send('POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
  await everkept.work();
  return { person, browser };
}

/** Address of the signed-in owner; null if the browser is signed out. */
async function whoIn(browser: Browser): Promise<string | null> {
  const answer = await browser.send('GET', '/api/auth/user');
  return answer.statusCode === 200 ? answer.json<{ email: string }>().email : null;
}

const filledIn = async (browser: Browser) =>
  (await browser.send('GET', '/api/login/verified-address')).json<{ email: string | null }>().email;

async function expectOnlyFilledIn(browser: Browser, person: Person): Promise<void> {
  const answer = await browser.send('GET', linkTo(person));
  expect(answer.headers.location).toBe('/?verified=true');
  expect([await whoIn(browser), await filledIn(browser)]).toEqual([null, person.email]);
}

describe('the browser that registered', () => {
  it('is signed in by the link, until it is closed', async () => {
    const { person, browser } = await register();
    const answer = await browser.send('GET', linkTo(person));
    expect(answer.headers.location).toBe('/?verified=true');
    const cookies = [answer.headers['set-cookie']].flat().map(String);
    expect(cookies.find((cookie) => cookie.startsWith('everkept='))).toMatch(
      /^everkept=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect([await whoIn(browser), await filledIn(browser)]).toEqual([person.email, null]);
    expect(browser.others.has('everkept-registered')).toBe(false);
  });

  it('is signed in after a scanner has opened the link before', async () => {
    const { person, browser } = await register();
    await anybody().send('GET', linkTo(person));
    await browser.send('GET', linkTo(person));
    expect(await whoIn(browser)).toBe(person.email);
  });

  it('is signed in once: the same mark works no second time, with this link or another', async () => {
    const { person, browser } = await register();
    const mark = browser.others.get('everkept-registered') ?? '';
    await browser.send('GET', linkTo(person));
    const copied = anybody();
    copied.others.set('everkept-registered', mark);
    await expectOnlyFilledIn(copied, person);
  });

  it('is not signed in twice by two openings at the same instant', async () => {
    const { person, browser } = await register();
    const mark = browser.others.get('everkept-registered') ?? '';
    const twins = [anybody(), anybody(), anybody()];
    for (const twin of twins) twin.others.set('everkept-registered', mark);
    await Promise.all(twins.map((twin) => twin.send('GET', linkTo(person))));
    const who = await Promise.all(twins.map(whoIn));
    expect(who.filter((email) => email === person.email)).toHaveLength(1);
  });

  it('is not signed in by looking ahead, as scanners do', async () => {
    const { person, browser } = await register();
    await browser.send('HEAD', linkTo(person));
    expect(await whoIn(browser)).toBeNull();
  });

  it('is not signed in a day after it registered, with a link that was sent again', async () => {
    const { person, browser } = await register();
    const expired = linkTo(person);
    await everkept.jump(1.1);
    await anybody().send('POST', '/api/verify-email/resend', { body: { token: expired.split('=').at(-1) } });
    await everkept.work();
    await expectOnlyFilledIn(browser, person);
  });

  it('is signed in neither to another person’s account, nor to one whose address it typed again', async () => {
    const { person } = await register();
    const { browser } = await register();
    await expectOnlyFilledIn(browser, person);
    // The answer to a taken address looks alike, and its mark is meaningless.
    const { person: taken } = await register();
    const again = anybody();
    await again.send('POST', '/api/register', { body: { ...taken, confirmPassword: taken.password } });
    expect(again.others.has('everkept-registered')).toBe(true);
    await expectOnlyFilledIn(again, taken);
  });

  it('is not signed in past a second factor', async () => {
    const { person, browser } = await register();
    await everkept.database.pool.query(
      `insert into authenticators (user_id, secret, created_at, confirmed_at)
         select id, '', now(), now() from users where email = $1`,
      [person.email],
    );
    await expectOnlyFilledIn(browser, person);
  });

  it('is not signed in as the designated administrator', async () => {
    const { person, browser } = await register({ email: adminEmail });
    await expectOnlyFilledIn(browser, person);
  });

  it('stays signed in as the present owner', async () => {
    const other = await everkept.signUp();
    const { browser } = other;
    const person = newPerson();
    await browser.send('POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
    await everkept.work();
    await browser.send('GET', linkTo(person));
    expect(await whoIn(browser)).toBe(other.email);
  });
});

describe('any other browser', () => {
  it("finds the address filled in for ten minutes, from a cookie that reveals nothing and can't be forged", async () => {
    const { person } = await register();
    const browser = anybody();
    await expectOnlyFilledIn(browser, person);
    const kept = browser.others.get('everkept-verified') ?? '';
    expect(Buffer.from(kept, 'base64url').toString('latin1')).not.toContain(person.email);
    const forged = anybody();
    forged.others.set('everkept-verified', Buffer.from(JSON.stringify({ email: person.email })).toString('base64url'));
    expect(await filledIn(forged)).toBeNull();
    await everkept.jump(11 / 1440);
    expect(await filledIn(browser)).toBeNull();
  });

  it('finds nothing filled in by an expired link, and nothing more after a sign-in', async () => {
    const { person } = await register();
    const browser = anybody();
    await browser.send('GET', linkTo(person));
    await browser.send('POST', '/api/login', { body: person });
    expect(await filledIn(browser)).toBeNull();
    await everkept.jump(1.1);
    const late = anybody();
    expect((await late.send('GET', linkTo(person))).headers.location).toBe('/?verified=true');
    expect(await filledIn(late)).toBeNull();
  });
});
