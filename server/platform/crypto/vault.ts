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
  /** Reports a broken seal that was found without these, in the content of a file. */
  reportBroken(context: SealContext): void;
};

/** Told of every seal that was found broken, before the error is thrown. Must not throw itself. */
export type BrokenSealListener = (context: SealContext) => void;

export type Vaults = {
  /** Makes the key of a new vault. Destroying every copy of it destroys the vault. */
  create(ownerId: string): WrappedKey;
  /** Throws `SealBrokenError` where the key is another owner's, was changed, or its master key is gone. */
  open(ownerId: string, key: WrappedKey): Vault;
  /**
   * A vault that opens on first use. If its key is damaged, each value in it counts as damaged, so callers that skip
   * damaged values skip these.
   */
  openWhenNeeded(ownerId: string, key: WrappedKey): Vault;
  /** The vault key, wrapped again under the current master key. */
  rewrap(ownerId: string, key: WrappedKey): WrappedKey;
};

/** A vault has one key for life; the number leaves room for a second one. */
const vaultKeyVersion = 1;

export function createVaults(masterKeys: MasterKeys, onBroken: BrokenSealListener = () => undefined): Vaults {
  function wrap(ownerId: string, vaultKey: Buffer): WrappedKey {
    const { version: keyVersion, key } = masterKeys.current;
    const wrappedKey = sealBytes(keyObject(key), { ownerId, keyVersion }, wrappedKeyContext(ownerId), vaultKey);
    return { keyVersion, wrappedKey };
  }

  function unwrap(ownerId: string, { keyVersion, wrappedKey }: WrappedKey): Buffer {
    const context = wrappedKeyContext(ownerId);
    const key = masterKeys.find(keyVersion);
    if (!key) throw new SealBrokenError(context);

    const vaultKey = unsealBytes(keyObject(key), { ownerId, keyVersion }, context, wrappedKey);
    if (vaultKey.length !== keyBytes) throw new SealBrokenError(context);
    return vaultKey;
  }

  function open(ownerId: string, key: WrappedKey): Vault {
    const vaultKey = telling(onBroken, () => keyObject(unwrap(ownerId, key)));
    return openedVault({ ownerId, keyVersion: vaultKeyVersion }, vaultKey, onBroken);
  }

  return {
    create: (ownerId) => wrap(ownerId, newKey()),
    open,
    openWhenNeeded: (ownerId, key) => ({ ...whenNeeded(() => open(ownerId, key)), reportBroken: onBroken }),
    rewrap: (ownerId, key) => wrap(ownerId, unwrap(ownerId, key)),
  };
}

/** Runs this, and tells the listener where it finds a broken seal. */
export function telling<Result>(onBroken: BrokenSealListener, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealBrokenError) onBroken(error.context);
    throw error;
  }
}

/**
 * Result of `open`, or null if a seal is broken, which was reported then. For callers that open many values: a
 * damaged one must not block the others.
 */
export function unlessBroken<Opened>(open: () => Opened): Opened | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

function openedVault(owner: SealOwner, key: KeyObject, onBroken: BrokenSealListener): Vault {
  return {
    seal: (context, text) => sealBytes(key, owner, context, Buffer.from(text, 'utf8')).toString('base64url'),
    unseal: (context, sealed) =>
      telling(onBroken, () => {
        const bytes = Buffer.from(sealed, 'base64url');
        // The decoder overlooks characters that are not its own; a value that was touched must not pass for this reason.
        if (bytes.toString('base64url') !== sealed) throw new SealBrokenError(context);
        return unsealBytes(key, owner, context, bytes).toString('utf8');
      }),
    newFileKey(context) {
      const fileKey = newKey();
      return { key: keyObject(fileKey), wrapped: sealBytes(key, owner, context, fileKey) };
    },
    openFileKey(context, wrapped) {
      const fileKey = unsealBytes(key, owner, context, wrapped);
      if (fileKey.length !== keyBytes) throw new SealBrokenError(context);
      return keyObject(fileKey);
    },
    reportBroken: onBroken,
  };
}

/** Opens once, even if that fails, so that a broken seal is reported once. */
function whenNeeded(open: () => Vault): Omit<Vault, 'reportBroken'> {
  let known: (() => Vault) | undefined;
  const vault = (): Vault => {
    known ??= outcomeOf(open);
    return known();
  };
  return {
    seal: (...given) => vault().seal(...given),
    unseal: (...given) => vault().unseal(...given),
    newFileKey: (...given) => vault().newFileKey(...given),
    openFileKey: (...given) => vault().openFileKey(...given),
  };
}

/** Memoises the outcome of `act`: the result, or the same error. */
function outcomeOf<Result>(act: () => Result): () => Result {
  try {
    const result = act();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function wrappedKeyContext(ownerId: string): SealContext {
  return { table: 'vault_keys', column: 'wrapped_key', rowId: ownerId };
}
