import { existsSync, readFileSync } from 'node:fs';

const privateAddress = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;

/**
 * Address from which the host of this container reaches it through a published port. It is the next hop of the
 * default route, if the interface is one end of a pair (veth(4)). Null outside of a container, and in one without its
 * own network: there the next hop is a router, which any client may come from.
 */
export function readContainerGateway(): string | null {
  const route = defaultRouteOf(readIfThere('/proc/net/route'));
  if (!route || !privateAddress.test(route.gateway)) return null;
  const link = `/sys/class/net/${route.device}`;
  const [own, other] = [readIfThere(`${link}/ifindex`), readIfThere(`${link}/iflink`)];
  const isPairWithHost =
    own !== other && !existsSync(`${link}/device`) && !/^DEVTYPE=/m.test(readIfThere(`${link}/uevent`));
  return isPairWithHost ? route.gateway : null;
}

/** @param table what Linux says in `/proc/net/route` (proc(5)): addresses are hexadecimal, the last byte first. */
export function defaultRouteOf(table: string): { device: string; gateway: string } | null {
  for (const line of table.split('\n').slice(1)) {
    const [device, destination, gateway = ''] = line.split('\t');
    if (!device || destination !== '00000000' || !/^[\dA-F]{8}$/i.test(gateway) || gateway === '00000000') continue;
    return { device, gateway: [...Buffer.from(gateway, 'hex')].reverse().join('.') };
  }
  return null;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Without it the network is unknown, and no caller counts as this machine.
    return '';
  }
}
