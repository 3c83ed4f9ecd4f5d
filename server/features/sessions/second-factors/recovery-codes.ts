import { randomInt } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';

export const recoveryCodeCount = 10;

/** Letters and digits that can't be misread: no I, L, O, U (Crockford's base32). */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const groups = 4;
const groupLength = 4;

/** Ten new codes as people see them: `7KQ2-9XPD-M4TF-0ZRB`, eighty random bits each. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    Array.from({ length: groups }, () =>
      Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
    ).join('-'),
  );
}

/**
 * HMAC of a code, as it is stored. An attacker who can write rows but has no key can't add a code. The owner's id is
 * part of it, so that rows of two owners can't be compared. Case and grouping do not matter. O reads as 0, I and L read
 * as 1.
 */
export function hashRecoveryCode(keys: ServiceKeys, userId: string, typed: string): string {
  const code = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return keys.derive('recovery-code', `${userId} ${code}`);
}
