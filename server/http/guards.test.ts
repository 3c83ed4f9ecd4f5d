import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import { isOwnOrigin } from './guards.ts';

const baseUrl = new URL('https://vault.example.org');
const facts = { method: 'POST', fetchSite: undefined, origin: undefined, hasSession: true, baseUrl };

describe('the origin of a request', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('does not matter for %s, which changes nothing', (method) => {
    expect(isOwnOrigin({ ...facts, method, fetchSite: 'cross-site', origin: 'https://evil.example' })).toBe(true);
  });

  it.each([
    ['same-origin', undefined, true],
    ['none', undefined, true],
    ['same-site', undefined, false],
    ['same-site', 'https://evil.example.org', false],
    ['cross-site', undefined, false],
    ['cross-site', 'https://evil.example', false],
    ['cross-site', 'null', false],
    ['same-origin, cross-site', undefined, false],
    ['', undefined, false],
    [undefined, 'https://vault.example.org', true],
    [undefined, 'https://vault.example.org:8443', false],
    [undefined, 'http://vault.example.org', false],
    [undefined, 'https://vault.example.org.evil.example', false],
    [undefined, 'https://VAULT.example.org@evil.example', false],
    [undefined, 'null', false],
    [undefined, '', false],
    [undefined, undefined, false],
  ])('with a session: Sec-Fetch-Site %s and Origin %s → %s', (fetchSite, origin, expected) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expect(isOwnOrigin({ ...facts, method, fetchSite, origin })).toBe(expected);
    }
  });

  it('may be unsaid by a program that acts for no session', () => {
    expect(isOwnOrigin({ ...facts, hasSession: false })).toBe(true);
    expect(isOwnOrigin({ ...facts, hasSession: false, origin: 'https://evil.example' })).toBe(false);
    expect(isOwnOrigin({ ...facts, hasSession: false, fetchSite: 'cross-site' })).toBe(false);
  });
});

describe('a request that another site caused', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp();
  });
  afterAll(() => test.close());

  const forgeries: [string, Record<string, string>][] = [
    ['a form on another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost:3000' }],
    ['an older browser elsewhere', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['a page without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ];

  it.each(forgeries)('is refused and changes nothing: %s', async (_what, headers) => {
    const { browser } = await signedIn(test);
    const calls = [
      ['POST', '/api/logout', undefined],
      ['PUT', '/api/user-profile', { phone: '07700 900999' }],
      ['DELETE', '/api/user/sessions', undefined],
      ['POST', '/api/resend-verification', undefined],
      ['POST', '/api/reset-password', { email: 'person1@people.example' }],
    ] as const;
    for (const [method, url, body] of calls) {
      const answer = await browser.send(method, url, { headers, ...(body ? { body } : {}) });
      expect([answer.statusCode, answer.json().type]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await browser.send('GET', '/api/user')).json().phone).toBeNull();
  });

  it('is refused as a form or as plain text, which need no permission from us', async () => {
    const { browser } = await signedIn(test);
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
      'text/json',
    ]) {
      const answer = await browser.send('PUT', '/api/user-profile', {
        body: '{"phone":"07700 900999"}',
        headers: { 'content-type': type },
      });
      expect([answer.statusCode, answer.json().type]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    expect((await browser.send('GET', '/api/user')).json().phone).toBeNull();
  });

  it('is refused with a session when nothing says where it comes from, and welcome without one', async () => {
    const { browser, person } = await signedIn(test);
    const cookie = browser.cookie ?? '';
    const bare = (headers: Record<string, string>) =>
      test.app.inject({ method: 'POST', url: '/api/logout', headers, remoteAddress: '203.0.113.7' });
    expect((await bare({ cookie })).statusCode).toBe(403);
    expect((await bare({ cookie, origin: testBaseUrl })).statusCode).toBe(200);
    expect((await bare({})).statusCode).toBe(200);
    const program = await test.app.inject({
      method: 'POST',
      url: '/api/login',
      remoteAddress: '203.0.113.7',
      payload: { email: person.email, password: person.password },
    });
    expect(program.statusCode).toBe(200);
  });

  it('cannot change the method by a header or a query', async () => {
    const { browser } = await signedIn(test);
    await browser.send('GET', '/api/user/sessions?_method=DELETE', { headers: { 'x-http-method-override': 'DELETE' } });
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(200);
  });
});

describe('the cookie on https', () => {
  it('is bound to this host and sent over https only', async () => {
    const test = await createTestApp({
      environment: { BASE_URL: 'https://vault.example.org', TRUST_PROXY: '127.0.0.1' },
    });
    try {
      const { browser } = await signedIn(test);
      expect(browser.cookie).toMatch(/^__Host-everkept=/);
      const answer = await browser.send('POST', '/api/logout');
      expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-everkept=;.*HttpOnly; Secure; SameSite=Lax/);
      expect(answer.headers['strict-transport-security']).toMatch(/max-age=31536000/);
      const plain = createBrowser(test.app);
      plain.cookie = browser.cookie?.replace('__Host-', '') ?? null;
      expect((await plain.send('GET', '/api/user')).statusCode).toBe(401);
    } finally {
      await test.close();
    }
  });
});
