import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { keyObject, newKey, SealBrokenError, type SealContext, sealBytes, unsealBytes } from './envelope.ts';
import type { MasterKeys } from './master-key.ts';
import type { HashToken } from './token.ts';
import { type BrokenSealListener, telling } from './vault.ts';

/** Purpose of a derived value. One id gives a different value for each purpose. */
export type DerivationPurpose = 'delivery-link' | 'delivery-message-id' | (string & {});

/** Keys of the installation, for what belongs to no vault. */
export type ServiceKeys = {
  seal(context: SealContext, bytes: Buffer): Buffer;
  /** @throws SealBrokenError if the value was changed, cut or moved. */
  unseal(context: SealContext, sealed: Buffer): Buffer;
  /**
   * Unseals a value that a visitor kept. A broken seal is the visitor's mistake or forgery, and says nothing of our
   * data, so it is not reported.
   */
  unsealCarried(context: SealContext, sealed: Buffer): Buffer;
  /** An unguessable value, equal at every call: HMAC-SHA256 (RFC 2104), base64url, 43 characters. */
  derive(purpose: DerivationPurpose, id: string): string;
  hashToken: HashToken;
  /** Registers a listener for each seal that `unseal` finds broken. It must not throw. */
  onBroken(listener: BrokenSealListener): void;
};

const purposes = ['sealing', 'derivation'] as const;
type KeyPurpose = (typeof purposes)[number];
type StoredKey = { purpose: string; key_version: number; wrapped_key: Buffer };

/** Derivation name of the key under which tokens are stored. */
export const tokenKeyName = ['stored-token', 'key'] as const;

/** The stored keys are not of this master key: a start with them would only make unreadable rows. */
export class WrongMasterKeyError extends Error {
  override readonly name = 'WrongMasterKeyError';

  constructor() {
    super('The master key does not open this database. Start with the key that was in use when it was made.');
  }
}

/**
 * Reads the keys of the installation and makes the missing ones. Processes that start at the same time end with
 * the same keys: the first insert wins and everybody reads it. Throws `WrongMasterKeyError`.
 */
export async function createServiceKeys(db: Executor, masterKeys: MasterKeys): Promise<ServiceKeys> {
  let stored = await readKeys(db);
  const missing = purposes.filter((purpose) => !stored.has(purpose));
  if (missing.length > 0) {
    for (const purpose of missing) await insertKey(db, masterKeys, purpose);
    stored = await readKeys(db);
  }

  const sealingKey = keyObject(unwrap(masterKeys, stored, 'sealing'));
  const derivationKey = keyObject(unwrap(masterKeys, stored, 'derivation'));
  const owner = { ownerId: 'installation', keyVersion: 1 };
  let tell: BrokenSealListener = () => undefined;
  const derive: ServiceKeys['derive'] = (purpose, id) => hmac(derivationKey, JSON.stringify([purpose, id]));
  const tokenKey = createSecretKey(derive(...tokenKeyName), 'utf8');
  const open = (context: SealContext, sealed: Buffer) => unsealBytes(sealingKey, owner, context, sealed);
  return {
    seal: (context, bytes) => sealBytes(sealingKey, owner, context, bytes),
    unseal: (context, sealed) =>
      telling(
        (at) => tell(at),
        () => open(context, sealed),
      ),
    unsealCarried: open,
    derive,
    hashToken: (token) => hmac(tokenKey, token),
    onBroken(listener) {
      tell = listener;
    },
  };
}

/**
 * Wraps the keys of the installation with the master key in use now; gives how many were not yet. The keys themselves
 * stay as they are, so processes that hold them go on. Throws `WrongMasterKeyError`.
 */
export async function rewrapServiceKeys(db: Executor, masterKeys: MasterKeys): Promise<number> {
  const { version, key } = masterKeys.current;
  const stored = await readKeys(db);
  const older = purposes.filter((purpose) => stored.has(purpose) && stored.get(purpose)?.key_version !== version);
  for (const purpose of older) {
    const plain = unwrap(masterKeys, stored, purpose);
    const wrapped = sealBytes(keyObject(key), wrapOwner(purpose, version), wrapContext(purpose), plain);
    await db.execute(sql`update service_keys set key_version = ${version}, wrapped_key = ${wrapped}
      where purpose = ${purpose} and key_version = ${stored.get(purpose)?.key_version}`);
  }
  return older.length;
}

async function readKeys(db: Executor): Promise<Map<string, StoredKey>> {
  const { rows } = await db.execute<StoredKey>(sql`select purpose, key_version, wrapped_key from service_keys`);
  return new Map(rows.map((row) => [row.purpose, row]));
}

async function insertKey(db: Executor, masterKeys: MasterKeys, purpose: KeyPurpose): Promise<void> {
  const { version, key } = masterKeys.current;
  const wrapped = sealBytes(keyObject(key), wrapOwner(purpose, version), wrapContext(purpose), newKey());
  await db.execute(sql`
    insert into service_keys (purpose, key_version, wrapped_key) values (${purpose}, ${version}, ${wrapped})
    on conflict (purpose) do nothing`);
}

function unwrap(masterKeys: MasterKeys, stored: ReadonlyMap<string, StoredKey>, purpose: KeyPurpose): Buffer {
  const row = stored.get(purpose);
  const masterKey = row && masterKeys.find(row.key_version);
  if (!row || !masterKey) throw new WrongMasterKeyError();

  try {
    const owner = wrapOwner(purpose, row.key_version);
    return unsealBytes(keyObject(masterKey), owner, wrapContext(purpose), row.wrapped_key);
  } catch (error) {
    if (error instanceof SealBrokenError) throw new WrongMasterKeyError();
    throw error;
  }
}

function wrapOwner(purpose: KeyPurpose, keyVersion: number) {
  return { ownerId: `installation/${purpose}`, keyVersion };
}

function wrapContext(purpose: KeyPurpose): SealContext {
  return { table: 'service_keys', column: 'wrapped_key', rowId: purpose };
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
