import { and, count, desc, eq, inArray } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { outgoingFile } from '#server/features/files/files.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { notFound } from '#shared/contract/errors.ts';
import { findDocument, storedColumns } from './documents.repository.ts';
import { fileOf, openListed } from './documents.sealing.ts';

/** Lists a page of the documents that trusted contacts may see, newest first. */
export async function listVisibleDocuments(
  app: App,
  executor: Executor,
  { userId, from, size }: { userId: string; from: number; size: number },
) {
  const rows = await executor
    .select(storedColumns)
    .from(documents)
    .where(and(eq(documents.userId, userId), documents.visibleToTrustedContact))
    .orderBy(desc(documents.createdAt), desc(documents.id))
    .offset(from)
    .limit(size);
  if (rows.length === 0) return [];
  const vault = await openVault(app, executor, userId);
  return mapInSlices(rows, (row) => {
    const { id, name, fileSize, mimeType } = openListed(vault, row);
    return { id, name, sizeBytes: fileSize, mimeType };
  });
}

/** Counts the documents of each owner that trusted contacts may see. Owners without any are missing. */
export async function countVisibleDocuments(
  executor: Executor,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await executor
    .select({ userId: documents.userId, count: count() })
    .from(documents)
    .where(and(inArray(documents.userId, [...userIds]), documents.visibleToTrustedContact))
    .groupBy(documents.userId);
  return new Map(rows.map(({ userId, count: visible }) => [userId, visible]));
}

/** File of a document that trusted contacts may see. @throws AppError `NOT_FOUND`, also for other documents. */
export async function openVisibleDocument(
  app: App,
  executor: Executor,
  { userId, id }: { userId: string; id: string },
): Promise<OutgoingFile> {
  const row = await findDocument(executor, userId, id);
  if (!row?.visibleToTrustedContact) throw notFound();
  const vault = await openVault(app, executor, userId);
  return outgoingFile(app, vault, fileOf(openListed(vault, row)));
}
