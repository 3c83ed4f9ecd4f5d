import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type MasterKey, MasterKeyError, parseMasterKeys } from './master-key-text.ts';

/** The keys that wrap every other key: one in use, and older ones that still open what they wrapped. */
export type MasterKeys = {
  current: MasterKey;
  find(version: number): Buffer | undefined;
};

export type MasterKeySource = {
  /** Holds `master.key`, made at the first start where no other source is named. */
  dataDir: string;
  /** The key itself, from the environment. Comes before the file. */
  masterKey?: string | undefined;
  /** A file the operator keeps elsewhere. It is read, never made. */
  masterKeyFile?: string | undefined;
};

const fileName = 'master.key';
const ownerOnly = 0o600;

/**
 * Reads the master keys, and makes one at the very first start. Throws `MasterKeyError`, with a sentence for the
 * operator, where a key is missing, is not 32 bytes long, or is not random.
 */
export async function loadMasterKeys({ dataDir, masterKey, masterKeyFile }: MasterKeySource): Promise<MasterKeys> {
  if (masterKey) return masterKeysOf(parseMasterKeys(masterKey, 'MASTER_KEY'));
  if (masterKeyFile) return masterKeysOf(parseMasterKeys(await readNamed(masterKeyFile), masterKeyFile));

  const path = join(dataDir, fileName);
  const text = (await readIfThere(path)) ?? (await makeOnce(dataDir, path));
  return masterKeysOf(parseMasterKeys(text, path));
}

function masterKeysOf(keys: readonly MasterKey[]): MasterKeys {
  const [first, ...others] = keys;
  if (!first) throw new MasterKeyError('There is no master key.');

  const current = others.reduce((newest, key) => (key.version > newest.version ? key : newest), first);
  const byVersion = new Map(keys.map(({ version, key }) => [version, key]));
  return { current, find: (version) => byVersion.get(version) };
}

/**
 * Writes a new key beside its final name and links it there, which succeeds for one process only; then everybody
 * reads what stands under the final name. So a crash leaves no half a key, and two first starts share one.
 */
async function makeOnce(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = await open(draft, 'wx', ownerOnly);
  try {
    await file.writeFile(`1:${randomBytes(32).toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }

  try {
    await link(draft, path);
    await syncDirectory(dataDir);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  return readFile(path, 'utf8');
}

/** The name of a new file is safe only once its directory is written too. Windows has no such call. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;

  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function readNamed(path: string): Promise<string> {
  const text = await readIfThere(path);
  if (text === undefined) throw new MasterKeyError(`There is no master key file at ${path}.`);
  return text;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
