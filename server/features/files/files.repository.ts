import { and, DrizzleQueryError, eq, lt, notExists, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import type { PictureSize } from '#server/platform/files/picture-size.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { recentlyDeletedFiles } from '#server/schema/recently-deleted.tables.ts';

export async function insertFileObject(executor: Executor, path: string, createdAt: Date): Promise<void> {
  await executor.insert(fileObjects).values({ path, createdAt });
}

export async function keepPictureSize(executor: Executor, path: string, size: PictureSize): Promise<void> {
  const { width: pictureWidth, height: pictureHeight } = size;
  await executor.update(fileObjects).set({ pictureWidth, pictureHeight }).where(eq(fileObjects.path, path));
}

/**
 * Removes the row and returns true if there was one. Until the transaction ends, no row can start to refer to the file.
 * If one does already, the database refuses.
 */
export async function deleteFileObject(tx: Executor, path: string): Promise<boolean> {
  const deleted = await tx.delete(fileObjects).where(eq(fileObjects.path, path)).returning({ path: fileObjects.path });
  return deleted.length === 1;
}

/** True if the database refused to remove a file because it is in use. */
export function isStillReferredTo(error: unknown): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === foreignKeyViolation;
}

const foreignKeyViolation = '23503';

/** Files from before `createdBefore` that nothing refers to. */
export async function listUnusedFiles(
  executor: Executor,
  { createdBefore, limit }: { createdBefore: Date; limit: number },
): Promise<string[]> {
  const one = { one: sql`1` };
  const ofDocuments = executor.select(one).from(documents).where(eq(documents.filePath, fileObjects.path));
  const ofMessages = executor.select(one).from(messages).where(eq(messages.attachmentPath, fileObjects.path));
  const ofEnclosures = executor
    .select(one)
    .from(messageEnclosures)
    .where(eq(messageEnclosures.filePath, fileObjects.path));
  const ofDeleted = executor
    .select(one)
    .from(recentlyDeletedFiles)
    .where(eq(recentlyDeletedFiles.filePath, fileObjects.path));
  const rows = await executor
    .select({ path: fileObjects.path })
    .from(fileObjects)
    .where(
      and(
        lt(fileObjects.createdAt, createdBefore),
        notExists(ofDocuments),
        notExists(ofMessages),
        notExists(ofEnclosures),
        notExists(ofDeleted),
      ),
    )
    .limit(limit);
  return rows.map(({ path }) => path);
}

/** Paths without a row, of those given. */
export async function withoutRow(executor: Executor, paths: readonly string[]): Promise<string[]> {
  const { rows } = await executor.execute<{ path: string }>(sql`
    select asked.path from unnest(${sql.param(paths)}::text[]) as asked(path)
    where not exists (select 1 from file_objects where file_objects.path = asked.path)`);
  return rows.map(({ path }) => path);
}
