import type { KeyObject } from 'node:crypto';
import {
  keyBytes,
  keyObject,
  newKey,
  SealBrokenError,
  type SealContext,
  type SealOwner,
  sealBytes,
  unsealBytes,
} from './envelope.ts';
import type { MasterKeys } from './master-key.ts';

export { SealBrokenError, type SealContext };

/** The key of one vault as it is stored: sealed with the master key of that version. */
export type WrappedKey = { keyVersion: number; wrappedKey: Buffer };

/** An opened vault. What it seals is text for a `text` column; what it cannot open throws `SealBrokenError`. */
export type Vault = {
  seal(context: SealContext, text: string): string;
  unseal(context: SealContext, sealed: string): string;
  /** A new random key for one file, and the same sealed for its place: `wrappedKeyBytes` bytes. */
  newFileKey(context: SealContext): { key: KeyObject; wrapped: Buffer };
  openFileKey(context: SealContext, wrapped: Buffer): KeyObject;
};

export type Vaults = {
  /** Makes the key of a new vault. Destroying every copy of it destroys the vault. */
  create(ownerId: string): WrappedKey;
  /** Throws `SealBrokenError` where the key is another owner's, was changed, or its master key is gone. */
  open(ownerId: string, key: WrappedKey): Vault;
  /** The same vault key under the current master key. */
  rewrap(ownerId: string, key: WrappedKey): WrappedKey;
};

/** A vault has one key for life; the number leaves room for a second one. */
const vaultKeyVersion = 1;

export function createVaults(masterKeys: MasterKeys): Vaults {
  const { version: currentVersion, key: currentBytes } = masterKeys.current;
  const currentKey = keyObject(currentBytes);

  function masterKey(version: number): KeyObject | undefined {
    if (version === currentVersion) return currentKey;
    const older = masterKeys.find(version);
    return older && keyObject(older);
  }

  function wrap(ownerId: string, vaultKey: Buffer): WrappedKey {
    const owner = { ownerId, keyVersion: currentVersion };
    const wrappedKey = sealBytes(currentKey, owner, wrappedKeyContext(ownerId), vaultKey);
    return { keyVersion: currentVersion, wrappedKey };
  }

  function unwrap(ownerId: string, { keyVersion, wrappedKey }: WrappedKey): Buffer {
    const context = wrappedKeyContext(ownerId);
    const key = masterKey(keyVersion);
    if (!key) throw new SealBrokenError(context);

    const vaultKey = unsealBytes(key, { ownerId, keyVersion }, context, wrappedKey);
    if (vaultKey.length !== keyBytes) throw new SealBrokenError(context);
    return vaultKey;
  }

  return {
    create: (ownerId) => wrap(ownerId, newKey()),
    open: (ownerId, key) => openedVault({ ownerId, keyVersion: vaultKeyVersion }, keyObject(unwrap(ownerId, key))),
    rewrap: (ownerId, key) => wrap(ownerId, unwrap(ownerId, key)),
  };
}

function openedVault(owner: SealOwner, key: KeyObject): Vault {
  return {
    seal: (context, text) => sealBytes(key, owner, context, Buffer.from(text, 'utf8')).toString('base64url'),
    unseal(context, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      // The decoder overlooks characters that are not its own; a value that was touched must not pass for this reason.
      if (bytes.toString('base64url') !== sealed) throw new SealBrokenError(context);
      return unsealBytes(key, owner, context, bytes).toString('utf8');
    },
    newFileKey(context) {
      const fileKey = newKey();
      return { key: keyObject(fileKey), wrapped: sealBytes(key, owner, context, fileKey) };
    },
    openFileKey(context, wrapped) {
      const fileKey = unsealBytes(key, owner, context, wrapped);
      if (fileKey.length !== keyBytes) throw new SealBrokenError(context);
      return keyObject(fileKey);
    },
  };
}

function wrappedKeyContext(ownerId: string): SealContext {
  return { table: 'vault_keys', column: 'wrapped_key', rowId: ownerId };
}
