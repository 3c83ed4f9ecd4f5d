import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { activityReactionsOf } from '#server/features/accounts/activity.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { createBrowser, createTestApp, linkIn, newPerson, signedIn, type TestApp } from '#tests/support/app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

const dayMs = 86_400_000;

async function register(person = newPerson(), more: Record<string, unknown> = {}) {
  const browser = createBrowser(test.app);
  const answer = await browser.send('POST', '/api/register', {
    body: { ...person, confirmPassword: person.password, ...more },
  });
  const [row] = await test.database.db.select().from(users).where(eq(users.email, person.email));
  return { person, browser, answer, row };
}

const mailsTo = (address: string) => test.mails.filter(({ to }) => to.address === address);

describe('registering', () => {
  it('makes an account with a vault, on the free plan, and sends the link', async () => {
    const { answer, row, person } = await register(newPerson(), { plan: 'premium' });

    expect(answer.statusCode).toBe(201);
    // The visitor is not signed in yet. The cookie lets the link recognise the browser that registered.
    expect(answer.headers['set-cookie']).toMatch(
      /^everkept-registered=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(row).toMatchObject({ plan: 'free', intendedPlan: 'premium', emailVerified: false, inactivityDays: 90 });
    expect(row?.password).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    const keys = await test.database.db
      .select()
      .from(vaultKeys)
      .where(eq(vaultKeys.userId, row?.id ?? ''));
    expect(keys).toHaveLength(1);
    expect(mailsTo(person.email).map(({ mail }) => mail.subject)).toEqual(['Confirm your email address']);
  });

  it('trims the address and puts it in lower case', async () => {
    const person = newPerson();
    await register({ ...person, email: `  ${person.email.toUpperCase()} ` });
    expect(mailsTo(person.email)).toHaveLength(1);
  });

  it('answers alike for a taken address, changes nothing and emails its owner, once an hour', async () => {
    const first = await register();
    const again = await register({ ...first.person, password: 'another phrase altogether', firstName: 'Mallory' });
    await register({ ...first.person, password: 'another phrase altogether' });

    expect(again.answer.statusCode).toBe(first.answer.statusCode);
    expect(again.answer.body).toBe(first.answer.body);
    expect(Object.keys(again.answer.headers)).toEqual(Object.keys(first.answer.headers));
    const shape = (value: unknown) => String(value).replace(/=[\w-]{43};/, '=mark;');
    expect(shape(again.answer.headers['set-cookie'])).toBe(shape(first.answer.headers['set-cookie']));
    expect(again.answer.headers['set-cookie']).not.toBe(first.answer.headers['set-cookie']);
    expect(again.row).toEqual(first.row);
    expect(mailsTo(first.person.email).map(({ mail }) => mail.subject)).toEqual([
      'Confirm your email address',
      'Somebody tried to open an account with your address',
    ]);
  });

  it('keeps one account for fifty registrations of one address in parallel', async () => {
    const person = newPerson();
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(person)));
    const rows = await test.database.db.select().from(users).where(eq(users.email, person.email));
    expect(rows).toHaveLength(1);
    const statuses = new Set(answers.map(({ answer }) => answer.statusCode));
    expect([...statuses].filter((status) => ![201, 429].includes(status))).toEqual([]);
    expect(mailsTo(person.email).filter(({ kind }) => kind === 'accounts.verification')).toHaveLength(1);
  });

  it('accepts the wizard’s fields: a user name that is the address, no last name, no confirmation', async () => {
    const { email, password, firstName } = newPerson();
    const browser = createBrowser(test.app);
    const answer = await browser.send('POST', '/api/register', {
      body: { username: email, email, password, firstName },
    });
    expect(answer.statusCode).toBe(201);
  });

  it.each([
    ['a short password', { password: 'seven77', confirmPassword: 'seven77' }, 'Password must be at least 8 characters'],
    ['no first name', { firstName: ' ' }, 'First name is required'],
    ['a missing last name without a user name', { lastName: undefined }, 'Last name is required'],
    ['an empty last name without a user name', { lastName: '' }, 'Last name is required'],
    ['a blank last name without a user name', { lastName: '  ' }, 'Last name is required'],
    ['a null last name without a user name', { lastName: null }, 'Last name is required'],
    ['an address that is none', { email: 'nobody' }, 'Please enter a valid email address'],
    ['two different passwords', { confirmPassword: 'other than that' }, "Passwords don't match"],
    ['a plan that cannot be chosen', { plan: 'lifetime' }, undefined],
    ['a user name that is not the address', { username: 'sam' }, 'The user name is your email address'],
    ['a line break in a name', { firstName: 'Sam\r\nBcc: all@example.org' }, 'This must be a single line of text'],
    ['a common password', { password: 'Liverpool1', confirmPassword: 'Liverpool1' }, undefined],
  ])('refuses %s', async (_what, more, message) => {
    const { answer, row } = await register(newPerson({ email: `refused${Math.random()}@people.example` }), more);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ type: 'VALIDATION', ...(message ? { message } : {}) });
    expect(row).toBeUndefined();
  });

  it('ignores unknown fields of the body', async () => {
    const { row } = await register(newPerson(), {
      id: '00000000-0000-4000-8000-000000000000',
      role: 'admin',
      emailVerified: true,
      lastCheckinAt: '2099-01-01T00:00:00Z',
      isTrustedContactAccount: true,
      tempPassword: true,
      intendedPlan: 'lifetime',
    });
    expect(row).toMatchObject({
      role: 'user',
      emailVerified: false,
      isTrustedContactAccount: false,
      tempPassword: false,
      intendedPlan: null,
    });
    expect(row?.id).not.toBe('00000000-0000-4000-8000-000000000000');
    expect(row?.lastCheckinAt.getTime()).toBeLessThan(Date.now() + dayMs);
  });

  it('keeps only the hash of the link’s token', async () => {
    const { row, person } = await register();
    const token = new URL(linkIn(test.mails, person.email, '/api/verify-email'), 'http://x').searchParams.get('token');
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(row)).not.toContain(token);
  });
});

describe('verifying', () => {
  it('marks the address, calls its listeners, and redirects to the product; a second press succeeds too', async () => {
    const { person, browser, row } = await register();
    const told: string[] = [];
    activityReactionsOf(test.opened).verified.push(async (_tx, userId) => {
      told.push(userId);
    });
    const link = linkIn(test.mails, person.email, '/api/verify-email');

    for (const _press of [1, 2]) {
      const answer = await browser.send('GET', link, { headers: { 'sec-fetch-site': 'cross-site' } });
      expect(answer.statusCode).toBe(302);
      expect(answer.headers.location).toBe('/?verified=true');
    }
    expect(told).toEqual([row?.id]);
    const owner = await findOwner(test.database.db, row?.id ?? '');
    expect(owner?.emailVerified).toBe(true);
  });

  it('is undone completely if one of its listeners fails', async () => {
    const other = await createTestApp();
    try {
      const { person } = await signedIn(other, { verified: false });
      activityReactionsOf(other.opened).verified.push(async () => {
        throw new Error('planned');
      });
      const browser = createBrowser(other.app);
      const answer = await browser.send('GET', linkIn(other.mails, person.email, '/api/verify-email'));
      expect(answer.statusCode).toBe(500);
      expect(answer.json().message).not.toContain('planned');
      const [row] = await other.database.db.select().from(users);
      expect(row?.emailVerified).toBe(false);
    } finally {
      await other.close();
    }
  });

  it('leads an expired link to the page that sends a new one, which works signed out', async () => {
    const { person, browser } = await register();
    const link = linkIn(test.mails, person.email, '/api/verify-email');
    const token = new URL(link, 'http://x').searchParams.get('token');
    test.clock.advance(dayMs);
    const expired = await browser.send('GET', link);
    expect(expired.headers.location).toBe(`/verify-email?token=${token}`);

    const resent = await browser.send('POST', '/api/verify-email/resend', { body: { token } });
    expect(resent.statusCode).toBe(200);
    const renewed = linkIn(test.mails, person.email, '/api/verify-email');
    expect(renewed).not.toBe(link);
    expect((await browser.send('GET', renewed)).headers.location).toBe('/?verified=true');
  });

  it('answers a resend for an unknown link as for a known one, and sends no mail', async () => {
    const { person, browser } = await register();
    const token = new URL(linkIn(test.mails, person.email, '/api/verify-email'), 'http://x').searchParams.get('token');
    const known = await browser.send('POST', '/api/verify-email/resend', { body: { token } });
    const before = test.mails.length;
    const unknown = await browser.send('POST', '/api/verify-email/resend', { body: { token: 'x'.repeat(43) } });
    expect([unknown.statusCode, unknown.body]).toEqual([known.statusCode, known.body]);
    expect(test.mails).toHaveLength(before);
  });

  it.each(['', 'x', 'a'.repeat(43), '%00', '%F0%9F%90%9D'])(
    'leads an unknown token (%s) to the page without one',
    async (token) => {
      const browser = createBrowser(test.app);
      const answer = await browser.send('GET', `/api/verify-email?token=${token}`);
      expect([answer.statusCode, answer.headers.location]).toEqual([302, '/verify-email']);
    },
  );

  it('is not done by a scanner that only asks for the headers', async () => {
    const { person, browser, row } = await register();
    await browser.send('HEAD', linkIn(test.mails, person.email, '/api/verify-email'));
    expect((await findOwner(test.database.db, row?.id ?? ''))?.emailVerified).toBe(false);
  });

  it('can be resent by the signed-in owner, five times an hour', async () => {
    const { browser, person } = await signedIn(test, { verified: false });
    const statuses = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await browser.send('POST', '/api/resend-verification')).statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(mailsTo(person.email)).toHaveLength(6);
  });

  it('sends nothing more once the address is verified', async () => {
    const { browser, person } = await signedIn(test);
    const before = mailsTo(person.email).length;
    expect((await browser.send('POST', '/api/resend-verification')).statusCode).toBe(200);
    expect(mailsTo(person.email)).toHaveLength(before);
  });
});
