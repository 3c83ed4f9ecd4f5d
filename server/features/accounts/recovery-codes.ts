import { createHash, randomInt } from 'node:crypto';

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
 * What is stored of a code. Eighty random bits need no slow hash. With the owner's id, so that nobody can look one table
 * of hashes up in another. Case and grouping do not matter, nor does reading O as 0 and I or L as 1.
 */
export function hashRecoveryCode(userId: string, typed: string): string {
  const code = typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return createHash('sha256').update(`${userId} ${code}`).digest('base64url');
}
