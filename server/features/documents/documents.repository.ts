import { and, desc, eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { documents } from '#server/schema/documents.tables.ts';

export const storedColumns = {
  id: documents.id,
  userId: documents.userId,
  name: documents.name,
  category: documents.category,
  description: documents.description,
  fileName: documents.fileName,
  filePath: documents.filePath,
  fileSize: documents.fileSize,
  mimeType: documents.mimeType,
  visibleToTrustedContact: documents.visibleToTrustedContact,
  createdAt: documents.createdAt,
  updatedAt: documents.updatedAt,
  version: documents.version,
  createdAs: documents.createdAs,
};

/** A document with its words sealed, as it is stored. */
export type SealedDocument = Pick<typeof documents.$inferSelect, keyof typeof storedColumns>;
type DocumentChange = Partial<typeof documents.$inferInsert>;

/** Newest first. */
export function listDocumentsOfOwner(executor: Executor, userId: string): Promise<SealedDocument[]> {
  return executor
    .select(storedColumns)
    .from(documents)
    .where(eq(documents.userId, userId))
    .orderBy(desc(documents.createdAt), desc(documents.id));
}

/** Another owner's document is not found. */
export async function findDocument(executor: Executor, userId: string, id: string): Promise<SealedDocument | null> {
  const [row] = await executor.select(storedColumns).from(documents).where(ofOwner(userId, id));
  return row ?? null;
}

/** Document that an earlier try of the same request created. Exact only under the owner's lock. */
export async function findCreatedAs(
  executor: Executor,
  userId: string,
  changeKey: string,
): Promise<SealedDocument | null> {
  const [row] = await executor
    .select(storedColumns)
    .from(documents)
    .where(and(eq(documents.userId, userId), eq(documents.createdAs, changeKey)));
  return row ?? null;
}

export async function lockDocument(tx: Executor, userId: string, id: string): Promise<SealedDocument | null> {
  const [row] = await tx.select(storedColumns).from(documents).where(ofOwner(userId, id)).for('update');
  return row ?? null;
}

export async function insertDocument(tx: Executor, row: SealedDocument): Promise<void> {
  await tx.insert(documents).values(row);
}

const rowsPerInsert = 500;

export async function insertDocuments(tx: Executor, rows: readonly SealedDocument[]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await tx.insert(documents).values(rows.slice(at, at + rowsPerInsert));
  }
}

export async function updateDocumentRow(tx: Executor, id: string, change: DocumentChange): Promise<void> {
  await tx.update(documents).set(change).where(eq(documents.id, id));
}

export async function deleteDocumentRow(tx: Executor, userId: string, id: string): Promise<boolean> {
  const deleted = await tx.delete(documents).where(ofOwner(userId, id)).returning({ id: documents.id });
  return deleted.length > 0;
}

function ofOwner(userId: string, id: string) {
  return and(eq(documents.id, id), eq(documents.userId, userId));
}
