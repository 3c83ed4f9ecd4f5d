import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, createTestApp, linkIn, signedIn, type TestApp } from '#tests/support/app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.close());

const wrong = 'not the password';
const deviceName = 'everkept-device';

const signIn = (browser: Browser, email: string, password: string) =>
  browser.send('POST', '/api/login', { body: { email, password } });

/** A stranger guesses until the address is refused everywhere. */
async function attack(email: string): Promise<void> {
  for (let count = 0; count < 6; count += 1) await signIn(createBrowser(test.app), email, wrong);
}

describe('a device on which its owner signed in before', () => {
  it('admits its owner while a stranger guesses elsewhere', async () => {
    const { browser, person } = await signedIn(test);
    browser.cookie = null;
    await attack(person.email);
    expect((await signIn(createBrowser(test.app), person.email, person.password)).statusCode).toBe(429);
    expect((await signIn(browser, person.email, person.password)).statusCode).toBe(200);
  });

  it('survives signing out', async () => {
    const { browser, person } = await signedIn(test);
    await browser.send('POST', '/api/logout');
    await attack(person.email);
    expect((await signIn(browser, person.email, person.password)).statusCode).toBe(200);
  });

  it("has a separate count: an attacker with the device can't guess without limit", async () => {
    const { browser, person } = await signedIn(test);
    for (let count = 0; count < 5; count += 1) {
      expect((await signIn(browser, person.email, wrong)).statusCode).toBe(401);
    }
    expect((await signIn(browser, person.email, wrong)).statusCode).toBe(429);
  });

  it('is known for its own owners only', async () => {
    const [one, other] = [await signedIn(test), await signedIn(test)];
    await attack(other.person.email);
    expect((await signIn(one.browser, other.person.email, other.person.password)).statusCode).toBe(429);
  });

  it('is shared by a household', async () => {
    const [one, other] = [await signedIn(test), await signedIn(test)];
    await signIn(one.browser, other.person.email, other.person.password);
    for (const { person } of [one, other]) {
      await attack(person.email);
      expect((await signIn(one.browser, person.email, person.password)).statusCode).toBe(200);
    }
  });

  it('holds a number and marks that say nothing, and an invented one is worth nothing', async () => {
    const { browser, person } = await signedIn(test);
    const value = browser.others.get(deviceName) ?? '';
    expect(value).toMatch(/^[\w-]{43}\.[\w-]{43}$/);
    const again = createBrowser(test.app);
    await signIn(again, person.email, person.password);
    expect(again.others.get(deviceName)?.split('.')[1]).not.toBe(value.split('.')[1]);

    await attack(person.email);
    for (const invented of [
      `${'A'.repeat(43)}.${value.split('.')[1]}`,
      value.slice(0, -1),
      'x'.repeat(4_000),
      '..',
      '',
    ]) {
      const liar = createBrowser(test.app);
      liar.others.set(deviceName, invented);
      expect((await signIn(liar, person.email, person.password)).statusCode).toBe(429);
    }
  });
});

describe('a device that a thief signed in on', () => {
  /** The owner's own browser, and one on which a thief signed in with the password. */
  async function stolen() {
    const { browser, person } = await signedIn(test);
    const thief = createBrowser(test.app);
    expect((await signIn(thief, person.email, person.password)).statusCode).toBe(200);
    return { browser, person, thief };
  }
  const newPassword = 'eleven limes in a bag';

  it('is forgotten after a change of the password, except the one that made it', async () => {
    const { browser, person, thief } = await stolen();
    const body = { currentPassword: person.password, password: newPassword, confirmPassword: newPassword };
    expect((await browser.send('PUT', '/api/user/password', { body })).statusCode).toBe(200);
    await attack(person.email);
    expect((await signIn(thief, person.email, newPassword)).statusCode).toBe(429);
    expect((await signIn(browser, person.email, newPassword)).statusCode).toBe(200);
  });

  it('is forgotten after a new password from a mailed link', async () => {
    const { person, thief } = await stolen();
    await thief.send('POST', '/api/reset-password', { body: { email: person.email } });
    const token = linkIn(test.mails, person.email, '/reset-password/').split('/').at(-1);
    const body = { token, password: newPassword, confirmPassword: newPassword };
    expect((await thief.send('POST', '/api/reset-password/complete', { body })).statusCode).toBe(200);
    await attack(person.email);
    expect((await signIn(thief, person.email, newPassword)).statusCode).toBe(429);
  });

  it('is forgotten after signing out all other devices, except the one that did it', async () => {
    const { browser, person, thief } = await stolen();
    expect((await browser.send('DELETE', '/api/user/sessions')).statusCode).toBe(204);
    await attack(person.email);
    expect((await signIn(thief, person.email, person.password)).statusCode).toBe(429);
    expect((await signIn(browser, person.email, person.password)).statusCode).toBe(200);
  });
});
