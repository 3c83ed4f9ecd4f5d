import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections } from './connections.ts';

async function listening({ isBehindProxy = false, max = 100 } = {}) {
  const server = createServer((_request, response) => response.end('here'));
  limitConnections(server, isBehindProxy, { ofNetworkMax: 5, max });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const open = (localAddress: string): Socket => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  /** Answer to a request over a connection from this address; empty if it was dropped. */
  const ask = async (localAddress: string): Promise<string> => {
    const socket = open(localAddress);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += String(bytes);
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    return answer.slice(-4);
  };
  const openIdle = async (addresses: string[]) => {
    const sockets = addresses.map(open);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await expect.poll(() => connectionsOf(server)).toBe(addresses.length);
    return sockets;
  };
  return { ask, openIdle };
}

const connectionsOf = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
const from = (count: number, network: string) => Array.from({ length: count }, (_, host) => `${network}.${host + 1}`);

test('a network with five idle connections gets no sixth until one of them ends, and others are served', async () => {
  const { ask, openIdle } = await listening();
  const [first] = await openIdle(from(5, '127.0.3'));
  expect(await ask('127.0.3.9')).toBe('');
  expect(await ask('127.0.4.1')).toBe('here');
  first?.destroy();
  await expect.poll(() => ask('127.0.3.9')).toBe('here');
});

test('connections of a proxy are limited in total alone', async () => {
  const { ask, openIdle } = await listening({ isBehindProxy: true, max: 8 });
  const [first] = await openIdle(from(8, '127.0.3'));
  expect(await ask('127.0.4.1')).toBe('');
  first?.destroy();
  await expect.poll(() => ask('127.0.4.1')).toBe('here');
});
