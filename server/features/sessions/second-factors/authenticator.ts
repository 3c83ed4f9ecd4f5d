import { Secret, TOTP } from 'otpauth';
import { productName } from '#shared/product.ts';

/** 160 bits, the length RFC 4226 §4 recommends. */
const secretBytes = 20;
const periodSeconds = 30;
const digits = 6;
/** Accepted steps before and after the present one, because people type slowly and telephone clocks differ. */
const stepsAround = 1;

/** A new secret in base32. */
export function newAuthenticatorSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The address that an app scans (`otpauth://totp/…`). */
export function authenticatorUri(secret: string, email: string): string {
  return totp(secret, email).toString();
}

/** The 30-second step of the typed code (RFC 6238); null if it is none of the three that count at `nowMs`. */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const delta = totp(secret, '').validate({ token: code, timestamp: nowMs, window: stepsAround });
  return delta === null ? null : Math.floor(nowMs / 1000 / periodSeconds) + delta;
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({ issuer: productName, label, secret, digits, period: periodSeconds, algorithm: 'SHA1' });
}
