import { setTimeout as delay } from 'node:timers/promises';
import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { type MasterKeys, masterKeyRefreshMs } from '#server/platform/crypto/master-key.ts';
import { rewrapServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError, type Vaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { listKeysOfOtherVersions, replaceKeys, type StoredVaultKey } from './vault-keys.repository.ts';

export type Rotation = {
  /** The master key that wraps everything now. */
  version: number;
  /** How many keys were wrapped anew, those of vaults and of the installation. */
  rewrapped: number;
  /** Owners whose key no master key opened. It was left as it is. */
  unopened: string[];
};

export type KeyRotation = {
  /** Whether some key could be wrapped with the master key in use, and is not yet. */
  isUnfinished(): Promise<boolean>;
  /**
   * Wraps every key with the master key in use, a batch at a time, while the service runs. It may be killed at any
   * moment and called again. Ends once processes that had not yet heard of the key cannot have added more.
   */
  rotate(options?: RotationOptions): Promise<Rotation>;
};

export type RotationOptions = {
  /** The master key to go to, where it was added just now: waits until this process has heard of it. */
  toVersion?: number | undefined;
  onProgress?: (rewrapped: number) => void;
  batch?: number;
  settleMs?: number;
};

type KeyRotationDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'rewrap'>;
  masterKeys: MasterKeys;
  audit: Pick<Audit, 'record'>;
};

const keysPerBatch = 500;
const pollMs = 100;
const firstUserId = '00000000-0000-0000-0000-000000000000';
/** A running process knows of a new key after this long. */
const settledAfterMs = masterKeyRefreshMs + 1_000;

/** Moves the keys of all vaults, and of the installation, from one master key to the next. */
export function createKeyRotation({ db, clock, vaults, masterKeys, audit }: KeyRotationDependencies): KeyRotation {
  return {
    async isUnfinished() {
      const { version } = masterKeys.current;
      const { rows } = await db.execute('select distinct key_version from service_keys');
      if (rows.some((row) => row.key_version !== version)) return true;
      for (let afterUserId = firstUserId; ; ) {
        const keys = await listKeysOfOtherVersions(db, { version, afterUserId, limit: keysPerBatch });
        const last = keys.at(-1);
        if (!last) return false;
        if (rewrapEach(keys).fresh.length > 0) return true;
        afterUserId = last.userId;
      }
    },

    async rotate({ toVersion, onProgress = () => undefined, batch = keysPerBatch, settleMs = settledAfterMs } = {}) {
      while (toVersion !== undefined && !masterKeys.find(toVersion)) await delay(pollMs);
      let rewrapped = await rewrapServiceKeys(db, masterKeys);
      const pass = async () => {
        const unopened: string[] = [];
        for await (const done of rewrapAll(batch)) {
          rewrapped += done.rewrapped;
          unopened.push(...done.unopened);
          onProgress(rewrapped);
        }
        return unopened;
      };
      await pass();
      // Vaults that were made by a process which had not looked into the file yet.
      await delay(settleMs);
      const unopened = await pass();
      const { version } = masterKeys.current;
      await audit.record(db, {
        userId: null,
        action: 'keys.rotated',
        resource: 'installation',
        details: { version, rewrapped, unopened: unopened.length },
        at: await clock.now(),
      });
      return { version, rewrapped, unopened };
    },
  };

  async function* rewrapAll(limit: number) {
    const { version } = masterKeys.current;
    let afterUserId = firstUserId;
    for (;;) {
      const keys = await listKeysOfOtherVersions(db, { version, afterUserId, limit });
      const last = keys.at(-1);
      if (!last) return;
      const { fresh, unopened } = rewrapEach(keys);
      yield { rewrapped: fresh.length === 0 ? 0 : await replaceKeys(db, fresh), unopened };
      afterUserId = last.userId;
    }
  }

  function rewrapEach(keys: readonly StoredVaultKey[]) {
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
}
