import { randomBytes } from 'node:crypto';

/** Crockford's letters (https://www.crockford.com/base32.html): none that could be taken for another. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const letterCount = 52;

/** 260 random bits as thirteen groups of four letters, which somebody can read out or copy from paper. */
export function newExportKey(): string {
  // 256 is a multiple of 32, so every letter is as likely as any other.
  const drawn = [...randomBytes(letterCount)].map((byte) => letters[byte % letters.length]).join('');
  return (drawn.match(/.{4}/g) ?? []).join('-');
}

const keyForm = new RegExp(`(?:[${letters}]{4}-){12}[${letters}]{4}`);

/** The key in whatever somebody gave: the key alone, in small letters, or the whole key file. Null where there is none. */
export function findExportKey(given: string): string | null {
  return keyForm.exec(given.toUpperCase())?.[0] ?? null;
}
