import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** 256 random bits for a link or a cookie: base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/**
 * What is stored of a token: its SHA-256, base64url, 43 characters. A random token needs no slower hash. Rows are found
 * by it, so nothing is compared whose time could tell how much of a guess was right.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64url');
}
