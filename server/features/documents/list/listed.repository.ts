import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { documents } from '#server/schema/documents.tables.ts';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { type SealedDocument, storedColumns } from '../documents.repository.ts';

/** Facts of a document that decide its place in a list. */
export type DocumentFacts = { id: string; category: DocumentCategory; fileSize: number };

const newestFirst = [desc(documents.createdAt), desc(documents.id)];

/** Facts of all documents of an owner, newest first. */
export function listDocumentFacts(executor: Executor, userId: string): Promise<DocumentFacts[]> {
  const { id, category, fileSize } = documents;
  return executor
    .select({ id, category, fileSize })
    .from(documents)
    .where(eq(documents.userId, userId))
    .orderBy(...newestFirst);
}

/** Sealed names of all documents of an owner, in no order. */
export function listDocumentNames(executor: Executor, userId: string): Promise<Pick<SealedDocument, 'id' | 'name'>[]> {
  const { id, name } = documents;
  return executor.select({ id, name }).from(documents).where(eq(documents.userId, userId));
}

/** The newest documents of an owner, newest first. */
export function listFirstDocuments(executor: Executor, userId: string, limit: number): Promise<SealedDocument[]> {
  return executor
    .select(storedColumns)
    .from(documents)
    .where(eq(documents.userId, userId))
    .orderBy(...newestFirst)
    .limit(limit);
}

/** The documents of an owner with these ids, in the order of the ids. Missing ones are left out. */
export async function listDocumentsByIds(
  executor: Executor,
  userId: string,
  ids: readonly string[],
): Promise<SealedDocument[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .select(storedColumns)
    .from(documents)
    .where(and(eq(documents.userId, userId), inArray(documents.id, [...ids])));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
