import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { usualShedding } from '#server/http/limits/shedding.ts';
import { AppError } from '#shared/contract/errors.ts';
import { createBrowser, createTestApp, type TestApp } from '#tests/support/app.ts';

let test: TestApp;
let port: number;

beforeAll(async () => {
  test = await createTestApp();
  const address = await test.app.listen({ host: '127.0.0.1', port: 0 });
  port = Number(new URL(address).port);
});
afterAll(() => test.close());

/** Returns the answer to bytes that no client library would send. */
async function raw(bytes: string, to = port): Promise<string> {
  const socket = connect(to, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('bytes that are no request', () => {
  it.each([
    ['noise', 'hello\r\n\r\n'],
    ['two lengths', 'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde'],
    [
      'a length and chunks',
      'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a line break in a header', 'GET /api/user HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n'],
  ])('are answered 400 and the connection ends: %s', async (_what, bytes) => {
    const answer = await raw(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"type":"VALIDATION"');
    expect(answer).not.toMatch(/fastify|node|HPE_/i);
  });
});

describe('a call over the general budget', () => {
  it('ends its connection, although its body has not arrived', async () => {
    const refused = new AppError('RATE_LIMITED', 'That was a lot of tries.');
    const limits = { ...test.opened.limits, spendGeneral: () => Promise.reject(refused) };
    const other = await createTestApp({ http: { limits } });
    onTestFinished(() => other.close());
    const { port: otherPort } = new URL(await other.app.listen({ host: '127.0.0.1', port: 0 }));
    const head =
      'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
    expect(await raw(head, Number(otherPort))).toMatch(/^HTTP\/1\.1 429 .*connection: close\r\n/is);
  });
});

describe('an application that is asked to stop', () => {
  it('finishes the answer under way', async () => {
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const other = await createTestApp({
      http: {
        registerPages: (app) => {
          app.get('/slow', async () => {
            arrived.resolve();
            await held.promise;
            return { ok: true };
          });
        },
      },
    });
    const address = await other.app.listen({ host: '127.0.0.1', port: 0 });
    const answer = fetch(`${address}/slow`);
    await arrived.promise;
    const closed = other.close();
    held.resolve();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });
});

describe('the address of a client', () => {
  it('is what it says only behind a proxy that is trusted', async () => {
    const direct = await createTestApp({ http: { trustProxy: false } });
    const statuses = [];
    for (let count = 0; count < 11; count += 1) {
      const answer = await createBrowser(direct.app).send('POST', '/api/reset-password', {
        body: { email: `nobody${count}@people.example` },
      });
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    await direct.close();
  });
});

describe('the documentation', () => {
  it('is made from the contract', async () => {
    const answer = await createBrowser(test.app).send('GET', '/api/docs');
    const docs = answer.json();
    expect(docs.openapi).toBe('3.1.0');
    expect(docs.paths['/api/login'].post.requestBody.content['application/json'].schema.properties).toHaveProperty(
      'email',
    );
    expect(docs.paths['/api/user/sessions/{id}'].delete.responses).toHaveProperty('204');
    expect(docs.paths['/api/verify-email'].get.responses).toHaveProperty('302');
    expect(docs.paths['/api/user'].get.security).toEqual([{ session: [] }]);
    expect(docs.paths['/api/login'].post.security).toBeUndefined();
    expect(docs.components.schemas).toHaveProperty('User');
    expect(docs.paths).not.toHaveProperty('/healthz');
  });
});

describe('health', () => {
  it('says that the process answers, and whether what it needs is well', async () => {
    const browser = createBrowser(test.app);
    expect((await browser.send('GET', '/healthz')).json()).toEqual({ ok: true });
    expect((await browser.send('GET', '/readyz')).json()).toEqual({ ok: true, checks: { database: { ok: true } } });
  });

  it('is 503 when a part is not ready, or cannot be checked', async () => {
    const checks = [
      async () => ({ database: { ok: true }, worker: { ok: false, detail: 'last tick 300 s ago' } }),
      async () => {
        throw new Error('no database');
      },
    ];
    for (const readiness of checks) {
      const other = await createTestApp({ http: { readiness } });
      const answer = await createBrowser(other.app).send('GET', '/readyz');
      expect([answer.statusCode, answer.json().ok]).toEqual([503, false]);
      expect(answer.body).not.toContain('no database');
      await other.close();
    }
  });
});

/** Any delay is too long. */
const alwaysLate = { eventLoopDelayMaxMs: 0.000_001 };

describe('a service that cannot keep up', () => {
  it('says when to come back, and goes on telling whether it lives', async () => {
    const late = await createTestApp({ http: { shedding: { ...alwaysLate, callsInProgressMax: 0 } } });
    const browser = createBrowser(late.app);
    await expect.poll(async () => (await browser.send('GET', '/api/user')).statusCode).toBe(503);
    const answer = await browser.send('GET', '/api/user');
    expect(answer.json()).toMatchObject({ type: 'UNAVAILABLE', message: expect.stringContaining('very busy') });
    expect(answer.headers['retry-after']).toBe('5');
    expect((await browser.send('GET', '/healthz')).statusCode).toBe(200);
    await late.close();
  });

  it('serves a single person, however late it is, also right after a start', async () => {
    const { callsInProgressMax } = usualShedding;
    const slow = await createTestApp({ http: { shedding: { ...alwaysLate, callsInProgressMax } } });
    const browser = createBrowser(slow.app);
    const ask = () => browser.send('GET', '/api/user');
    const statuses = new Set<number>();
    for (let time = 0; time < 30; time += 1) {
      // As many as a browser sends at once.
      for (const { statusCode } of await Promise.all(Array.from({ length: 6 }, ask))) statuses.add(statusCode);
      // The delay is measured once a second.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect([...statuses]).toEqual([401]);
    await slow.close();
  });

  it('refuses only calls above the number that it serves in any case, of a network with many, and counts no ended ones', async () => {
    const callsInProgressMax = 5;
    const waiting: (() => void)[] = [];
    const late = await createTestApp({
      http: { shedding: { ...alwaysLate, callsInProgressMax } },
      routes: (api) => api.get('/api/test/slow', () => new Promise((resolve) => waiting.push(() => resolve({})))),
    });
    const slow = Array.from({ length: callsInProgressMax }, () => late.app.inject({ url: '/api/test/slow' }));
    await expect.poll(() => waiting.length).toBe(callsInProgressMax);
    const other = createBrowser(late.app);
    const status = async () => (await late.app.inject({ url: '/api/user' })).statusCode;
    await expect.poll(status).toBe(503);
    expect((await other.send('GET', '/api/user')).statusCode).toBe(401);
    for (const end of waiting) end();
    expect((await Promise.all(slow)).map(({ statusCode }) => statusCode)).toEqual(Array(callsInProgressMax).fill(200));
    expect(await status()).toBe(401);
    await late.close();
  });
});
