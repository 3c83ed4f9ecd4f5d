import type { App } from '#server/app.ts';
import { openFile } from '#server/platform/crypto/file-seal.ts';
import { SealBrokenError, type SealContext, type Vault } from '#server/platform/crypto/vault.ts';
import { FileMissingError, FileStoreUnreachableError } from '#server/platform/files/file-store.ts';
import { isReferredTo, listFilesOf, listSealedRows, nextOwner, stillHolds } from './integrity.repository.ts';
import { reportBroken } from './integrity.ts';
import type { Pace } from './reading-pace.ts';
import { type FileTable, fileContent, fileTables, type SealedTable, sealedTables } from './sealed-tables.ts';

export type CheckFigures = { values: number; files: number; broken: number };

/** Opens a value. It throws `SealBrokenError` and reports the place if the seal is broken. */
type OpenSeal = (context: SealContext, value: string | Buffer) => unknown;

const rowsPerPage = 200;
/** Sorts before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000';

/** Opens the values that belong to no vault, such as mails and texts that are still to be sent. */
export async function checkService(app: App): Promise<CheckFigures> {
  const figures = nothing();
  for (const sealed of sealedTables.filter(({ key }) => key === 'service')) {
    const bytesOf = (value: string | Buffer) => (typeof value === 'string' ? Buffer.from(value, 'base64url') : value);
    const open: OpenSeal = (at, value) => app.serviceKeys.unseal(at, bytesOf(value));
    add(figures, await checkRows(app, sealed, { userId: null, open }));
  }
  return figures;
}

/** Opens all values and files of the owner after `afterUserId`. Null if there is no other owner. */
export async function checkNext(
  app: App,
  afterUserId: string,
  pace: Pace,
): Promise<{ userId: string; figures: CheckFigures } | null> {
  const owner = await nextOwner(app.db, afterUserId);
  if (!owner) return null;
  const { userId } = owner;
  const vault = openOrReport(app, owner);
  return {
    userId,
    figures: vault ? await checkOwner(app, { userId, vault, pace }) : { values: 1, files: 0, broken: 1 },
  };
}

async function checkOwner(
  app: App,
  { userId, vault, pace }: { userId: string; vault: Vault; pace: Pace },
): Promise<CheckFigures> {
  const figures = nothing();
  const open: OpenSeal = (at, value) => vault.unseal(at, value.toString());
  for (const sealed of sealedTables.filter(({ key }) => key === 'vault')) {
    add(figures, await checkRows(app, sealed, { userId, open }));
  }
  for (const fileTable of fileTables) {
    for (const file of await listFilesOf(app.db, fileTable, userId)) {
      figures.files += 1;
      if (!(await isFileWhole(app, { vault, fileTable, file, pace }))) figures.broken += 1;
    }
  }
  return figures;
}

async function checkRows(
  app: App,
  sealed: SealedTable,
  { userId, open }: { userId: string | null; open: OpenSeal },
): Promise<CheckFigures> {
  const figures = nothing();
  let afterId = firstId;
  for (;;) {
    const rows = await listSealedRows(app.db, sealed, { userId, afterId, limit: rowsPerPage });
    for (const row of rows) {
      for (const column of sealed.columns) {
        const value = row[column];
        if (!value) continue;
        figures.values += 1;
        if (!(await opens(app, sealed, { column, rowId: row.id, value, open }))) figures.broken += 1;
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerPage) return figures;
    afterId = last.id;
  }
}

async function opens(
  { db }: App,
  sealed: SealedTable,
  { open, ...found }: { column: string; rowId: string; value: string | Buffer; open: OpenSeal },
): Promise<boolean> {
  try {
    open({ table: sealed.table, column: found.column, rowId: found.rowId }, found.value);
    return true;
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    return !(await stillHolds(db, sealed, found));
  }
}

type StoredFile = {
  vault: Vault;
  fileTable: FileTable;
  file: { path: string; sizeBytes: number };
  pace: Pace;
};

async function isFileWhole(app: App, { vault, fileTable, file, pace }: StoredFile): Promise<boolean> {
  const { path, sizeBytes } = file;
  try {
    const content = await openFile({ vault, fileId: path, sizeBytes, read: (range) => app.store.read(path, range) });
    for await (const chunk of content) await pace.spend((chunk as Buffer).length);
    return true;
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    // An unreachable store, or a check that has to stop, says nothing about this file. Any other failure counts as damage of
    // the file, and the check continues.
    if (isUnreachable(app, error) || pace.stop?.aborted) throw error;
    const isMissed = await isReferredTo(app.db, fileTable, path);
    if (isMissed) reportBroken(app, fileContent(path));
    return !isMissed;
  }
}

/** True if the store can't be reached. A store across the network fails in the middle of a file, too. */
function isUnreachable({ store }: App, error: unknown): boolean {
  return error instanceof FileStoreUnreachableError || (store.kind === 's3' && !(error instanceof FileMissingError));
}

function openOrReport(app: App, owner: NonNullable<Awaited<ReturnType<typeof nextOwner>>>): Vault | null {
  const { userId, keyVersion, wrappedKey } = owner;
  if (keyVersion === null || wrappedKey === null) {
    reportBroken(app, { table: 'vault_keys', column: 'wrapped_key', rowId: userId });
    return null;
  }
  try {
    return app.vaults.open(userId, { keyVersion, wrappedKey });
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

function nothing(): CheckFigures {
  return { values: 0, files: 0, broken: 0 };
}

/** Adds the figures of a part to the total. */
export function add(to: CheckFigures, more: CheckFigures): void {
  to.values += more.values;
  to.files += more.files;
  to.broken += more.broken;
}
