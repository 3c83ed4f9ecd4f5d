import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { FileMissingError, type FileStore, FileStoreFullError, requireKey } from './file-store.ts';
import { isDiskFull } from './full-disk.ts';

const folderMode = 0o700;
const fileMode = 0o600;
/** Files that are still being written; the others lie in folders of 256. */
const unfinishedFolder = 'unfinished';
/** Bytes per read. Node's default of 64 kB costs more for the change of thread than for the read. */
const readBytes = 262_144;

/**
 * Files below `DATA_DIR/files`. A file is written under another name, brought to the disk and then renamed: a crash at
 * any moment leaves the whole file or none.
 */
export function createDiskStore({ dataDir }: { dataDir: string }): FileStore {
  const root = join(dataDir, 'files');
  const unfinished = join(root, unfinishedFolder);
  const folderOf = (key: string) => join(root, key.slice(0, 2));
  const pathOf = (key: string) => join(folderOf(key), key);

  async function write(key: string, stream: Readable): Promise<void> {
    await mkdir(unfinished, { recursive: true, mode: folderMode });
    await mkdir(folderOf(key), { recursive: true, mode: folderMode });
    const temporary = join(unfinished, key);
    const handle = await open(temporary, 'w', fileMode);
    try {
      await handle.writeFile(stream);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, pathOf(key));
    await syncFolder(folderOf(key));
  }

  async function remove(key: string): Promise<void> {
    await rm(join(unfinished, key), { force: true });
    await rm(pathOf(key), { force: true });
  }

  return {
    kind: 'disk',

    async put(key, stream) {
      requireKey(key);
      try {
        await write(key, stream);
      } catch (error) {
        stream.destroy();
        await remove(key);
        throw isDiskFull(error) ? new FileStoreFullError() : error;
      }
    },

    async read(key, { start = 0, end } = { start: 0 }) {
      requireKey(key);
      const handle = await openToRead(pathOf(key));
      return handle.createReadStream({ start, highWaterMark: readBytes, ...(end === undefined ? {} : { end }) });
    },

    async sizeOf(key) {
      requireKey(key);
      const handle = await openToRead(pathOf(key));
      try {
        return (await handle.stat()).size;
      } finally {
        await handle.close();
      }
    },

    async remove(key) {
      requireKey(key);
      await remove(key);
    },

    async removeUnfinished(begunBefore) {
      let removed = 0;
      for (const name of await namesIn(unfinished)) {
        const path = join(unfinished, name);
        // A file in use has changed just now. If it was completed meanwhile, it is gone.
        if (!(await isOlder(path, begunBefore))) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },

    async *list(storedBefore) {
      for (const folder of await namesIn(root)) {
        if (folder === unfinishedFolder) continue;
        for (const name of await namesIn(join(root, folder))) {
          if (!storedBefore || (await isOlder(join(root, folder, name), storedBefore))) yield name;
        }
      }
    },

    async check() {
      try {
        await access(root, usable);
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        // Nothing was ever stored here; what the folder will be made in has to be there.
        await access(dataDir, usable);
      }
    },

    close: async () => {},
  };
}

const usable = constants.R_OK | constants.W_OK | constants.X_OK;

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new FileMissingError();
    throw error;
  }
}

async function isOlder(path: string, than: Date): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < than.getTime();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // Nothing was ever stored here.
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Brings the new name to the disk. Windows keeps names safe by itself and cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
