import type { Server } from 'node:http';
import { networkBucket } from '../rate-limits.rules.ts';

/** Open connections of one network. A browser opens six, and an office or a mobile network shares one address. */
const connectionsOfNetworkMax = 1_000;
/** Open connections of a process. Each takes 9 kB of memory while idle, and 27 kB with an unfinished request. */
const connectionsMax = 10_000;

type Limits = { ofNetworkMax?: number; max?: number };

/**
 * Drops further connections of a network that has many open, and of all networks if memory for them is used up. Behind a proxy
 * every connection comes from the proxy, so there the proxy limits them.
 */
export function limitConnections(
  server: Server,
  isBehindProxy: boolean,
  { ofNetworkMax = connectionsOfNetworkMax, max = connectionsMax }: Limits = {},
): void {
  server.maxConnections = max;
  if (isBehindProxy) return;
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const network = networkBucket(socket.remoteAddress ?? '');
    const count = (open.get(network) ?? 0) + 1;
    if (count > ofNetworkMax) {
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}
