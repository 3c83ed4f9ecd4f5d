/**
 * Passphrase seal of a letter, made in the browser; the service never sees the passphrase. PBKDF2 with SHA-256
 * derives the key (RFC 8018 §5.2). AES-256-GCM seals title and text as one value (NIST SP 800-38D).
 */
export const letterSealVersion = 2;
/** The first seal held the text alone, and its passphrase was folded less; it is opened for as long as there are any. */
export const textSealVersion = 1;
export const letterSealVersions = [textSealVersion, letterSealVersion] as const;
/** Rounds of PBKDF2 for a new letter, as OWASP asks for SHA-256: about a second on an old telephone. */
export const letterSealIterations = 600_000;
/** Bounds of the iterations that we open. Fewer would not protect; more would stall an old phone. */
export const letterSealIterationsMin = 100_000;
export const letterSealIterationsMax = 5_000_000;
export const letterSealSaltBytes = 16;
export const letterSealNonceBytes = 12;
/** The tag of AES-GCM, which follows the words. */
export const letterSealTagBytes = 16;

export const passphraseLengthMin = 8;
export const passphraseLengthMax = 200;
export const passphraseHintLengthMax = 200;

/** Displayed title of a letter whose own title is sealed. */
export const sealedTitle = 'A sealed letter';

type Sealed = { version: number } | null | undefined;

/** True if the title lies under the seal with the text. */
export function sealsTitle(seal: Sealed): boolean {
  return seal ? seal.version !== textSealVersion : false;
}

/** The title that a letter has in every list, page and mail, whatever else it was given. */
export function titleOutside({ title, encryptedContent }: { title: string; encryptedContent?: Sealed }): string {
  return sealsTitle(encryptedContent) ? sealedTitle : title;
}

/** Spaces, punctuation, standalone accents (typed for an apostrophe) and invisible characters. */
const madeNoDifference = /[\s\p{P}\p{Sk}\p{Cc}\p{Cf}]/gu;

/**
 * Passphrase as the key derivation uses it. People type it years after they heard it aloud. So capital letters,
 * spaces, punctuation and the composition of accents make no difference.
 */
export function foldedPassphrase(typed: string): string {
  const bare = typed.replace(madeNoDifference, '').normalize('NFKC');
  // By way of the capitals, where a letter has two small forms, or its capital is two letters.
  return bare.toUpperCase().toLowerCase().replace(madeNoDifference, '').normalize('NFKC');
}

/** Passphrase as version 1 of the seal used it: runs of spaces become one, and punctuation stays. */
export function textSealPassphrase(typed: string): string {
  return typed.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** Number of letters of base64 (RFC 4648 §5, without padding) so many bytes take. */
export function base64UrlLength(sizeBytes: number): number {
  return Math.ceil((sizeBytes * 4) / 3);
}

/** Most bytes that text of so many UTF-16 code units takes in UTF-8, and most of what JSON writes for it. */
export function utf8BytesMax(lengthMax: number): number {
  return lengthMax * 3;
}

/** Names, quotes and braces of the value that is sealed, and the key of the file that is sealed with it. */
export const letterSealFrameBytes = 128;
