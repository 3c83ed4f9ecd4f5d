/**
 * Drafts of forms, kept across a reload. Public fields are in local storage. Private text is encrypted (AES-256-GCM)
 * with a key that the browser never exports; key and ciphertext are in IndexedDB. Signing out removes all drafts. A
 * browser without storage keeps none, so that drafts never block writing.
 */
const plainPrefix = 'draft:';
const ownerKey = 'draft-owner';
const databaseName = 'drafts';
const keyName = 'key';
const nonceBytes = 12;

export type DraftKind = { secret?: boolean };

type Sealed = { nonce: Uint8Array<ArrayBuffer>; ciphertext: ArrayBuffer };

/** Writes that have begun and not ended. */
const writes = new Set<Promise<unknown>>();

/**
 * Stores a draft under a name. Use `secret` for text that a person wrote to others. Resolves to true once it survives
 * a reload.
 */
export async function saveDraft(name: string, value: unknown, { secret = false }: DraftKind = {}): Promise<boolean> {
  const writing = tolerate(async () => {
    if (secret) await write(name, await seal(value));
    else localStorage.setItem(plainPrefix + name, JSON.stringify(value));
    return true;
  });
  writes.add(writing);
  const isKept = await writing;
  writes.delete(writing);
  return isKept ?? false;
}

/** The kept draft, or undefined where there is none that can be read. */
export async function loadDraft<Value>(name: string, { secret = false }: DraftKind = {}): Promise<Value | undefined> {
  return tolerate(async () => {
    if (!secret) {
      const text = localStorage.getItem(plainPrefix + name);
      return text === null ? undefined : (JSON.parse(text) as Value);
    }
    const sealed = await read<Sealed>(name);
    if (!sealed) return undefined;
    const text = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: sealed.nonce },
      await sealingKey(),
      sealed.ciphertext,
    );
    return JSON.parse(new TextDecoder().decode(text)) as Value;
  });
}

/** Forgets one draft. */
export async function clearDraft(name: string): Promise<void> {
  await tolerate(async () => {
    localStorage.removeItem(plainPrefix + name);
    if (hasDatabase()) await inStore('readwrite', (store) => store.delete(name));
  });
}

/** Forgets every draft and the key they were sealed with. A draft that is being written is waited for, and forgotten too. */
export async function clearAllDrafts(): Promise<void> {
  while (writes.size > 0) await Promise.all(writes);
  // Each by itself: where one of the two stores is switched off, the other is emptied all the same.
  await tolerate(async () => {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(plainPrefix) || name === ownerKey) localStorage.removeItem(name);
    }
  });
  await tolerate(async () => {
    if (hasDatabase()) await inStore('readwrite', (store) => store.clear());
  });
}

/**
 * Sets the owner of the drafts before any is shown. Drafts of a previous person who did not sign out are removed, and
 * so are drafts without a known owner.
 */
export async function claimDrafts(userId: string): Promise<void> {
  if (!mayBeOf(userId)) await clearAllDrafts();
  await tolerate(async () => localStorage.setItem(ownerKey, userId));
}

/** True if the drafts belong to this person, or to a visitor, who may be this person. */
function mayBeOf(userId: string): boolean {
  try {
    const owner = localStorage.getItem(ownerKey);
    return owner === null || owner === userId;
  } catch {
    // Without local storage their owner is unknown.
    return false;
  }
}

async function tolerate<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await act();
  } catch {
    // Storage is full, switched off, or holds what an older version wrote: the page works without the draft.
    return undefined;
  }
}

async function seal(value: unknown): Promise<Sealed> {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const text = new TextEncoder().encode(JSON.stringify(value));
  const ciphertext = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, await sealingKey(), text);
  return { nonce, ciphertext };
}

async function sealingKey(): Promise<CryptoKey> {
  const kept = await read<CryptoKey>(keyName);
  if (kept) return kept;
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  await write(keyName, made);
  return made;
}

function hasDatabase(): boolean {
  return typeof indexedDB !== 'undefined';
}

async function read<Value>(name: string): Promise<Value | undefined> {
  return (await inStore('readonly', (store) => store.get(name))) as Value | undefined;
}

async function write(name: string, value: unknown): Promise<void> {
  await inStore('readwrite', (store) => store.put(value, name));
}

async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction('drafts', mode);
    // A request that was answered can still be undone with its transaction, where the disk is full.
    const [answer] = await Promise.all([settled(act(transaction.objectStore('drafts'))), completed(transaction)]);
    return answer;
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1);
  request.onupgradeneeded = () => request.result.createObjectStore('drafts');
  return settled(request);
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
