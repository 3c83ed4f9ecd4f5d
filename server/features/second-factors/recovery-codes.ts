import { randomInt } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';

export const recoveryCodeCount = 10;

/** Letters and digits that nobody takes for another: no I, L, O, U (Crockford's base32). */
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
 * What is stored of a code: an HMAC, so that an attacker who can write rows but has no key can't add a code. With the
 * owner's id, so that the row of one owner says nothing of another. Case and grouping do not matter, nor does reading O as
 * 0 and I or L as 1.
 */
export function hashRecoveryCode(keys: Pick<ServiceKeys, 'derive'>, userId: string, typed: string): string {
  const code = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return keys.derive('recovery-code', `${userId} ${code}`);
}
