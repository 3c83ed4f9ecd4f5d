import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as accountRoutes from '#shared/contract/accounts.ts';
import { instant, text } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import { contractRoutes } from '#tests/support/routes.ts';
import { bind } from './bind.ts';

const noteParams = z.object({ id: z.uuid() });
const noteAnswer = z.object({ id: z.string(), at: instant, text: z.string() });
const putNote = defineRoute({
  method: 'PUT',
  path: '/api/notes/:id',
  access: 'verified',
  summary: 'For the tests of bind',
  params: noteParams,
  query: z.object({ loud: z.enum(['yes', 'no']).default('no') }),
  body: z.object({ text: text(50), tags: z.array(z.string()).max(3).default([]) }),
  answer: noteAnswer,
});
let test: TestApp;
const seen: unknown[] = [];

beforeAll(async () => {
  test = await createTestApp({
    routes: (api) => {
      bind(api, putNote, ({ params, query, body, principal }) => {
        seen.push({ params, query, body, userId: principal.userId });
        return { id: params.id, at: new Date(0), text: body.text, hidden: 'not declared' };
      });
    },
  });
});
afterAll(() => test.close());

const id = '6b0f0d52-6a53-4a44-8a55-0c4f5d5d8f10';
const note = `/api/notes/${id}`;

describe('a bound route', () => {
  it('hands over what the schemas made of the input, and who is signed in', async () => {
    const { browser, userId } = await signedIn(test);
    const answer = await browser.send('PUT', `${note}?loud=yes&other=1`, {
      body: { text: 'hello', userId: 'somebody else', __proto__: { admin: true } },
    });
    expect(answer.statusCode).toBe(200);
    expect(seen.at(-1)).toEqual({ params: { id }, query: { loud: 'yes' }, body: { text: 'hello', tags: [] }, userId });
  });

  it('sends only what the answer declares, dates as text', async () => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('PUT', note, { body: { text: 'hello' } });
    expect(answer.json()).toEqual({ id, at: '1970-01-01T00:00:00.000Z', text: 'hello' });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });

  it('names the fault and its path, in words for a person', async () => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('PUT', note, { body: { text: 'x'.repeat(51), tags: [1] } });
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      {
        type: 'VALIDATION',
        message: 'Please keep this to 50 characters',
        issues: [
          { path: 'text', message: 'Please keep this to 50 characters' },
          { path: 'tags.0', message: 'Invalid input' },
        ],
      },
    ]);
    const missing = await browser.send('PUT', note, { body: {} });
    expect(missing.json().issues).toEqual([{ path: 'text', message: 'Required' }]);
  });

  it('takes UTF-8 and nothing else, which would be read as what it is not', async () => {
    const { browser } = await signedIn(test);
    const sendAs = async (type: string) =>
      (await browser.send('PUT', note, { body: { text: 'hello' }, headers: { 'content-type': type } })).statusCode;
    expect(await sendAs('application/json; charset=utf-16')).toBe(415);
    expect(await sendAs('application/json;charset="UTF-16LE"')).toBe(415);
    expect(await sendAs('application/json; charset=UTF-8')).toBe(200);
  });

  it('answers an id that cannot exist as one that does not', async () => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('PUT', '/api/notes/7', { body: { text: 'hello' } });
    expect([answer.statusCode, answer.json().type]).toEqual([404, 'NOT_FOUND']);
  });

  it('requires a session, and a verified address if the route says so', async () => {
    const visitor = await createBrowser(test.app).send('PUT', note, { body: 'not even JSON' });
    expect([visitor.statusCode, visitor.json().type]).toEqual([401, 'UNAUTHENTICATED']);
    const { browser } = await signedIn(test, { verified: false });
    const answer = await browser.send('PUT', note, { body: { text: 'hello' } });
    expect([answer.statusCode, answer.json().type]).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
  });
});

describe('unusual input', () => {
  it.each([
    ['malformed JSON', '{"text":'],
    ['half a string', '"\\ud8'],
    ['a lone surrogate', '{"text":"\\ud800"}'],
    ['a NUL', '{"text":"a\\u0000b"}'],
    ['ten thousand arrays', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['ten thousand objects', `{"text":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a megabyte of text', `{"text":"${'x'.repeat(1_000_000)}"}`],
    ['a hundred thousand fields', `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join()}}`],
    ['an array', '[{"text":"hello"}]'],
    ['nothing', ''],
    ['null', 'null'],
    ['a number beyond all numbers', '1e309'],
    ['a prototype and no text', '{"__proto__":{"text":"x"},"constructor":{"prototype":{"text":"x"}}}'],
  ])('is refused, and the next request is served: %s', async (_what, body) => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('PUT', note, { body });
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'VALIDATION']);
    expect((await browser.send('PUT', note, { body: { text: 'hello' } })).statusCode).toBe(200);
  });

  it('drops keys that reach for a prototype', async () => {
    const { browser } = await signedIn(test);
    const body = '{"text":"hello","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}';
    expect((await browser.send('PUT', note, { body })).statusCode).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  it('is refused as too large before it is read whole', async () => {
    const { browser } = await signedIn(test);
    const answer = await browser.send('PUT', note, { body: `{"text":"${'x'.repeat(2_000_000)}"}` });
    expect([answer.statusCode, answer.json().type]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it.each([
    '/api/notes/%',
    '/api/notes/%ff',
    '/api/%c0%ae%c0%ae/x',
    '/api/notes/%00',
    `/api/notes/${'x'.repeat(5_000)}`,
  ])('is not found as a path: %s', async (url) => {
    const answer = await createBrowser(test.app).send('GET', url);
    expect([404, 405]).toContain(answer.statusCode);
    expect(answer.json()).toMatchObject({ message: expect.any(String), type: expect.any(String) });
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('never shakes a route of accounts', async () => {
    const { browser } = await signedIn(test);
    const odd = [
      '\\u0000',
      '\\ud800',
      '1',
      '{}',
      '[]',
      'null',
      'x'.repeat(300_000),
      '__proto__',
      '\\r\\nBcc: a@b.example',
    ];
    for (const route of Object.values(accountRoutes)) {
      if (typeof route !== 'object' || !('path' in route) || route.path === '/api/logout') continue;
      for (const value of odd) {
        const text = /^(1|\{\}|\[\]|null)$/.test(value) ? value : `"${value}"`;
        const names =
          'body' in route
            ? ['email', 'password', 'confirmPassword', 'currentPassword', 'token', 'phone', 'firstName']
            : [];
        const answer = await browser.send(
          route.method,
          route.path.replace(':id', encodeURIComponent(value.slice(0, 50))),
          {
            headers: {
              'x-forwarded-for': `203.0.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`,
            },
            ...(names.length > 0 ? { body: `{${names.map((name) => `"${name}":${text}`).join()}}` } : {}),
          },
        );
        expect(answer.statusCode, `${route.method} ${route.path} with ${value.slice(0, 20)}`).toBeLessThan(500);
      }
    }
    expect((await browser.send('GET', '/api/user')).statusCode).toBe(200);
  });
});

describe('every route of the contract that is served here', () => {
  it('answers 401 to a visitor unless it is public or opened by a link, and 403 before verification where it says so', async () => {
    const { browser: unverified } = await signedIn(test, { verified: false });
    const served = contractRoutes.filter(({ route }) => test.app.hasRoute({ method: route.method, url: route.path }));
    expect(served.length).toBeGreaterThanOrEqual(16);
    for (const { name, route } of served) {
      const url = route.path.replace(/:[A-Za-z]+/g, id);
      if (route.access === 'session' || route.access === 'verified') {
        expect((await createBrowser(test.app).send(route.method, url)).statusCode, name).toBe(401);
      }
      if (route.access === 'verified') expect((await unverified.send(route.method, url)).statusCode, name).toBe(403);
    }
  });
});
