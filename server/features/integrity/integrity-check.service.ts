import type { Audit } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { openFile } from '#server/platform/crypto/file-seal.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError, type SealContext, type Vault, type Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { FileMissingError, type FileStore, FileStoreUnreachableError } from '#server/platform/files/file-store.ts';
import { fileContent, filePlaces, type SealedPlace, sealedPlaces } from './integrity.places.ts';
import {
  claimRound,
  forgetMended,
  isReferredTo,
  listFilesOf,
  listSealedRows,
  nextOwner,
  type Round,
  readRound,
  saveRound,
  stillHolds,
} from './integrity.repository.ts';
import type { Integrity } from './integrity.service.ts';
import { type Pace, paceOf, sliceMsOf } from './reading-pace.ts';

export type CheckFigures = { values: number; files: number; broken: number };

export type IntegrityCheck = {
  /**
   * Goes on with the weekly check for about `sliceMs`, at a bounded rate. Gives whether more is left. Nothing happens
   * where no check is due, or another worker is at it. Told to stop, it ends soon and goes on from there another time.
   */
  checkSome(stop?: AbortSignal): Promise<boolean>;
  /**
   * Checks everything now, as fast as it goes, without regard to what the weekly check has done, and forgets what it
   * finds mended.
   */
  checkAll(): Promise<CheckFigures>;
  /** When the last whole check ended; null before the first. */
  lastFinishedAt(): Promise<Date | null>;
};

export type IntegrityCheckDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  /** Only `unseal` is used; both report what they find broken. */
  serviceKeys: Pick<ServiceKeys, 'unseal'>;
  store: Pick<FileStore, 'read' | 'kind'>;
  integrity: Pick<Integrity, 'report' | 'lookAnew' | 'settled'>;
  audit: Pick<Audit, 'record'>;
  /** How long one slice works, and how fast it reads files. */
  pace?: { sliceMs: number; bytesPerSecond: number };
};

const roundEveryMs = 7 * 86_400_000;
const leaseMs = 60 * 60_000;
const regularPace = { bytesPerSecond: 8 * 1_048_576 };
const rowsPerPage = 200;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Opens everything that is sealed, row by row and file by file, and forgets it again: only the seals matter. */
export function createIntegrityCheck(deps: IntegrityCheckDependencies): IntegrityCheck {
  const { db, clock, vaults, serviceKeys, store, integrity, audit } = deps;
  const { sliceMs, bytesPerSecond }: { sliceMs?: number; bytesPerSecond: number } = deps.pace ?? regularPace;

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

  async function goOn(round: Round, stop: AbortSignal | undefined): Promise<Round> {
    const untilMs =
      performance.now() + (sliceMs ?? sliceMsOf({ ...round, now: await clock.now(), roundMs: roundEveryMs }));
    const pace = paceOf(bytesPerSecond, stop);
    const next: Round = { ...round, leaseUntil: null };
    try {
      while (performance.now() < untilMs) {
        const found = await checkNext(next.afterUserId ?? firstId, pace);
        add(next, found?.figures ?? (await checkService()));
        if (found) next.afterUserId = found.userId;
        else return { ...next, finishedAt: await clock.now() };
      }
    } catch (error) {
      if (!stop?.aborted) {
        // What was done is done; with its lease it is nobody's turn for a while, in which the store may come back.
        await end({ ...next, leaseUntil: round.leaseUntil });
        throw error;
      }
    }
    return next;
  }

  async function end(round: Round): Promise<void> {
    await integrity.settled();
    await db.transaction(async (tx) => {
      await saveRound(tx, round);
      const { startedAt, finishedAt } = round;
      if (finishedAt) await conclude(tx, { startedAt, finishedAt, figures: round });
    });
  }

  type Whole = { startedAt: Date; finishedAt: Date; figures: CheckFigures };

  /** What a look at everything did not find broken any more is mended. */
  async function conclude(tx: Executor, { startedAt, finishedAt, figures }: Whole): Promise<void> {
    const mended = await forgetMended(tx, startedAt);
    const { values, files, broken } = figures;
    await audit.record(tx, {
      userId: null,
      action: 'integrity.checked',
      resource: 'installation',
      details: { values, files, broken, mended },
      at: finishedAt,
    });
  }

  return {
    async checkSome(stop) {
      const at = await clock.now();
      const leaseUntil = new Date(at.getTime() + leaseMs);
      const round = await claimRound(db, { at, leaseUntil, beginBefore: new Date(at.getTime() - roundEveryMs) });
      if (!round) return false;
      integrity.lookAnew();
      const after = await goOn(round, stop);
      await end(after);
      return after.finishedAt === null;
    },

    async checkAll() {
      const startedAt = await clock.now();
      integrity.lookAnew();
      const figures = await checkService();
      const pace = paceOf(Number.POSITIVE_INFINITY);
      for (let after = firstId; ; ) {
        const found = await checkNext(after, pace);
        if (!found) break;
        add(figures, found.figures);
        after = found.userId;
      }
      await integrity.settled();
      await db.transaction(async (tx) => conclude(tx, { startedAt, finishedAt: await clock.now(tx), figures }));
      return figures;
    },

    lastFinishedAt: async () => {
      const finishedAt = (await readRound(db))?.finishedAt;
      return finishedAt && finishedAt.getTime() > 0 ? finishedAt : null;
    },
  };
}

type FilePlace = (typeof filePlaces)[number];
type LyingFile = { path: string; sizeBytes: number };

function nothing(): CheckFigures {
  return { values: 0, files: 0, broken: 0 };
}

function add(to: CheckFigures, more: CheckFigures): void {
  to.values += more.values;
  to.files += more.files;
  to.broken += more.broken;
}
