import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { masterKeyRefreshMs } from '#server/platform/crypto/master-key.ts';
import { rewrapServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';
import { listKeysOfOtherVersions, replaceKeys, type StoredVaultKey } from './vault-keys.repository.ts';

type Rotation = {
  /** Version of the master key that wraps everything now. */
  version: number;
  /** Number of keys that were wrapped again, of vaults and of the installation. */
  rewrapped: number;
  /** Owners whose key no master key opens. Their keys stay unchanged. */
  unopened: string[];
};

type RotationOptions = {
  /** Version of a master key that was added just now. The rotation waits until this process has read it. */
  toVersion?: number | undefined;
  onProgress?: (rewrapped: number) => void;
  batch?: number;
  settleMs?: number;
};

const keysPerBatch = 500;
const pollMs = 100;
const firstUserId = '00000000-0000-0000-0000-000000000000';
/** After this time, every running process has read a new key. */
const settledAfterMs = masterKeyRefreshMs + 1_000;

/** True if the master key in use could wrap a key that another one wraps. */
export async function isRotationUnfinished(app: App): Promise<boolean> {
  const { version } = app.masterKeys.current;
  const { rows } = await app.db.execute('select distinct key_version from service_keys');
  if (rows.some((row) => row.key_version !== version)) return true;
  for (let afterUserId = firstUserId; ; ) {
    const keys = await listKeysOfOtherVersions(app.db, { version, afterUserId, limit: keysPerBatch });
    const last = keys.at(-1);
    if (!last) return false;
    if (rewrapEach(app, keys).fresh.length > 0) return true;
    afterUserId = last.userId;
  }
}

/**
 * Wraps every key with the master key in use, batch by batch, while the service runs. It may be killed at any moment and
 * called again. It ends when processes that had not read the key can't have added more keys.
 */
export async function rotateKeys(app: App, options: RotationOptions = {}): Promise<Rotation> {
  const { toVersion, onProgress = () => undefined, batch = keysPerBatch, settleMs = settledAfterMs } = options;
  const { db, masterKeys } = app;
  while (toVersion !== undefined && !masterKeys.find(toVersion)) await delay(pollMs);
  let rewrapped = await rewrapServiceKeys(db, masterKeys);
  const pass = async () => {
    const unopened: string[] = [];
    for await (const done of rewrapAll(app, batch)) {
      rewrapped += done.rewrapped;
      unopened.push(...done.unopened);
      onProgress(rewrapped);
    }
    return unopened;
  };
  await pass();
  // Finds vaults of processes that had not read the new key when they made them.
  await delay(settleMs);
  const unopened = await pass();
  const { version } = masterKeys.current;
  await recordAudit(app, db, {
    userId: null,
    action: 'keys.rotated',
    resource: 'installation',
    details: { version, rewrapped, unopened: unopened.length },
    at: await app.clock.now(),
  });
  return { version, rewrapped, unopened };
}

async function* rewrapAll(app: App, limit: number) {
  const { version } = app.masterKeys.current;
  let afterUserId = firstUserId;
  for (;;) {
    const keys = await listKeysOfOtherVersions(app.db, { version, afterUserId, limit });
    const last = keys.at(-1);
    if (!last) return;
    const { fresh, unopened } = rewrapEach(app, keys);
    yield { rewrapped: fresh.length === 0 ? 0 : await replaceKeys(app.db, fresh), unopened };
    afterUserId = last.userId;
  }
}

function rewrapEach({ vaults }: App, keys: readonly StoredVaultKey[]) {
  const unopened: string[] = [];
  const fresh = keys.flatMap((key) => {
    try {
      return [{ userId: key.userId, readVersion: key.keyVersion, ...vaults.rewrap(key.userId, key) }];
    } catch (error) {
      if (!(error instanceof SealBrokenError)) throw error;
      unopened.push(key.userId);
      return [];
    }
  });
  return { fresh, unopened };
}
