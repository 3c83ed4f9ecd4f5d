import { createECDH } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';

/** Keys by which push services know this installation (RFC 8292), base64url. */
export type VapidKeys = { publicKey: string; privateKey: string };

/** The keys follow from those that the first start made, so that every process and every restored backup has the same. */
export function vapidKeysOf(keys: Pick<ServiceKeys, 'derive'>): VapidKeys {
  // One number of 32 bytes in four thousand million is none of this curve.
  for (let number = 1; ; number += 1) {
    const privateKey = keys.derive('vapid', String(number));
    const pair = createECDH('prime256v1');
    try {
      pair.setPrivateKey(privateKey, 'base64url');
    } catch {
      continue;
    }
    return { publicKey: pair.getPublicKey('base64url'), privateKey };
  }
}
