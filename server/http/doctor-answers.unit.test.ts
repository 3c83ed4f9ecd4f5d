import { createHmac } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpApp } from '#server/http-app.ts';
import { addressDigest, askAsDoctor, type Derive, doctorHeader, doctorPath, readArrival } from './doctor-answers.ts';

const deriveWith =
  (key: string): Derive =>
  (purpose, id) =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, id]))
      .digest('base64url');
const derive = deriveWith('ours');
const minuteMs = 60_000;

let app: FastifyInstance;
beforeAll(async () => {
  app = await buildHttpApp({
    baseUrl: 'http://localhost:3000',
    trustProxy: ['127.0.0.1'],
    log: { level: 'silent' },
    sessions: { findPrincipal: async () => null, touchSession: async () => undefined },
    limits: {
      spend: async () => undefined,
      spendOfAddress: async () => undefined,
      spendOfNetwork: async () => undefined,
      spendGeneral: async () => undefined,
      spendChange: async () => undefined,
      spendWritten: async () => undefined,
    },
    readiness: async () => ({}),
    derive,
    registerRoutes: () => undefined,
  });
});
afterAll(() => app.close());

const at = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' | 'OPTIONS' = 'GET') =>
  app.inject({ method, url, headers: { host: 'localhost:3000', ...headers } });

test('the holder of the key learns how the request arrived, in an answer that no one else can make or read', async () => {
  const { nonce, header } = askAsDoctor(derive, Date.now());
  const answer = await at(doctorPath, { [doctorHeader]: header, 'x-forwarded-for': '203.0.113.9' });
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.body).not.toContain('203.0.113.9');
  const seen = addressDigest(derive, nonce, '203.0.113.9');
  expect(readArrival(derive, nonce, answer.json())).toEqual({ forwarding: 'believed', hops: 1, seen, isOwnHost: true });

  expect(readArrival(deriveWith('theirs'), nonce, answer.json())).toBeNull();
  expect(readArrival(derive, 'another question', answer.json())).toBeNull();
  expect(readArrival(derive, nonce, { ...answer.json<object>(), hops: 2 })).toBeNull();
});

test.each<[string, () => string]>([
  ['nothing', () => ''],
  ['no question', () => '1.2.3'],
  ['a question of other keys', () => askAsDoctor(deriveWith('theirs'), Date.now()).header],
  ['a question of three minutes ago', () => askAsDoctor(derive, Date.now() - 3 * minuteMs).header],
  ['a question of the future', () => askAsDoctor(derive, Date.now() + 3 * minuteMs).header],
  [
    'a question whose minute was moved',
    () => askAsDoctor(derive, Date.now()).header.replace(/^\d+/, (n) => `${+n + 1}`),
  ],
])('to a caller with %s it is an unknown address, with every method', async (_what, header) => {
  for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
    const [here, elsewhere] = await Promise.all(
      [doctorPath, '/api/nothing-of-ours'].map((url) => at(url, { [doctorHeader]: header() }, method)),
    );
    const toldBy = (answer = here) => {
      const { date: _date, 'content-security-policy': policy, ...headers } = answer?.headers ?? {};
      return {
        status: answer?.statusCode,
        body: answer?.body,
        headers,
        policy: String(policy).replace(/nonce-[^']+/g, ''),
      };
    };
    expect(toldBy(here)).toEqual(toldBy(elsewhere));
    expect(here?.statusCode).toBe(404);
  }
});

test('a right question opens no other address', async () => {
  const { header } = askAsDoctor(derive, Date.now());
  expect((await at('/api/doctor/', { [doctorHeader]: header })).statusCode).toBe(404);
  expect((await at('/api/user', { [doctorHeader]: header })).statusCode).toBe(404);
});
