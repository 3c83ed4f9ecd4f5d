import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { limitBodyTime } from './bodies.ts';

type Sending = { pieces: number; everyMs: number; timeoutMs: number };

/** Sends a piece of a body every `everyMs`, and tells how that ended and how many pieces were sent. */
async function send(contentType: string, { pieces, everyMs, timeoutMs }: Sending) {
  const app = fastify();
  limitBodyTime(app, { timeoutMs });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().on('end', () => done(null));
  });
  app.post('/', async () => 'whole');
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());

  const { port } = app.server.address() as AddressInfo;
  const length = pieces * 10;
  const call = request({ port, method: 'POST', headers: { 'content-type': contentType, 'content-length': length } });
  const ended = Promise.race([once(call, 'response').then(([answer]) => answer.statusCode), once(call, 'close')]).catch(
    () => 'cut off',
  );
  let sent = 0;
  const timer = setInterval(() => {
    if (sent === pieces || call.destroyed) return clearInterval(timer);
    sent += 1;
    if (sent === pieces) call.end('x'.repeat(10));
    else call.write('x'.repeat(10));
  }, everyMs);
  onTestFinished(() => clearInterval(timer));
  return ended;
}

it('cuts off a body that comes too slowly', async () => {
  expect(await send('application/json', { pieces: 20, everyMs: 40, timeoutMs: 100 })).toBe('cut off');
});

it('lets a form take its time as long as it moves', async () => {
  // Longer in all than the limit, and each piece far within it.
  expect(await send('multipart/form-data; boundary=x', { pieces: 20, everyMs: 80, timeoutMs: 1_200 })).toBe(200);
});

it('cuts off a form that stands still', async () => {
  expect(await send('multipart/form-data; boundary=x', { pieces: 3, everyMs: 600, timeoutMs: 100 })).toBe('cut off');
});

it('leaves a body alone that comes in time', async () => {
  expect(await send('application/json', { pieces: 2, everyMs: 10, timeoutMs: 10_000 })).toBe(200);
});

it('cuts off the rest of a form that was refused before its end', async () => {
  const app = fastify();
  limitBodyTime(app, { timeoutMs: 100 });
  app.post('/', { onRequest: async (_request, reply) => reply.code(401).send('refused') }, async () => 'whole');
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': 1_000_000 };
  const call = request({ port, method: 'POST', headers });
  const cut = once(call, 'close');
  call.on('error', () => undefined);
  call.write('x');
  const [answer] = await once(call, 'response');
  answer.resume();
  expect(answer.statusCode).toBe(401);
  const timer = setInterval(() => call.write('x'), 20);
  onTestFinished(() => clearInterval(timer));
  await cut;
});
