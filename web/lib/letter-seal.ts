import type { SealedLetter } from '#shared/contract/messages.ts';
import {
  letterSealIterations,
  letterSealNonceBytes,
  letterSealSaltBytes,
  letterSealVersion,
  normalizedPassphrase,
} from '#shared/rules/letter-seal.ts';

/** Bound into every seal, so that a text sealed for another purpose does not open as a letter. */
const purpose = new TextEncoder().encode('everkept letter 1');

/** Whether this browser can seal and open letters; it can't on a page that was not reached safely. */
export function canSealLetters(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** Seals the words of a letter. Neither they nor the passphrase leave the browser. */
export async function sealLetter(content: string, { passphrase, hint }: { passphrase: string; hint: string | null }) {
  const salt = crypto.getRandomValues(new Uint8Array(letterSealSaltBytes));
  const nonce = crypto.getRandomValues(new Uint8Array(letterSealNonceBytes));
  const key = await keyOf(passphrase, { salt, iterations: letterSealIterations });
  const words = new TextEncoder().encode(content);
  const ciphertext = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData: purpose }, key, words);
  return {
    version: letterSealVersion,
    iterations: letterSealIterations,
    salt: toBase64Url(salt),
    nonce: toBase64Url(nonce),
    ciphertext: toBase64Url(new Uint8Array(ciphertext)),
    hint,
  } satisfies SealedLetter;
}

/** The words of a sealed letter; null for a passphrase that does not open it. */
export async function openLetter(sealed: SealedLetter, passphrase: string): Promise<string | null> {
  const key = await keyOf(passphrase, { salt: fromBase64Url(sealed.salt), iterations: sealed.iterations });
  const how = { name: 'AES-GCM', iv: fromBase64Url(sealed.nonce), additionalData: purpose };
  try {
    return new TextDecoder().decode(await crypto.subtle.decrypt(how, key, fromBase64Url(sealed.ciphertext)));
  } catch (error) {
    // The one thing that AES-GCM says of a wrong key; anything else is a fault.
    if (error instanceof Error && error.name === 'OperationError') return null;
    throw error;
  }
}

type Salting = { salt: Uint8Array<ArrayBuffer>; iterations: number };

async function keyOf(passphrase: string, { salt, iterations }: Salting): Promise<CryptoKey> {
  const typed = new TextEncoder().encode(normalizedPassphrase(passphrase));
  const material = await crypto.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveKey']);
  const aes = { name: 'AES-GCM', length: 256 };
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return crypto.subtle.deriveKey(how, material, aes, false, ['encrypt', 'decrypt']);
}

/** Long letters are taken in pieces: a function has a limit to how many arguments it takes. */
const pieceBytes = 8_192;

function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  }
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
}
