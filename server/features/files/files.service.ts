import { randomUUID } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { openFile, sealFile } from '#server/platform/crypto/file-seal.ts';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { checkContent } from '#server/platform/files/content-check.ts';
import type { FileStore } from '#server/platform/files/file-store.ts';
import type { IncomingFile, OutgoingFile, Upload } from '#server/platform/files/incoming.ts';
import type { Scanner } from '#server/platform/scanner/scanner.ts';
import type { AppError } from '#shared/contract/errors.ts';
import {
  countStoredBytes,
  deleteFileObject,
  insertFileObject,
  isStillReferredTo,
  listUnusedFiles,
} from './files.repository.ts';
import { acceptName, type FileUse, limitOf, type Room, requireFeature, requireRoomFor } from './files.rules.ts';

/** A file that lies sealed in the store. */
export type StoredFile = { path: string; name: string; sizeBytes: number; mimeType: string };

export type Intake = {
  principal: Pick<Principal, 'userId' | 'plan' | 'vaultKey'>;
  use: FileUse;
  /** Bytes of the file that this one takes the place of. */
  replacedBytes?: number;
};

export type Files = {
  /**
   * Streams the file of a form into the store, sealed, then hands it to `save`, which has to make something refer to
   * it. Where anything fails, nothing of the file is left.
   * @throws AppError `FEATURE_NOT_IN_PLAN`, `STORAGE_LIMIT_EXCEEDED`, `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`,
   * `VALIDATION` or `UNAVAILABLE`.
   */
  take<Fields, Result>(
    intake: Intake,
    upload: Upload<Fields>,
    save: (fields: Fields, file: StoredFile) => Promise<Result>,
  ): Promise<Result>;
  /** Refuses a file that does not fit. Exact under the owner's lock. @throws AppError `STORAGE_LIMIT_EXCEEDED`. */
  requireRoom(
    tx: Executor,
    owner: { userId: string; plan: Principal['plan'] },
    change: { addedBytes: number; replacedBytes?: number },
  ): Promise<void>;
  /** A stored file as it can be given out. Nothing is read before its `open` is called. */
  giveOut(vault: Vault, file: StoredFile): OutgoingFile;
  /** Removes a file that nothing refers to any more. A failure is for the log: the next round removes it. */
  release(path: string | null): Promise<void>;
  /** Removes files that were left over, a batch at a time. Gives how many. */
  sweep(): Promise<number>;
};

export type FilesDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  store: FileStore;
  scanner: Scanner;
  log: { warn(details: object, message: string): void };
};

/** An upload that began this long ago is over, one way or the other. */
const leftOverAfterMs = 6 * 3_600_000;
const sweepBatch = 100;
/** What a form may hold beside its file. */
const formBytesMax = 2_000_000;

/** Documents and attachments lie here: sealed with a key each, counted against the plan, and never in the clear. */
export function createFiles({ db, clock, vaults, store, scanner, log }: FilesDependencies): Files {
  /** The row first: a crash at any later moment leaves something that `sweep` finds. */
  async function receive(
    { principal }: Intake,
    { file, room, announcedBytes }: { file: IncomingFile; room: Room; announcedBytes: number | null },
  ): Promise<StoredFile> {
    const kind = acceptName(room.plan, file.name);
    const { bytesMax, refusal } = limitOf(room, kind);
    if (announcedBytes !== null && announcedBytes > bytesMax + formBytesMax) throw refusal();

    const path = randomUUID();
    await insertFileObject(db, path, await clock.now());
    const counted = countingStream(bytesMax, refusal);
    try {
      await pipeline(
        file.content,
        counted.stream,
        checkContent(kind.extension),
        scanner.scan(),
        sealFile(vaults.open(principal.userId, principal.vaultKey), path),
        (sealed) => store.put(path, Readable.from(sealed, { objectMode: false })),
      );
    } catch (error) {
      await release(path);
      throw error;
    }
    return { path, name: file.name, sizeBytes: counted.bytes(), mimeType: kind.mimeType };
  }

  /**
   * Row and file together: whoever wanted to refer to the file waits for this transaction and then finds no row, and
   * where somebody does already, the row stays and so does the file. A crash in between leaves the row.
   */
  async function remove(path: string): Promise<boolean> {
    try {
      return await db.transaction(async (tx) => {
        if (!(await deleteFileObject(tx, path))) return false;
        await store.remove(path);
        return true;
      });
    } catch (error) {
      if (isStillReferredTo(error)) return false;
      throw error;
    }
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
      const { userId, plan } = intake.principal;
      requireFeature(plan, intake.use);
      const usedBytes = (await countStoredBytes(db, userId)) - (intake.replacedBytes ?? 0);
      const room = { plan, usedBytes };
      requireRoomFor(room, 1);

      const kept: StoredFile[] = [];
      try {
        const { announcedBytes } = upload;
        const fields = await upload.read(async (file) => {
          kept.push(await receive(intake, { file, room, announcedBytes }));
        });
        const [file] = kept;
        if (!file) throw new Error('A form without a file was read to its end.');
        return await save(fields, file);
      } catch (error) {
        for (const { path } of kept) await release(path);
        throw error;
      }
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
  };
}

/** Lets bytes pass and counts them; fails at the first one too many. */
function countingStream(bytesMax: number, refusal: () => AppError) {
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(refusal());
      else done(null, chunk);
    },
  });
  return { stream, bytes: () => bytes };
}
