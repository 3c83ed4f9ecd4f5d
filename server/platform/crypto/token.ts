import { randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** 256 random bits for a link or a cookie: base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/**
 * What is stored of a token: its HMAC-SHA-256 under a key of the installation's own, base64url, 43 characters. Who can
 * write rows but has no key makes no row that a token of their choice finds. Rows are found by it, so nothing is compared
 * whose time could tell how much of a guess was right.
 *
 * For random tokens alone: the hash of a text that anybody may choose would be a row for them to copy; those have a
 * purpose of their own (`derive`).
 */
export type HashToken = (token: string) => string;
