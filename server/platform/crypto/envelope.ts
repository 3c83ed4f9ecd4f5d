import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '#shared/contract/errors.ts';

/** A key of AES-256 is 256 bits long. */
export const keyBytes = 32;

const algorithm = 'aes-256-gcm';
const formatVersion = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + nonceBytes;
/** Length of a sealed key. */
export const wrappedKeyBytes = headerBytes + keyBytes + tagBytes;

/** Location of a sealed value. It is authenticated with the value, which opens at no other location. */
export type SealContext = { table: string; column: string; rowId: string };

/** Owner of the key that sealed a value, and the version of that key. */
export type SealOwner = { ownerId: string; keyVersion: number };

/** A stored value that was changed, cut, moved or sealed with another key. Nothing of it was opened. */
export class SealBrokenError extends AppError {
  /** Names the place for the log; holds no content. */
  readonly context: SealContext;

  constructor(context: SealContext) {
    super(
      'DAMAGED',
      'Something that is stored here no longer matches its seal, so we did not open it. Nothing else is affected, and the people who run this service have been told.',
    );
    this.context = context;
  }
}

/**
 * Seals bytes with AES-256-GCM (NIST SP 800-38D) under a random 96-bit nonce. Place, owner and key version are
 * additional data. Gives format version (1 byte), nonce (12), ciphertext, tag (16).
 */
export function sealBytes(key: KeyObject, owner: SealOwner, context: SealContext, content: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(additionalData(owner, context));
  const first = cipher.update(content);
  const last = cipher.final();
  return Buffer.concat([Buffer.of(formatVersion), nonce, first, last, cipher.getAuthTag()]);
}

/** Opens what `sealBytes` made with the same key, owner and place. Throws `SealBrokenError` for anything else. */
export function unsealBytes(key: KeyObject, owner: SealOwner, context: SealContext, sealed: Buffer): Buffer {
  if (sealed.length < headerBytes + tagBytes || sealed[0] !== formatVersion) throw new SealBrokenError(context);

  const tagStart = sealed.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, headerBytes), { authTagLength: tagBytes });
  decipher.setAAD(additionalData(owner, context));
  decipher.setAuthTag(sealed.subarray(tagStart));
  const content = decipher.update(sealed.subarray(headerBytes, tagStart));
  try {
    decipher.final();
  } catch {
    // Only the tag comparison can fail here, and the library's message would not help.
    throw new SealBrokenError(context);
  }
  return content;
}

/** A new random key. */
export function newKey(): Buffer {
  return randomBytes(keyBytes);
}

export function keyObject(key: Buffer): KeyObject {
  return createSecretKey(key);
}

/** JSON keeps neighbouring parts apart: no two places or owners write the same bytes. */
function additionalData({ ownerId, keyVersion }: SealOwner, { table, column, rowId }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([formatVersion, table, column, rowId, ownerId, keyVersion]));
}
