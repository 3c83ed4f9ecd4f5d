import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '#shared/contract/errors.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { createBrowser, createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';
import { bind } from './bind.ts';

const fail = defineRoute({
  method: 'GET',
  path: '/api/fails/:how',
  access: 'token',
  summary: 'For the tests of errors',
  params: z.object({ how: z.string() }),
  answer: z.object({ id: z.string() }),
});

const failures: Record<string, () => unknown> = {
  planned: () => new AppError('MESSAGE_LIMIT_EXCEEDED', 'plan limit', { upgradeRequired: true, current: 2, limit: 2 }),
  unexpected: () => new Error('secret-in-a-message'),
  thrown: () => 'secret-in-a-text',
  query: () =>
    Object.assign(new Error('Failed query: insert … params: secret-in-a-value'), {
      query: 'insert into users values ($1)',
      params: ['secret-in-a-value'],
      cause: Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(secret-in-a-detail)' }),
    }),
  deadlock: () =>
    Object.assign(new Error('Failed query'), { cause: Object.assign(new Error('deadlock'), { code: '40P01' }) }),
  room: () =>
    Object.assign(new Error('Failed query'), { cause: Object.assign(new Error('no space left'), { code: '53100' }) }),
  database: () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
};

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp({
    routes: (api) => {
      bind(api, fail, ({ params }) => {
        const make = failures[params.how];
        if (make) throw make();
        return { id: 1 } as never;
      });
    },
  });
});
afterAll(() => test.close());

describe('a failure', () => {
  it('a planned error is sent with its figures', async () => {
    const answer = await createBrowser(test.app).send('GET', '/api/fails/planned');
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      { message: 'plan limit', type: 'MESSAGE_LIMIT_EXCEEDED', upgradeRequired: true, current: 2, limit: 2 },
    ]);
  });

  it.each(['unexpected', 'thrown', 'query', 'answer'])(
    'that was not is hidden, and logged without what people typed: %s',
    async (how) => {
      test.log.length = 0;
      const answer = await createBrowser(test.app).send('GET', `/api/fails/${how}`);
      expect([answer.statusCode, answer.json().type]).toEqual([500, 'INTERNAL']);
      expect(answer.body).not.toContain('secret');
      const lines = test.log.join('');
      expect(lines).toContain('request failed');
      expect(lines).toContain(String(answer.headers['x-request-id']));
      expect(lines).not.toMatch(/secret-in-a-(value|detail|text)/);
    },
  );

  it('for want of room says that nothing was saved', async () => {
    const answer = await createBrowser(test.app).send('GET', '/api/fails/room');
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      {
        type: 'UNAVAILABLE',
        message: 'Our storage is full just now. Nothing was saved. Try again later.',
      },
    ]);
  });

  it.each(['deadlock', 'database'])('that passes by itself says to come back: %s', async (how) => {
    const answer = await createBrowser(test.app).send('GET', `/api/fails/${how}`);
    expect([answer.statusCode, answer.json().type]).toEqual([503, 'UNAVAILABLE']);
    expect(answer.headers['retry-after']).toBe('5');
  });
});

describe('an address without a route', () => {
  it('is 404 in JSON below /api', async () => {
    const answer = await createBrowser(test.app).send('GET', '/api/nothing/here');
    expect([answer.statusCode, answer.json().type]).toEqual([404, 'NOT_FOUND']);
    expect(answer.headers['content-security-policy']).toBeDefined();
  });

  it.each(['GET', 'DELETE', 'PATCH', 'TRACE'] as const)(
    'is 405 for another method and says which would do: %s',
    async (method) => {
      const answer = await createBrowser(test.app).send(method, '/api/login');
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'OPTIONS, POST']);
    },
  );

  it('is 404 below /api also where pages are served for every other path', async () => {
    const other = await createTestApp({
      http: {
        registerPages: (app) => {
          app.get('/*', async (request, reply) =>
            request.url.startsWith('/api/') ? reply.callNotFound() : reply.send('page'),
          );
        },
      },
    });
    const browser = createBrowser(other.app);
    expect((await browser.send('GET', '/somewhere')).body).toBe('page');
    for (const [method, url, status] of [
      ['GET', '/api/nothing', 404],
      ['POST', '/api/nothing', 404],
      ['GET', '/api/login', 405],
      ['DELETE', '/api/login', 405],
    ] as const) {
      const answer = await browser.send(method, url);
      expect([answer.statusCode, answer.headers['cache-control']], `${method} ${url}`).toEqual([status, 'no-store']);
    }
    await other.close();
  });

  it('tells OPTIONS what it takes', async () => {
    const answer = await createBrowser(test.app).send('OPTIONS', '/api/user/sessions');
    expect([answer.statusCode, answer.headers.allow]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('the log', () => {
  it('names routes by their pattern, and never a token, a password, a cookie or an address', async () => {
    test.log.length = 0;
    const { browser, person } = await signedIn(test);
    await browser.send('GET', `/api/fails/a-token-in-the-path?token=a-token-in-the-query`);
    await browser.send('POST', '/api/reset-password/complete', {
      body: { token: 'a-token-in-the-body', password: 'a new phrase here', confirmPassword: 'a new phrase here' },
    });
    const lines = test.log.join('');
    expect(lines).toContain('"route":"/api/fails/:how"');
    for (const secret of [
      'a-token',
      person.password,
      person.email,
      browser.cookie?.split('=')[1] ?? '?',
      'a new phrase',
    ]) {
      expect(lines).not.toContain(secret);
    }
    for (const line of test.log) expect(JSON.parse(line).time).toMatch(/Z$/);
  });
});
