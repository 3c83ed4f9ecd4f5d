import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way from outside to a port of this machine that can be shut for a while, as a server that has gone away. */
export type Door = { port: number; shut(): void; open(): void; close(): Promise<void> };

export async function openDoor({ host, leadsTo }: { host: string; leadsTo: number }): Promise<Door> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((visitor) => {
    if (!isOpen) return void visitor.destroy();
    const inside = connect({ host: '127.0.0.1', port: leadsTo });
    for (const [one, other] of [
      [visitor, inside],
      [inside, visitor],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    shut() {
      isOpen = false;
      end();
    },
    open() {
      isOpen = true;
    },
    async close() {
      end();
      server.close();
      await once(server, 'close');
    },
  };
}
