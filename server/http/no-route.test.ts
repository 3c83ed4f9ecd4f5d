import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildHttpApp, type HttpAppOptions } from '#server/http-app.ts';

const noLimits = {
  spend: async () => undefined,
  spendOfAddress: async () => undefined,
  spendOfNetwork: async () => undefined,
  spendGeneral: async () => undefined,
  spendChange: async () => undefined,
  spendWritten: async () => undefined,
};

function build(more: Partial<HttpAppOptions> = {}): Promise<FastifyInstance> {
  return buildHttpApp({
    baseUrl: 'https://vault.example.org',
    trustProxy: false,
    log: { level: 'silent' },
    sessions: { findPrincipal: async () => null, touchSession: async () => undefined },
    limits: noLimits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes: () => undefined,
    ...more,
  });
}

let app: FastifyInstance;
let port: number;
const received: Socket[] = [];

beforeEach(async () => {
  app = await build();
  app.server.on('connection', (socket) => received.push(socket));
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterEach(async () => {
  received.length = 0;
  await app.close();
});

async function dial(): Promise<{ socket: Socket; said: Promise<string> }> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  const said = once(socket, 'close').then(() => text);
  await once(socket, 'connect');
  return { socket, said };
}

async function answerTo(bytes: string): Promise<string> {
  const { socket, said } = await dial();
  socket.write(bytes);
  return said;
}

function expectEveryHeader(
  answer: string,
  said: object = { message: expect.any(String), type: expect.any(String) },
): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':')[0] ?? '', line.replace(/^[^:]+: /, '')]),
  );
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  });
  expect(JSON.parse(body)).toEqual(said);
}

describe('unreadable requests', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', '400 Bad Request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400 Bad Request',
    ],
    [
      'a head that is too long',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', '400 Bad Request'],
  ])('is answered with every header: %s', async (_, bytes, status) => {
    const answer = await answerTo(bytes);
    expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
    expectEveryHeader(answer);
  });

  test('is what names two hosts, which two readers could take for two sites', async () => {
    const answer = await answerTo('GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n');
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request');
    expectEveryHeader(answer);
  });

  test('holds no expectation that we don’t know, which is passed over', async () => {
    const answer = await answerTo('GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: much\r\nConnection: close\r\n\r\n');
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found');
    expect(answer).toContain('x-content-type-options: nosniff');
  });

  test('a request by HTTP/1.0 without a host is allowed', async () => {
    expect(await answerTo('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

test('a sender who hangs up in the middle of a body is no failure of ours', async () => {
  const lines: string[] = [];
  const other = await build({
    log: { level: 'info', destination: { write: (line) => lines.push(line) } },
    registerRoutes: (api) => void api.post('/api/echo', async () => 'heard'),
  });
  try {
    await other.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((other.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /api/echo HTTP/1.1',
      'Host: x',
      'Sec-Fetch-Site: same-origin',
      'Content-Type: application/json',
    ];
    socket.write([...head, 'Content-Length: 100', '', '{"half":'].join('\r\n'));
    setTimeout(() => socket.resetAndDestroy(), 100);
    await expect.poll(() => lines.join()).toContain('request given up by its sender');
    expect(lines.join()).not.toMatch(/"level":50/);
  } finally {
    await other.close();
  }
});

test('a request during the stop is answered with every header, and with the end of the connection', async () => {
  const { socket, said } = await dial();
  // Half of a request keeps the connection from being closed as an idle one.
  socket.write('GET /healthz HTTP/1.1\r\n');
  await expect.poll(() => received.map(({ bytesRead }) => bytesRead > 0)).toEqual([true]);
  const closed = app.close();
  await expect.poll(() => app.server.listening).toBe(false);
  socket.write('Host: x\r\n\r\n');
  const answer = await said;
  expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
  expectEveryHeader(answer, { ok: true });
  await closed;
});

test('a site that is about to end says with each answer that the connection is over, and not before', async () => {
  let isEnding = false;
  const other = await build({ isEnding: () => isEnding });
  try {
    const connection = async () => (await other.inject('/livez')).headers.connection;
    expect(await connection()).toBe('keep-alive');
    isEnding = true;
    expect(await connection()).toBe('close');
  } finally {
    await other.close();
  }
});
