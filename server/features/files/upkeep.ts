import type { App } from '#server/app.ts';
import { mayRemoveFiles } from '#server/platform/db/advisory-locks.ts';
import { isKey } from '#server/platform/files/file-store.ts';
import { listUnusedFiles, withoutRow } from './files.repository.ts';
import { removeIfUnused } from './stored-files.ts';

/** Age at which an upload has certainly ended. */
const leftOverAfterMs = 6 * 3_600_000;
/** Longer than any upload, or any error of a store's clock. */
const unfinishedAfterMs = 24 * 3_600_000;
const unusedPerRound = 100;
const namelessPerRead = 1_000;
/** More files without a row than this, and than one in a hundred, are no leftovers. */
const namelessMax = 10;

/** Removes a batch of left-over files. Returns their number. */
export async function removeUnusedFiles(app: App): Promise<number> {
  const createdBefore = new Date((await app.clock.now()).getTime() - leftOverAfterMs);
  const paths = await listUnusedFiles(app.db, { createdBefore, limit: unusedPerRound });
  let removed = 0;
  for (const path of paths) if (await removeIfUnused(app, path)) removed += 1;
  return removed;
}

/** Removes parts of uploads that were cut off a day ago or more. Returns their number. */
export function removeUnfinishedUploads(app: App): Promise<number> {
  return app.store.removeUnfinished(aDayAgo(app));
}

/**
 * Removes files without a row that are at least a day old, such as uploads that the store completed after a time-out.
 * If there are many, the store or the database belongs to another installation. Then all files stay, and the log
 * reports it. Returns the number of removed files.
 */
export async function removeNamelessFiles(app: App): Promise<number> {
  const { nameless, files } = await findNameless(app);
  if (nameless.length > Math.max(namelessMax, files / 100)) {
    const found = { nameless: nameless.length, files };
    app.log.warn(found, 'the store holds files of which the database knows nothing; none of them was removed');
    return 0;
  }
  let removed = 0;
  for (const path of nameless) if (await removeFromStore(app, path)) removed += 1;
  return removed;
}

function removeFromStore({ db, store }: App, path: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await mayRemoveFiles(tx))) return false;
    await store.remove(path);
    return true;
  });
}

/** Finds files without a row, and counts all. A row comes before its file, so a file that is a day old will never have one. */
async function findNameless(app: App): Promise<{ nameless: string[]; files: number }> {
  const nameless: string[] = [];
  let files = 0;
  let batch: string[] = [];
  const compare = async () => {
    files += batch.length;
    nameless.push(...(await withoutRow(app.db, batch)));
    batch = [];
  };
  for await (const path of app.store.list(aDayAgo(app))) {
    // Other files in the same store are not ours.
    if (isKey(path)) batch.push(path);
    if (batch.length === namelessPerRead) await compare();
  }
  await compare();
  return { nameless, files };
}

/** In real time, which the store counts in. */
function aDayAgo({ realNowMs }: App): Date {
  return new Date(realNowMs() - unfinishedAfterMs);
}
