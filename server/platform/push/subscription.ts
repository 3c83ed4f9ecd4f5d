import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopback } from '#server/platform/loopback.ts';

/** Browser on a device, as its push service knows it. */
export const pushSubscriptionSchema = z.object({
  endpoint: z.string(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
});

export type PushSubscription = z.infer<typeof pushSubscriptionSchema>;

/**
 * True for an address that a push service may have: https on port 443, with a name. The address that the name leads to is
 * checked at each connection. With a test clock, a service of this machine is allowed too.
 */
export function isPushEndpoint(endpoint: string, { isTrial }: { isTrial: boolean }): boolean {
  const url = URL.parse(endpoint);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return false;
  if (isTrial && isLoopback(url.hostname)) return true;
  // The parser writes every form of an IPv4 address as four numbers, and IPv6 in brackets. Port 443 becomes empty.
  const isNumber = isIP(url.hostname) !== 0 || url.hostname.startsWith('[');
  return url.port === '' && !isNumber && !isLoopback(url.hostname);
}
