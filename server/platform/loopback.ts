import { isIP } from 'node:net';

/** True if only this machine can reach the host. RFC 6761 keeps `localhost` and all below it for that. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}

/** Parameter by which an operator allows an address without TLS. */
const insecureParameter = 'allowInsecure';

/** An address as the driver gets it, and whether its operator allows that it is spoken to in the clear. */
export function insecureAllowed(address: string): { address: string; isAllowed: boolean } {
  // The last one: a password may hold a question mark, and parameters hold none.
  const cut = address.lastIndexOf('?');
  if (cut < 0) return { address, isAllowed: false };
  const [base, parameters] = [address.slice(0, cut), address.slice(cut + 1).split('&')];
  const others = parameters.filter((parameter) => !parameter.startsWith(`${insecureParameter}=`));
  const isAllowed = parameters.includes(`${insecureParameter}=1`);
  return { address: others.length > 0 ? `${base}?${others.join('&')}` : base, isAllowed };
}
