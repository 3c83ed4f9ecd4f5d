import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** Stands between two ends, as a firewall or a floating address does. */
export type SwallowingProxy = {
  port: number;
  /** From now on nothing passes over the connections that are open, in either direction; both ends think they live. */
  swallow(): number;
  close(): Promise<void>;
};

/** Forwards all data, until `swallow` makes it forget its connections. New ones are forwarded as before. */
export async function startSwallowingProxy(to: NetConnectOpts): Promise<SwallowingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(to);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    const end = () => {
      if (!pairs.delete(pair)) return;
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const swallowed = new Set<Socket>();
  return {
    port: (server.address() as AddressInfo).port,
    swallow() {
      const count = pairs.size;
      for (const pair of pairs) {
        for (const socket of pair) {
          socket.unpipe();
          // Data is read and dropped. Neither end notices the end of the other.
          socket.removeAllListeners('close').on('data', () => {});
          swallowed.add(socket);
        }
      }
      pairs.clear();
      return count;
    },
    async close() {
      for (const socket of [...swallowed, ...[...pairs].flat()]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
