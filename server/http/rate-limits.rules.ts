/**
 * Part of a client's address that shares one budget. A household has one IPv4 address, or 2^64 IPv6 addresses that
 * differ in their last 64 bits (RFC 6177). So the first 64 bits count.
 */
export function addressBucket(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [plain = ''] = address.split('%');
  if (!plain.includes(':')) return address;
  return `${groupsOf(plain).slice(0, 4).join(':')}::/64`;
}

/**
 * Network of a client's address, for clients with many addresses. IPv4: a /24. IPv6: the /48 that a
 * provider assigns to one customer at most (RFC 6177). Tunnels with a /48 are free.
 */
export function networkBucket(address: string): string {
  const bucket = addressBucket(address);
  const [groups = '', isIpv6] = bucket.split('::');
  if (isIpv6 === undefined) return bucket.replace(/\.\d+$/, '.0/24');
  return `${groups.split(':').slice(0, 3).join(':')}::/48`;
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
