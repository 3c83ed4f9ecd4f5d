import { access, constants, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskRemedy, findDisk } from '#server/features/service-health/endings.rules.ts';
import { bad, type Finding, poor, well } from '#server/features/service-health/findings.rules.ts';
import { findMasterKeys, keepsOwnMasterKeys } from '#server/platform/crypto/master-key.ts';
import { MasterKeyError } from '#server/platform/crypto/master-key-text.ts';
import { readDiskSpace } from '#server/platform/files/disk-space.ts';
import type { Settings } from '#server/settings.ts';
import { tried } from './findings.ts';

const othersMayReadOrWrite = 0o077;
const strangersMayLookOrWrite = 0o006;

/** Findings that need no database: settings, folder, disk and key. */
export async function lookAtMachine(settings: Settings): Promise<Finding[]> {
  return [
    ...settings.warnings.map((warning) => poor('settings', warning, 'Set what it names, and start again.')),
    ...(settings.warnings.length === 0 ? [well('settings', 'Every setting is recognised.')] : []),
    ...(settings.adminEmail ? [] : [noAdmin]),
    ...(await lookAtFolder(settings)),
    ...(await lookAtDisk(settings)),
    ...(await lookAtKey(settings)),
  ];
}

const noAdmin = poor(
  'administrator',
  'ADMIN_EMAIL is not set, so no one is emailed when releases stop or data is damaged.',
  'Set ADMIN_EMAIL to an address that you read.',
);

function lookAtFolder({ dataDir }: Settings): Promise<Finding[]> {
  const mend = `Give the user who runs this the folder ${dataDir}: chown it to them, and chmod 700.`;
  return tried('data folder', mend, async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode } = await stat(dataDir);
    // To pass through is another matter: the account of the embedded database may have to.
    const isOpen = process.platform !== 'win32' && (mode & strangersMayLookOrWrite) !== 0;
    if (isOpen) return poor('data folder', `Every user of this machine can read ${dataDir}.`, `chmod 700 ${dataDir}`);
    return well('data folder', `${dataDir} exists, and can be written.`);
  });
}

function lookAtDisk({ dataDir }: Settings): Promise<Finding[]> {
  return tried('disk', diskRemedy, async () => findDisk(await readDiskSpace(dataDir)));
}

/** A group of our own contains the service alone. Container engines give secrets to unprivileged users this way. */
export function isOpenToOthers({ mode, gid }: { mode: number; gid: number }, ownGroup = process.getgid?.()): boolean {
  const open = mode & othersMayReadOrWrite;
  return (open & strangersMayLookOrWrite) !== 0 || (open !== 0 && gid !== ownGroup);
}

async function lookAtKey(settings: Settings): Promise<Finding[]> {
  const source = { dataDir: settings.dataDir, ...settings.masterKey };
  const mend = 'Restore the key that was in use from your copy: 32 bytes in base64, mode 600.';
  try {
    const keys = await findMasterKeys(source);
    if (!keys) return [well('master key', 'There is none yet. The first start makes one.')];
    const path = source.masterKeyFile ?? join(source.dataDir, 'master.key');
    const isOpen = !source.masterKey && process.platform !== 'win32' && isOpenToOthers(await stat(path));
    if (isOpen) return [bad('master key', `Other users of this machine can read ${path}.`, `chmod 600 ${path}`)];
    const place = keepsOwnMasterKeys(source) ? 'Keep a copy of it apart from the data.' : 'You keep it yourself.';
    return [well('master key', `Version ${keys.current.version} is in use. ${place}`)];
  } catch (error) {
    return [bad('master key', error instanceof MasterKeyError ? error.message : 'It cannot be read.', mend)];
  }
}
