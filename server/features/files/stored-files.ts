import { randomUUID } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';
import type { App } from '#server/app.ts';
import { sealFile } from '#server/platform/crypto/file-seal.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { mayRemoveFiles } from '#server/platform/db/advisory-locks.ts';
import { deleteFileObject, insertFileObject, isStillReferredTo } from './files.repository.ts';

/** Sends the content of a file through `seal` and `put`. */
type Flow = (seal: Transform, put: (sealed: AsyncIterable<Buffer>) => Promise<void>) => Promise<void>;

/**
 * Stores a sealed file and returns its path. If the flow fails, nothing of the file stays. The row comes first: after a crash,
 * `removeUnusedFiles` finds it.
 */
export async function storeSealed(app: App, vault: Vault, flow: Flow): Promise<string> {
  const path = randomUUID();
  await insertFileObject(app.db, path, await app.clock.now());
  try {
    await flow(sealFile(vault, path), (sealed) => app.store.put(path, Readable.from(sealed, { objectMode: false })));
  } catch (error) {
    await removeFreed(app, [path]);
    throw error;
  }
  return path;
}

/** Removes files without references. A failure is logged, and `removeUnusedFiles` removes the file later. */
export async function removeFreed(app: App, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await removeIfUnused(app, path);
    } catch (err) {
      app.log.warn({ err, path }, 'a file that is of no more use could not be removed yet');
    }
  }
}

/**
 * Removes row and file together. A parallel reference to the file waits for this transaction and then finds no row.
 * If a reference exists already, row and file stay. A crash in between leaves the row.
 */
export async function removeIfUnused({ db, store }: App, path: string): Promise<boolean> {
  try {
    return await db.transaction(async (tx) => {
      // A running backup has read the rows, and reads the file later.
      if (!(await mayRemoveFiles(tx))) return false;
      if (!(await deleteFileObject(tx, path))) return false;
      await store.remove(path);
      return true;
    });
  } catch (error) {
    if (isStillReferredTo(error)) return false;
    throw error;
  }
}
