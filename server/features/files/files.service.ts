import { randomUUID } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { openFile, sealFile } from '#server/platform/crypto/file-seal.ts';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import { mayRemoveFiles } from '#server/platform/db/advisory-locks.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { countingStream } from '#server/platform/files/counting-stream.ts';
import { type FileStore, isKey } from '#server/platform/files/file-store.ts';
import type { IncomingFile, OutgoingFile, Upload } from '#server/platform/files/incoming.ts';
import type { Scanner } from '#server/platform/scanner/scanner.ts';
import type { AppError } from '#shared/contract/errors.ts';
import {
  countStoredBytes,
  deleteFileObject,
  insertFileObject,
  isStillReferredTo,
  listUnusedFiles,
  withoutRow,
} from './files.repository.ts';
import { type FileUse, requireFeature, requireRoomFor } from './files.rules.ts';
import { type Received, type Renamed, receiveFile, type StoredFile, type TakenFile } from './receive-file.ts';

export type Intake = {
  principal: Pick<Principal, 'userId' | 'plan' | 'vaultKey'>;
  use: FileUse;
  /** Bytes of the file that this one takes the place of. */
  replacedBytes?: number;
  /** True keeps what a camera wrote into a JPEG of a letter. */
  asTaken?: boolean;
};

export type Files = {
  /**
   * Streams the file of a form into the store, sealed, then hands it to `save`, which has to make something refer to
   * it. Where anything fails, nothing of the file is left. Adds to the result the name that the file had, if its ending was corrected.
   * @throws AppError `FEATURE_NOT_IN_PLAN`, `STORAGE_LIMIT_EXCEEDED`, `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`,
   * `VALIDATION` or `UNAVAILABLE`.
   */
  take<Fields, Result extends object>(
    intake: Intake,
    upload: Upload<Fields>,
    save: (fields: Fields, file: TakenFile) => Promise<Result>,
  ): Promise<Result & Renamed>;
  /** Refuses a file that does not fit. Exact under the owner's lock. @throws AppError `STORAGE_LIMIT_EXCEEDED`. */
  requireRoom(
    tx: Executor,
    owner: { userId: string; plan: Principal['plan'] },
    change: { addedBytes: number; replacedBytes?: number },
  ): Promise<void>;
  /**
   * Takes a file that comes in no form, for an owner who has stored `usedBytes` by then. Something has to refer to it
   * soon; until then it can be `release`d. @throws AppError as `take`.
   */
  keep(owner: FileOwner, use: FileUse, file: IncomingFile): Promise<TakenFile>;
  /** Bytes of everything an owner has stored. */
  usedBytes(userId: string): Promise<number>;
  /**
   * Holds what somebody sends, sealed and whatever it is, so that it can be read in any order. Nothing ever refers to
   * it: `release` it afterwards. @throws AppError what `refusal` gives where there are more than `bytesMax`.
   */
  hold(
    vault: Vault,
    content: Readable,
    limit: { bytesMax: number; refusal: () => AppError },
  ): Promise<{ path: string; sizeBytes: number }>;
  /** A stored file as it can be given out. Nothing is read before its `open` is called. */
  giveOut(vault: Vault, file: StoredFile): OutgoingFile;
  /** Removes a file that nothing refers to any more. A failure is for the log: the next round removes it. */
  release(path: string | null): Promise<void>;
  /** Removes files that were left over, a batch at a time. Gives how many. */
  sweep(): Promise<number>;
  /** Removes what uploads have left in the store that were cut off a day ago or more. Gives how many. */
  removeUnfinished(): Promise<number>;
  /**
   * Removes files that have lain in the store for a day or more and that no row names: a store that took a file after
   * it had been given up. Many of them mean that this is the store of somebody else, or the database is; then all are
   * left, and the log says so. Gives how many were removed.
   */
  removeNameless(): Promise<number>;
};

export type FileOwner = { plan: Principal['plan']; usedBytes: number; vault: Vault };

export type FilesDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  store: FileStore;
  scanner: Scanner;
  log: { warn(details: object, message: string): void };
  /** Real time, which the store counts in; no test clock moves it. */
  nowMs?: () => number;
};

/** An upload that began this long ago is over, one way or the other. */
const leftOverAfterMs = 6 * 3_600_000;
/** No upload takes so long, and no clock of a store is so wrong. */
const unfinishedAfterMs = 24 * 3_600_000;
const sweepBatch = 100;
const namelessBatch = 1_000;
/** More files without a row than this, and than one in a hundred, are no leftovers. */
const namelessMax = 10;

/** Documents and attachments lie here: sealed with a key each, counted against the plan, and never in the clear. */
export function createFiles(deps: FilesDependencies): Files {
  const { db, clock, vaults, store, scanner, log, nowMs = Date.now } = deps;

  /** The row first: a crash at any later moment leaves something that `sweep` finds. */
  async function storeSealed(
    vault: Vault,
    flow: (seal: Transform, put: (sealed: AsyncIterable<Buffer>) => Promise<void>) => Promise<void>,
  ): Promise<string> {
    const path = randomUUID();
    await insertFileObject(db, path, await clock.now());
    try {
      await flow(sealFile(vault, path), (sealed) => store.put(path, Readable.from(sealed, { objectMode: false })));
    } catch (error) {
      await release(path);
      throw error;
    }
    return path;
  }

  const receive = (vault: Vault, received: Received): Promise<TakenFile> =>
    receiveFile({ db, scanner, release, storeSealed: (flow) => storeSealed(vault, flow) }, received);

  /**
   * Row and file together: whoever wanted to refer to the file waits for this transaction and then finds no row, and
   * where somebody does already, the row stays and so does the file. A crash in between leaves the row.
   */
  async function remove(path: string): Promise<boolean> {
    try {
      return await db.transaction(async (tx) => {
        // A backup that runs has read the rows, and is still to come for the file. The next round removes it.
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

  function removeFromStore(path: string): Promise<boolean> {
    return db.transaction(async (tx) => {
      if (!(await mayRemoveFiles(tx))) return false;
      await store.remove(path);
      return true;
    });
  }

  async function release(path: string | null): Promise<void> {
    if (path === null) return;
    try {
      await remove(path);
    } catch (err) {
      log.warn({ err, path }, 'a file that is of no more use could not be removed yet');
    }
  }

  return {
    async take(intake, upload, save) {
      const { userId, plan, vaultKey } = intake.principal;
      requireFeature(plan, intake.use);
      const vault = vaults.open(userId, vaultKey);
      const room = { plan, usedBytes: (await countStoredBytes(db, userId)) - (intake.replacedBytes ?? 0) };
      requireRoomFor(room, 1);

      const kept: TakenFile[] = [];
      try {
        const fields = await upload.read(async (file) => {
          kept.push(await receive(vault, { ...intake, file, room, announcedBytes: upload.announcedBytes }));
        });
        const [file] = kept;
        if (!file) throw new Error('A form without a file was read to its end.');
        const { name, givenName } = file;
        return { ...(await save(fields, file)), ...(name === givenName ? {} : { renamedFrom: givenName }) };
      } catch (error) {
        for (const { path } of kept) await release(path);
        throw error;
      }
    },

    async keep({ plan, usedBytes, vault }, use, file) {
      requireFeature(plan, use);
      return receive(vault, { file, use, room: { plan, usedBytes }, announcedBytes: null });
    },

    usedBytes: (userId) => countStoredBytes(db, userId),

    async hold(vault, content, { bytesMax, refusal }) {
      const counted = countingStream(bytesMax, refusal);
      const path = await storeSealed(vault, (seal, put) => pipeline(content, counted.stream, seal, put));
      return { path, sizeBytes: counted.bytes() };
    },

    async requireRoom(tx, { userId, plan }, { addedBytes, replacedBytes = 0 }) {
      const usedBytes = (await countStoredBytes(tx, userId)) - replacedBytes;
      requireRoomFor({ plan, usedBytes }, addedBytes);
    },

    giveOut: (vault, { path, name, sizeBytes, mimeType }) => ({
      name,
      sizeBytes,
      mimeType,
      open: (range) => openFile({ vault, fileId: path, sizeBytes, range, read: (stored) => store.read(path, stored) }),
    }),

    release,

    async sweep() {
      const createdBefore = new Date((await clock.now()).getTime() - leftOverAfterMs);
      const paths = await listUnusedFiles(db, { createdBefore, limit: sweepBatch });
      let removed = 0;
      for (const path of paths) if (await remove(path)) removed += 1;
      return removed;
    },

    async removeNameless() {
      const { nameless, files: all } = await findNameless(db, store, new Date(nowMs() - unfinishedAfterMs));
      if (nameless.length > Math.max(namelessMax, all / 100)) {
        const found = { nameless: nameless.length, files: all };
        log.warn(found, 'the store holds files of which the database knows nothing; none of them was removed');
        return 0;
      }
      let removed = 0;
      for (const path of nameless) if (await removeFromStore(path)) removed += 1;
      return removed;
    },

    removeUnfinished: () => store.removeUnfinished(new Date(nowMs() - unfinishedAfterMs)),
  };
}

/** The row of a file comes before the file: one that lies there for a day and has none will never have one. */
async function findNameless(
  db: Database,
  store: FileStore,
  before: Date,
): Promise<{ nameless: string[]; files: number }> {
  const nameless: string[] = [];
  let all = 0;
  let batch: string[] = [];
  const look = async () => {
    all += batch.length;
    nameless.push(...(await withoutRow(db, batch)));
    batch = [];
  };
  for await (const path of store.list(before)) {
    // Whatever else somebody keeps beside our files is theirs.
    if (isKey(path)) batch.push(path);
    if (batch.length === namelessBatch) await look();
  }
  await look();
  return { nameless, files: all };
}
