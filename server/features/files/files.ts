import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { eq } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { storedBytes } from '#server/features/plan-limits/usage.queries.ts';
import { openFile } from '#server/platform/crypto/file-seal.ts';
import type { Vault, WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { countingStream } from '#server/platform/files/counting-stream.ts';
import type { IncomingFile, OutgoingFile, Upload } from '#server/platform/files/incoming.ts';
import { users } from '#server/schema/accounts.tables.ts';
import type { AppError } from '#shared/contract/errors.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { type FileUse, requireFeature, requireRoomFor } from './files.rules.ts';
import { type Renamed, receiveFile, type StoredFile, type TakenFile } from './receive-file.ts';
import { removeFreed, storeSealed } from './stored-files.ts';

type Intake = {
  principal: { userId: string; plan: PlanName; vaultKey: WrappedKey };
  use: FileUse;
  /** Bytes of the file that this one replaces. */
  replacedBytes?: number;
  /** True keeps the camera's data in a picture of a letter. */
  asTaken?: boolean;
};

/**
 * Streams the file of a form into the store, sealed, then hands it to `save`, which stores a reference to it. If anything
 * fails, nothing of the file stays. Adds to the result the name that the file had, if its ending was corrected.
 * @throws AppError `FEATURE_NOT_IN_PLAN`, `STORAGE_LIMIT_EXCEEDED`, `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`,
 * `VALIDATION` or `UNAVAILABLE`.
 */
export async function takeUpload<Fields, Result extends object>(
  app: App,
  { principal, use, replacedBytes = 0, asTaken = false }: Intake,
  upload: Upload<Fields>,
  save: (fields: Fields, file: TakenFile) => Promise<Result>,
): Promise<Result & Renamed> {
  const { userId, plan, vaultKey } = principal;
  requireFeature(plan, use);
  const vault = app.vaults.open(userId, vaultKey);
  const room = { plan, usedBytes: (await countStoredBytes(app.db, userId)) - replacedBytes };
  requireRoomFor(room, 1);

  const taken: TakenFile[] = [];
  try {
    const fields = await upload.read(async (file) => {
      const { announcedBytes } = upload;
      taken.push(await receiveFile(app, vault, { use, asTaken, file, room, announcedBytes }));
    });
    const [file] = taken;
    if (!file) throw new Error('A form without a file was read to its end.');
    const { name, givenName } = file;
    return { ...(await save(fields, file)), ...(name === givenName ? {} : { renamedFrom: givenName }) };
  } catch (error) {
    await removeFreed(
      app,
      taken.map(({ path }) => path),
    );
    throw error;
  }
}

/**
 * Stores a file that is in no form, for an owner who has stored `usedBytes` so far. The caller stores a reference to it, or
 * removes it with `removeFreed`. @throws AppError as `takeUpload`.
 */
export async function storeFile(
  app: App,
  { plan, usedBytes, vault }: { plan: PlanName; usedBytes: number; vault: Vault },
  use: FileUse,
  file: IncomingFile,
): Promise<TakenFile> {
  requireFeature(plan, use);
  return receiveFile(app, vault, { file, use, room: { plan, usedBytes }, announcedBytes: null });
}

/**
 * Buffers an upload, sealed, so that it can be read in any order. No row refers to it: the caller removes it with `removeFreed`.
 * @throws AppError from `refusal` if there are more than `bytesMax`.
 */
export async function bufferUpload(
  app: App,
  vault: Vault,
  content: Readable,
  { bytesMax, refusal }: { bytesMax: number; refusal: () => AppError },
): Promise<{ path: string; sizeBytes: number }> {
  const counted = countingStream(bytesMax, refusal);
  const path = await storeSealed(app, vault, (seal, put) => pipeline(content, counted.stream, seal, put));
  return { path, sizeBytes: counted.bytes() };
}

/** Refuses bytes that do not fit. Exact under the owner's lock. @throws AppError `STORAGE_LIMIT_EXCEEDED`. */
export async function requireFileRoom(
  tx: Executor,
  { userId, plan }: { userId: string; plan: PlanName },
  { addedBytes, replacedBytes = 0 }: { addedBytes: number; replacedBytes?: number },
): Promise<void> {
  const usedBytes = (await countStoredBytes(tx, userId)) - replacedBytes;
  requireRoomFor({ plan, usedBytes }, addedBytes);
}

/** Bytes of all documents, attachments and enclosures of an owner. Exact only under the owner's lock. */
export async function countStoredBytes(executor: Executor, userId: string): Promise<number> {
  const [row] = await executor
    .select({ bytes: storedBytes(executor) })
    .from(users)
    .where(eq(users.id, userId));
  return row?.bytes ?? 0;
}

/** Stored file as an answer. Nothing is read before its `open` is called. */
export function outgoingFile({ store }: App, vault: Vault, file: StoredFile): OutgoingFile {
  const { path, name, sizeBytes, mimeType } = file;
  return {
    ...{ name, sizeBytes, mimeType },
    open: (range) => openFile({ vault, fileId: path, sizeBytes, range, read: (stored) => store.read(path, stored) }),
  };
}
