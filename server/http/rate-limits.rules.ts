/**
 * The part of a client's address that one budget is for. A household has one IPv4 address, and 2^64 IPv6 addresses
 * that differ in their last 64 bits only (RFC 6177), so of those the first 64 count.
 */
export function addressBucket(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [plain = ''] = address.split('%');
  if (!plain.includes(':')) return address;
  return `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/**
 * The network that a client's address belongs to, where one client has many: the 256 addresses of a /24, and for IPv6 the
 * /56 that a provider gives to one household or one telephone (RFC 6177).
 */
export function networkBucket(address: string): string {
  const bucket = addressBucket(address);
  const [groups = '', isIpv6] = bucket.split('::');
  if (isIpv6 === undefined) return bucket.replace(/\.\d+$/, '.0/24');
  const [first, second, third, fourth = '0'] = groups.split(':');
  return `${first}:${second}:${third}:${(Number.parseInt(fourth, 16) & 0xff00).toString(16)}::/56`;
}

/** The eight groups of an IPv6 address, `::` filled in, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(missing).fill('0'), ...back].map((group) => group.replace(/^0+(?=.)/, ''));
}

/** Whole seconds to wait until `windowEndsAtMs`, at least one. */
export function retryAfterSeconds(windowEndsAtMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((windowEndsAtMs - nowMs) / 1000));
}
