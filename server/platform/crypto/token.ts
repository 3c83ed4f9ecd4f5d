import { randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** 256 random bits for a link or a cookie: base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/**
 * Stored form of a token: its HMAC-SHA-256 under a key of the installation, base64url, 43 characters. An attacker who
 * can write rows but has no key can't make a row for a chosen token. Rows are found by it, so no comparison leaks
 * time. For random tokens only: a hash of a freely chosen text would be a row to copy. Such texts have a purpose of
 * their own (`derive`).
 */
export type HashToken = (token: string) => string;
