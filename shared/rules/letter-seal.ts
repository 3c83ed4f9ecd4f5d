/**
 * How a browser seals a letter with a passphrase that the service never sees: PBKDF2 with SHA-256 makes the key
 * (RFC 8018 §5.2), AES-256-GCM seals the words (NIST SP 800-38D).
 */
export const letterSealVersion = 1;
/** Rounds of PBKDF2 for a new letter, as OWASP asks for SHA-256: about a second on an old telephone. */
export const letterSealIterations = 600_000;
/** What is still opened: fewer would be no protection, more would stop an old telephone. */
export const letterSealIterationsMin = 100_000;
export const letterSealIterationsMax = 5_000_000;
export const letterSealSaltBytes = 16;
export const letterSealNonceBytes = 12;
/** The tag of AES-GCM, which follows the words. */
export const letterSealTagBytes = 16;

export const passphraseLengthMin = 8;
export const passphraseLengthMax = 200;
export const passphraseHintLengthMax = 200;

/**
 * A passphrase as it is used. People who type it years later do not know how it was written, so capital letters, spaces
 * around words and the way an accent was composed make no difference.
 */
export function normalizedPassphrase(typed: string): string {
  return typed.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** How many letters of base64 (RFC 4648 §5, without padding) so many bytes take. */
export function base64UrlLength(sizeBytes: number): number {
  return Math.ceil((sizeBytes * 4) / 3);
}

/** Most bytes that a letter of so many UTF-16 code units takes in UTF-8. */
export function utf8BytesMax(lengthMax: number): number {
  return lengthMax * 3;
}
