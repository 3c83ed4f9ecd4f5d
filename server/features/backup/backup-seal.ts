import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { BackupError, type BackupManifest, type ManifestSums } from './backup.format.ts';

/**
 * Name of the derivation: HKDF-SHA256 (RFC 5869) of a master key, without salt, with this text as its info. The key signs manifests
 * and nothing else.
 */
const derivationName = 'everkept/backup-manifest/v1';
const keyBytes = 32;

export type BackupSeal = NonNullable<BackupManifest['seal']>;

/** Option of `restore` that accepts a backup whose origin is not proven. */
export const unprovenFlag = 'accept-unproven-origin';

/**
 * Signs the sums of a backup under the current master key. An attacker who can write to the bucket cannot make this
 * seal.
 */
export function sealOf(sums: ManifestSums, { current }: Pick<MasterKeys, 'current'>): BackupSeal {
  return { keyVersion: current.version, hmac: hmacOf(sums, current.key).toString('hex') };
}

/** @throws BackupError if none of these master keys made the seal of this manifest. */
export function requireSeal(manifest: BackupManifest, keys: Pick<MasterKeys, 'find'>): void {
  const { seal, ...sums } = manifest;
  if (!seal) throw unproven('This backup has no seal of the master key, so a stranger may have written it.');
  const key = keys.find(seal.keyVersion);
  if (!key) {
    throw unproven(
      `This backup was sealed under version ${seal.keyVersion} of the master key, which is not here. Put the key that was in use into DATA_DIR/master.key or MASTER_KEY_FILE.`,
    );
  }
  const isRight = timingSafeEqual(hmacOf(sums, key), Buffer.from(seal.hmac, 'hex'));
  if (!isRight) {
    throw unproven(
      'The seal of this backup does not match the master key here. Either another key was in use when it was made, or a stranger wrote it. Put the key that was in use into DATA_DIR/master.key or MASTER_KEY_FILE.',
    );
  }
}

function unproven(reason: string): BackupError {
  return new BackupError(
    `${reason} Nothing was changed. If you know where the file comes from, add --${unprovenFlag}.`,
  );
}

function hmacOf(sums: ManifestSums, masterKey: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), derivationName, keyBytes));
  return createHmac('sha256', key).update(canonical(sums)).digest();
}

/** Text that is equal for equal sums, in any order of the file. */
function canonical({ tables, files, missingFiles, sha256 }: ManifestSums): string {
  const rows = Object.entries(tables)
    .map(([name, { rows, sha256 }]) => [name, rows, sha256] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sha256, files.count, files.bytes, missingFiles, rows]);
}
