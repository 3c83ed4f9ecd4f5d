import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type MasterKey, MasterKeyError, parseMasterKeys } from './master-key-text.ts';

/**
 * The keys that wrap every other key: one in use, and older ones that still open what they wrapped. Keys from a file
 * follow the file, so ask each time and keep none: a key that was added is in use within `masterKeyRefreshMs`.
 */
export type MasterKeys = {
  readonly current: MasterKey;
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
/** Longest time that a running process uses keys before it reads the file again. */
export const masterKeyRefreshMs = 5_000;
/** Shortest time between two reads for an unknown version. */
const unknownVersionRefreshMs = 200;

/**
 * Reads the master keys, and makes one at the very first start. Throws `MasterKeyError`, with a sentence for the
 * operator, where a key is missing, is not 32 bytes long, or is not random.
 */
export async function loadMasterKeys(source: MasterKeySource): Promise<MasterKeys> {
  const { dataDir, masterKey, masterKeyFile } = source;
  if (masterKey) return fixedKeys(parseMasterKeys(masterKey, 'MASTER_KEY'));
  if (masterKeyFile) return keysOfFile(masterKeyFile, await readNamed(masterKeyFile));

  const path = join(dataDir, fileName);
  return keysOfFile(path, (await readIfThere(path)) ?? (await makeOnce(dataDir, path)));
}

/** As above, but makes no key: null if no source is named and no file exists. */
export async function findMasterKeys(source: MasterKeySource): Promise<MasterKeys | null> {
  const isNamed = source.masterKey || source.masterKeyFile;
  const isThere = isNamed || (await readIfThere(join(source.dataDir, fileName))) !== undefined;
  return isThere ? loadMasterKeys(source) : null;
}

/** True if the keys are ours to change. What the operator keeps in a setting or a file elsewhere is only read. */
export function keepsOwnMasterKeys({ masterKey, masterKeyFile }: MasterKeySource): boolean {
  return !masterKey && !masterKeyFile;
}

/** The text of the keys, for a backup that is to hold them. */
export async function readMasterKeyText(source: MasterKeySource): Promise<string> {
  if (source.masterKey) return source.masterKey;
  return readNamed(source.masterKeyFile ?? join(source.dataDir, fileName));
}

/** Adds a new key, which becomes the one in use, to the file in the data directory. Gives its version. */
export async function addMasterKey({ dataDir }: Pick<MasterKeySource, 'dataDir'>): Promise<number> {
  const path = join(dataDir, fileName);
  const text = await readNamed(path);
  const version = newestOf(parseMasterKeys(text, path)).version + 1;
  await replaceFile(dataDir, `${text.trimEnd()}\n${version}:${randomBytes(32).toString('base64')}\n`);
  return version;
}

/** Takes every key but the one in use out of the file in the data directory. */
export async function removeOldMasterKeys({ dataDir }: Pick<MasterKeySource, 'dataDir'>): Promise<void> {
  const path = join(dataDir, fileName);
  const { version, key } = newestOf(parseMasterKeys(await readNamed(path), path));
  await replaceFile(dataDir, `${version}:${key.toString('base64')}\n`);
}

/** Puts the keys of a backup into a data directory that has none. Gives what takes them away again. */
export async function placeMasterKeys(dataDir: string, text: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await replaceFile(dataDir, text);
  return async () => {
    const path = join(dataDir, fileName);
    // A file that another process has put there meanwhile must stay.
    if ((await readIfThere(path)) !== text) return;
    await unlink(path);
    await syncDirectory(dataDir);
  };
}

function fixedKeys(keys: readonly MasterKey[]): MasterKeys {
  const byVersion = new Map(keys.map(({ version, key }) => [version, key]));
  return { current: newestOf(keys), find: (version) => byVersion.get(version) };
}

/** Reads the file again from time to time. While it can't be read or parsed, the previous keys stay valid. */
function keysOfFile(path: string, firstText: string): MasterKeys {
  let text = firstText;
  let keys = fixedKeys(parseMasterKeys(text, path));
  let readAtMs = performance.now();

  function refresh(olderThanMs: number): void {
    if (performance.now() - readAtMs < olderThanMs) return;
    readAtMs = performance.now();
    try {
      const found = readFileSync(path, 'utf8');
      if (found === text) return;
      keys = fixedKeys(parseMasterKeys(found, path));
      text = found;
    } catch {
      // The file is being written or has been moved away. The keys in memory still open everything that they wrapped.
    }
  }

  return {
    get current() {
      refresh(masterKeyRefreshMs);
      return keys.current;
    },
    find(version) {
      const known = keys.find(version);
      if (known) return known;
      refresh(unknownVersionRefreshMs);
      return keys.find(version);
    },
  };
}

function newestOf(keys: readonly MasterKey[]): MasterKey {
  const [first, ...others] = keys;
  if (!first) throw new MasterKeyError('There is no master key.');
  return others.reduce((newest, key) => (key.version > newest.version ? key : newest), first);
}

/**
 * Writes a new key to a temporary name and links it to its final name. The link succeeds for one process only, and
 * every process reads the final name. So a crash leaves no partial key, and two first starts share one.
 */
async function makeOnce(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = await writeDraft(path, `1:${randomBytes(32).toString('base64')}\n`);
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

/** At any moment the file holds the whole old text or the whole new one. */
async function replaceFile(dataDir: string, text: string): Promise<void> {
  const path = join(dataDir, fileName);
  await rename(await writeDraft(path, text), path);
  await syncDirectory(dataDir);
}

/** Writes beside the final name and brings it to the disk; gives the name. */
async function writeDraft(path: string, text: string): Promise<string> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = await open(draft, 'wx', ownerOnly);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
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
