import type { SealedLetter } from '#shared/contract/messages.ts';
import {
  foldedPassphrase,
  letterSealIterations,
  letterSealNonceBytes,
  letterSealSaltBytes,
  letterSealVersion,
  textSealPassphrase,
  textSealVersion,
} from '#shared/rules/letter-seal.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

/** Sealed content: the text, and the key of the enclosures, if there are any. */
export type LetterInside = { title: string; content: string; fileKey?: string | undefined };
/** Content of an opened letter; the title is null if it was not sealed. */
export type OpenedLetter = Omit<LetterInside, 'title'> & { title: string | null };

type Version = SealedLetter['version'];

/** Bound into every seal, so that data sealed for another purpose or in another version does not open as a letter. */
function purposeOf(version: Version): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`everkept letter ${version}`);
}

/** Seals title and text of a letter. Neither they nor the passphrase leave the browser. */
export async function sealLetter(
  { title, content, fileKey }: LetterInside,
  { passphrase, hint }: { passphrase: string; hint: string | null },
) {
  const salt = crypto.getRandomValues(new Uint8Array(letterSealSaltBytes));
  const nonce = crypto.getRandomValues(new Uint8Array(letterSealNonceBytes));
  const key = await passphraseKey(foldedPassphrase(passphrase), { salt, iterations: letterSealIterations });
  const inside = new TextEncoder().encode(JSON.stringify({ title, content, fileKey } satisfies LetterInside));
  const how = { name: 'AES-GCM', iv: nonce, additionalData: purposeOf(letterSealVersion) };
  const ciphertext = await crypto.subtle.encrypt(how, key, inside);
  return {
    version: letterSealVersion,
    iterations: letterSealIterations,
    salt: toBase64Url(salt),
    nonce: toBase64Url(nonce),
    ciphertext: toBase64Url(new Uint8Array(ciphertext)),
    hint,
  } satisfies SealedLetter;
}

/** Content of a sealed letter; null for a wrong passphrase. */
export async function openLetter(sealed: SealedLetter, passphrase: string): Promise<OpenedLetter | null> {
  const { version, iterations } = sealed;
  const typed = version === textSealVersion ? textSealPassphrase(passphrase) : foldedPassphrase(passphrase);
  const key = await passphraseKey(typed, { salt: fromBase64Url(sealed.salt), iterations });
  const how = { name: 'AES-GCM', iv: fromBase64Url(sealed.nonce), additionalData: purposeOf(version) };
  try {
    const inside = await crypto.subtle.decrypt(how, key, fromBase64Url(sealed.ciphertext));
    return insideOf(version, new TextDecoder().decode(inside));
  } catch (error) {
    // The one thing that AES-GCM says of a wrong key; anything else is a fault.
    if (error instanceof Error && error.name === 'OperationError') return null;
    throw error;
  }
}

/** Content sealed by a foreign program is shown as it is, rather than hidden from its reader. */
function insideOf(version: Version, text: string): OpenedLetter {
  if (version === textSealVersion) return { title: null, content: text };
  try {
    const { title, content, fileKey } = JSON.parse(text) as Partial<LetterInside>;
    if (typeof title === 'string' && typeof content === 'string')
      return { title, content, ...(typeof fileKey === 'string' ? { fileKey } : {}) };
  } catch {
    // Not JSON.
  }
  return { title: null, content: text };
}

type Salting = { salt: Uint8Array<ArrayBuffer>; iterations: number };

/** Key from a folded passphrase, to seal and to open. */
export async function passphraseKey(folded: string, { salt, iterations }: Salting): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(folded);
  const material = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey']);
  const aes = { name: 'AES-GCM', length: 256 };
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return crypto.subtle.deriveKey(how, material, aes, false, ['encrypt', 'decrypt']);
}
