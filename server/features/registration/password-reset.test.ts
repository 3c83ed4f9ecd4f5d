import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOwnerByEmail } from '#server/features/accounts/accounts.repository.ts';
import { activityReactionsOf } from '#server/features/accounts/activity.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser, createTestApp, linkIn, signedIn, type TestApp } from '#tests/support/app.ts';
import { markClosing } from './closing.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

const hourMs = 3_600_000;
const fresh = 'a quite different phrase';

async function asked(verified = true) {
  const signed = await signedIn(test, { verified });
  const answer = await createBrowser(test.app).send('POST', '/api/reset-password', {
    body: { email: signed.person.email },
  });
  const token = linkIn(test.mails, signed.person.email, '/reset-password/').split('/').at(-1) ?? '';
  return { ...signed, answer, token };
}

function complete(token: string, password = fresh, browser = createBrowser(test.app)) {
  return browser.send('POST', '/api/reset-password/complete', { body: { token, password, confirmPassword: password } });
}

function signIn(email: string, password: string) {
  return createBrowser(test.app).send('POST', '/api/login', { body: { email, password } });
}

describe('asking for a new password', () => {
  it('answers an unknown address as a known one, and writes to it alone that has an account', async () => {
    const { answer, person } = await asked();
    const before = test.mails.length;
    const unknown = await createBrowser(test.app).send('POST', '/api/reset-password', {
      body: { email: 'nobody@people.example' },
    });
    expect([unknown.statusCode, unknown.body]).toEqual([answer.statusCode, answer.body]);
    expect(answer.statusCode).toBe(200);
    expect(test.mails).toHaveLength(before);
    expect(test.mails.at(-1)?.to.address).toBe(person.email);
  });

  it('is limited to five an hour for each address, alike for unknown ones', async () => {
    const { person } = await signedIn(test);
    for (const email of [person.email, 'stranger@people.example']) {
      const statuses = [];
      for (let count = 0; count < 6; count += 1) {
        const answer = await createBrowser(test.app).send('POST', '/api/reset-password', { body: { email } });
        statuses.push(answer.statusCode);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    }
  });

  it('keeps only the hash of the token', async () => {
    const { token, userId } = await asked();
    const [row] = await test.database.db.select().from(users).where(eq(users.id, userId));
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(row)).not.toContain(token);
  });
});

describe('setting a new password with the link', () => {
  it('ends every session, emails the owner and works with the new password only', async () => {
    const { browser, person, token } = await asked();
    const other = createBrowser(test.app);
    await other.send('POST', '/api/login', { body: { email: person.email, password: person.password } });

    expect((await complete(token)).statusCode).toBe(200);
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await other.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await signIn(person.email, person.password)).statusCode).toBe(401);
    expect((await signIn(person.email, fresh)).statusCode).toBe(200);
    expect(test.mails.at(-1)).toMatchObject({ to: { address: person.email }, kind: 'accounts.password-changed' });
  });

  it('works exactly once of fifty uses at the same instant', async () => {
    const { token, person } = await asked();
    const phrases = Array.from({ length: 50 }, (_, count) => `phrase number ${count} of fifty`);
    const answers = await Promise.all(phrases.map((phrase) => complete(token, phrase)));
    const won = answers.findIndex(({ statusCode }) => statusCode === 200);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(49);
    expect((await signIn(person.email, phrases[won] ?? '')).statusCode).toBe(200);
  });

  it('answers a used, an old, a replaced and an unknown link alike', async () => {
    const used = await asked();
    await complete(used.token);
    const replaced = await asked();
    await createBrowser(test.app).send('POST', '/api/reset-password', { body: { email: replaced.person.email } });
    const old = await asked();
    test.clock.advance(hourMs);

    const answers = [];
    for (const token of [used.token, replaced.token, old.token, 'x'.repeat(43)]) answers.push(await complete(token));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  it('keeps the link alive when the password was refused', async () => {
    const { token, person } = await asked();
    for (const password of ['short', 'password123', `x ${person.email}`]) {
      expect((await complete(token, password)).statusCode).toBe(400);
    }
    expect((await complete(token)).statusCode).toBe(200);
  });

  it('expires with a request to delete the account', async () => {
    const { token, userId } = await asked();
    const request = { at: new Date(), healthyMs: 0 };
    await test.database.db.transaction((tx) => markClosing(tx, userId, request));
    expect((await complete(token)).statusCode).toBe(404);
  });

  it('proves the address, since the link came by mail', async () => {
    const { token, person } = await asked(false);
    const told: string[] = [];
    activityReactionsOf(test.opened).verified.push(async (_tx, id) => {
      told.push(id);
    });
    await complete(token);
    const owner = await findOwnerByEmail(test.database.db, person.email);
    expect(owner?.emailVerified).toBe(true);
    expect(told).toEqual([owner?.id]);
  });

  it('lifts the delay that a stranger’s wrong passwords caused', async () => {
    const { token, person } = await asked();
    for (let count = 0; count < 6; count += 1) await signIn(person.email, 'not the password');
    expect((await signIn(person.email, person.password)).statusCode).toBe(429);
    await complete(token);
    expect((await signIn(person.email, fresh)).statusCode).toBe(200);
  });
});

describe('changing the password while signed in', () => {
  const change = (currentPassword: string, password = fresh) => ({
    body: { currentPassword, password, confirmPassword: password },
  });

  it('ends the other sessions and keeps this one, under another cookie', async () => {
    const { browser, person } = await signedIn(test);
    const other = createBrowser(test.app);
    await other.send('POST', '/api/login', { body: { email: person.email, password: person.password } });

    const copied = createBrowser(test.app);
    copied.cookie = browser.cookie;

    expect((await browser.send('PUT', '/api/user/password', change(person.password))).statusCode).toBe(200);
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(200);
    expect((await copied.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await other.send('GET', '/api/user')).statusCode).toBe(401);
    expect((await signIn(person.email, fresh)).statusCode).toBe(200);
    expect(test.mails.at(-1)?.kind).toBe('accounts.password-changed');
  });

  it('kills a reset link that was under way', async () => {
    const { browser, person, token } = await asked();
    await browser.send('PUT', '/api/user/password', change(person.password));
    expect((await complete(token)).statusCode).toBe(404);
  });

  it('wants the current password, and bears ten mistakes an hour', async () => {
    const { browser, person } = await signedIn(test);
    const wrong = await browser.send('PUT', '/api/user/password', change('not the password'));
    expect([wrong.statusCode, wrong.json().issues]).toEqual([
      400,
      [{ path: 'currentPassword', message: 'That is not your current password.' }],
    ]);
    for (let count = 0; count < 9; count += 1) {
      await browser.send('PUT', '/api/user/password', {
        ...change('not the password'),
        headers: { 'x-forwarded-for': `203.0.113.${count}` },
      });
    }
    const refused = await browser.send('PUT', '/api/user/password', {
      ...change(person.password),
      headers: { 'x-forwarded-for': '203.0.113.99' },
    });
    expect(refused.statusCode).toBe(429);
  });
});
