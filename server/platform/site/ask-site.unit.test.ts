import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askSite } from './ask-site.ts';

/** Far above every need, because a slow machine must not fail a test. */
const patienceMs = 60_000;

async function ask(answer: RequestListener, timeoutMs = patienceMs): Promise<string | null> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return askSite(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { timeoutMs });
}

test('the site that answers as it should is there', async () => {
  expect(await ask((_, response) => response.end('{"ok":true}'))).toBeNull();
});

test.each<[string, RequestListener, string]>([
  ['a status that is not 200', (_, response) => response.writeHead(503).end(), 'status 503'],
  ['a way to elsewhere', (_, response) => response.writeHead(301, { location: '/' }).end(), 'status 301'],
  ['a page of somebody else', (_, response) => response.end('<h1>Parked</h1>'), 'another page answers'],
  ['an answer that says no', (_, response) => response.end('{"ok":false}'), 'another page answers'],
  [
    'an answer longer than ours',
    (_, response) => response.end(`{"ok":true}${' '.repeat(2_000)}`),
    'another page answers',
  ],
  ['a hung-up call', (request) => void request.socket.destroy(), 'UND_ERR_SOCKET'],
])('%s tells why it is not', async (_, answer, reason) => {
  expect(await ask(answer)).toBe(reason);
});

test.each<[string, RequestListener]>([
  ['silence', () => undefined],
  ['half an answer', (_, response) => void response.write('{"ok"')],
])('%s is no answer in time', async (_, answer) => {
  expect(await ask(answer, 500)).toBe('no answer in time');
});

test('a closed port and an unknown name are reported by the network’s code', async () => {
  expect(await askSite('http://127.0.0.1:1', { timeoutMs: patienceMs })).toMatch(/^(ECONNREFUSED|no answer)$/);
  expect(await askSite('http://nowhere.invalid', { timeoutMs: 5_000 })).toMatch(
    /^(ENOTFOUND|EAI_AGAIN|no answer in time)$/,
  );
});
