import { argon2Sync } from 'node:crypto';
import { createPasswords } from '#server/platform/crypto/passwords.ts';

/** Argon2id at its cheapest, for tests that are not about passwords: as it should be done it takes most of a sign-in. */
export const cheapPasswords = createPasswords({ memoryKib: 8, passes: 1, lanes: 1 });

/** Hash of a password exactly as it was typed, as the service made it before it normalised passwords. */
export function rawHashOf(typed: string): string {
  const nonce = Buffer.from('sixteen of bytes');
  const tag = argon2Sync('argon2id', { message: typed, nonce, memory: 8, passes: 1, parallelism: 1, tagLength: 32 });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}
