import fastify from 'fastify';
import { expect, test } from 'vitest';
import { registerHealth } from './health.ts';

test('readiness is asked for once a second, however often a probe wants to know, and none is refused', async () => {
  const app = fastify();
  let [asked, nowMs] = [0, 0];
  const readiness = async () => {
    asked += 1;
    return { database: { ok: asked === 1 } };
  };
  registerHealth(app, readiness, () => nowMs);
  const probe = async () => (await app.inject('/readyz')).statusCode;

  expect(await Promise.all(Array.from({ length: 20 }, probe))).toEqual(Array(20).fill(200));
  nowMs = 999;
  expect([await probe(), asked]).toEqual([200, 1]);
  nowMs = 1_000;
  expect([await probe(), asked]).toEqual([503, 2]);
  await app.close();
});
