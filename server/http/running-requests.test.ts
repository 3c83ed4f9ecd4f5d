import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loggerOptions } from '#server/http/logging.ts';
import { watchUncaught } from '#server/platform/running-work/running-work.ts';
import { createTestApp, type TestApp } from '#tests/support/app.ts';

const secret = 'the pear tree by the wall';
let app: TestApp;
let log: string[] = [];
let ends = 0;

beforeAll(async () => {
  app = await createTestApp({
    routes: (api) => {
      api.post('/api/test/stream', () => {
        new PassThrough().destroy(new Error('a stream without a listener'));
        return new Promise(() => undefined);
      });
      api.post('/api/test/rejection', () => {
        Promise.reject(new Error('a promise without a listener'));
        return new Promise(() => undefined);
      });
      api.post('/api/test/late', async () => {
        setTimeout(() => new PassThrough().destroy(new Error('after the answer')), 20);
        return { ok: true };
      });
      api.post('/api/test/begun', (_request, reply) => {
        reply.raw.write('a');
        setTimeout(() => {
          throw new Error('in the middle of the answer');
        }, 20);
        return reply;
      });
    },
  });
});
afterAll(() => app.close());

beforeEach(() => {
  // The runner takes uncaught errors for failures of the test.
  const others = process.listeners('uncaughtException');
  const rejections = process.listeners('unhandledRejection');
  process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection');
  log = [];
  ends = 0;
  const destination = { write: (line: string) => void log.push(line) };
  const { stream: _, ...options } = loggerOptions({ level: 'info', destination });
  const watch = watchUncaught(pino(options, destination), () => {
    ends += 1;
  });
  onTestFinished(async () => {
    await watch.close();
    for (const listener of others) process.on('uncaughtException', listener);
    for (const listener of rejections) process.on('unhandledRejection', listener);
  });
});

const post = (name: string) =>
  app.app.inject({
    method: 'POST',
    url: `/api/test/${name}`,
    headers: { 'sec-fetch-site': 'same-origin' },
    payload: { content: secret },
  });
const said = () => log.join('');

describe('an error that no code caught', () => {
  test.each(['stream', 'rejection'])(
    'an uncaught error of a %s is answered with 500 for its request, and the process lives',
    async (name) => {
      const answer = await post(name);
      expect([answer.statusCode, answer.json().type]).toEqual([500, 'INTERNAL']);
      expect(ends).toBe(0);
      expect(said()).toContain(`POST /api/test/${name}`);
      expect(said()).not.toContain(secret);
    },
  );

  test('after the answer of its request is logged, and the process lives', async () => {
    expect((await post('late')).statusCode).toBe(200);
    await expect.poll(said).toContain('after the answer');
    expect(ends).toBe(0);
  });

  test('in the middle of an answer ends that connection alone', async () => {
    await expect(post('begun')).rejects.toThrow();
    await expect.poll(said).toContain('in the middle of the answer');
    expect(ends).toBe(0);
    expect((await app.app.inject({ url: '/healthz' })).statusCode).toBe(200);
  });

  test('outside of any request ends the process after a line in the log', async () => {
    new PassThrough().destroy(new Error('of a task'));
    await sleep(20);
    expect(ends).toBe(1);
    expect(said()).toContain('so this process ends');
    expect(said()).toContain('of a task');
  });
});
