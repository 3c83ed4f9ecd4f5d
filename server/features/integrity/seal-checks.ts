import { openFile } from '#server/platform/crypto/file-seal.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError, type SealContext, type Vault, type Vaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { FileMissingError, type FileStore, FileStoreUnreachableError } from '#server/platform/files/file-store.ts';
import { fileContent, filePlaces, type SealedPlace, sealedPlaces } from './integrity.places.ts';
import { isReferredTo, listFilesOf, listSealedRows, nextOwner, stillHolds } from './integrity.repository.ts';
import type { Integrity } from './integrity.service.ts';
import type { Pace } from './reading-pace.ts';

export type CheckFigures = { values: number; files: number; broken: number };

export type SealChecksDependencies = {
  db: Database;
  vaults: Pick<Vaults, 'open'>;
  /** Only `unseal` is used; both report what they find broken. */
  serviceKeys: Pick<ServiceKeys, 'unseal'>;
  store: Pick<FileStore, 'read' | 'kind'>;
  integrity: Pick<Integrity, 'report'>;
};

const rowsPerPage = 200;
/** Lies before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000';

/** Opens what is sealed, row by row and file by file, and forgets it again: only the seals matter. */
export function createSealChecks({ db, vaults, serviceKeys, store, integrity }: SealChecksDependencies) {
  async function checkOwner(userId: string, vault: Vault, pace: Pace): Promise<CheckFigures> {
    const figures = nothing();
    for (const place of sealedPlaces.filter(({ key }) => key === 'vault')) {
      add(figures, await checkRows(place, userId, (at, value) => vault.unseal(at, value.toString())));
    }
    for (const place of filePlaces) {
      for (const file of await listFilesOf(db, place, userId)) {
        figures.files += 1;
        if (!(await isFileWhole(vault, place, file, pace))) figures.broken += 1;
      }
    }
    return figures;
  }

  async function checkRows(
    place: SealedPlace,
    userId: string | null,
    open: (context: SealContext, value: string | Buffer) => unknown,
  ): Promise<CheckFigures> {
    const figures = nothing();
    let afterId = firstId;
    for (;;) {
      const rows = await listSealedRows(db, place, { userId, afterId, limit: rowsPerPage });
      for (const row of rows) {
        for (const column of place.columns) {
          const value = row[column];
          if (!value) continue;
          figures.values += 1;
          if (!(await opens(place, { column, rowId: row.id, value }, open))) figures.broken += 1;
        }
      }
      const last = rows.at(-1);
      if (!last || rows.length < rowsPerPage) return figures;
      afterId = last.id;
    }
  }

  async function opens(
    place: SealedPlace,
    found: { column: string; rowId: string; value: string | Buffer },
    open: (context: SealContext, value: string | Buffer) => unknown,
  ): Promise<boolean> {
    try {
      open({ table: place.table, column: found.column, rowId: found.rowId }, found.value);
      return true;
    } catch (error) {
      if (!(error instanceof SealBrokenError)) throw error;
      return !(await stillHolds(db, place, found));
    }
  }

  async function isFileWhole(vault: Vault, place: FilePlace, file: LyingFile, pace: Pace): Promise<boolean> {
    const { path, sizeBytes } = file;
    try {
      const content = await openFile({ vault, fileId: path, sizeBytes, read: (range) => store.read(path, range) });
      for await (const chunk of content) await pace.spend((chunk as Buffer).length);
      return true;
    } catch (error) {
      if (error instanceof SealBrokenError) return false;
      // A store that is away, or a check that is told to stop, says nothing of this file. Whatever else keeps it from being
      // read does, and must not keep the check from everything behind it.
      if (isAway(error) || pace.stop?.aborted) throw error;
      const isMissed = await isReferredTo(db, place, path);
      if (isMissed) integrity.report(fileContent(path));
      return !isMissed;
    }
  }

  /** Over the network, what breaks off in the middle of a file is the way to the store. */
  function isAway(error: unknown): boolean {
    return error instanceof FileStoreUnreachableError || (store.kind === 's3' && !(error instanceof FileMissingError));
  }

  /** What belongs to no vault: mail and texts that are still to go. */
  async function checkService(): Promise<CheckFigures> {
    const figures = nothing();
    for (const place of sealedPlaces.filter(({ key }) => key === 'service')) {
      const bytesOf = (value: string | Buffer) => (typeof value === 'string' ? Buffer.from(value, 'base64url') : value);
      add(figures, await checkRows(place, null, (at, value) => serviceKeys.unseal(at, bytesOf(value))));
    }
    return figures;
  }

  /** Checks the next owner after one of them; null where there is none. */
  async function checkNext(afterUserId: string, pace: Pace): Promise<{ userId: string; figures: CheckFigures } | null> {
    const owner = await nextOwner(db, afterUserId);
    if (!owner) return null;
    const { userId, keyVersion, wrappedKey } = owner;
    const vault = openOrReport(userId, keyVersion, wrappedKey);
    return { userId, figures: vault ? await checkOwner(userId, vault, pace) : { values: 1, files: 0, broken: 1 } };
  }

  function openOrReport(userId: string, keyVersion: number | null, wrappedKey: Buffer | null): Vault | null {
    if (keyVersion === null || wrappedKey === null) {
      integrity.report({ table: 'vault_keys', column: 'wrapped_key', rowId: userId });
      return null;
    }
    try {
      return vaults.open(userId, { keyVersion, wrappedKey });
    } catch (error) {
      if (error instanceof SealBrokenError) return null;
      throw error;
    }
  }

  return { checkService, checkNext };
}

type FilePlace = (typeof filePlaces)[number];
type LyingFile = { path: string; sizeBytes: number };

/** What a check has found before it begins. */
export function nothing(): CheckFigures {
  return { values: 0, files: 0, broken: 0 };
}

/** Adds what a part has found to the whole. */
export function add(to: CheckFigures, more: CheckFigures): void {
  to.values += more.values;
  to.files += more.files;
  to.broken += more.broken;
}
