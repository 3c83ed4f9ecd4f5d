import { randomUUID } from 'node:crypto';
import { desc, eq } from 'drizzle-orm';
import type { VaultWorld } from '#server/features/messages/vault.test-world.ts';
import type { Principal } from '#server/http/principal.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { insertImportedDocuments } from '../documents.import.ts';

type Given = { name: string; category?: DocumentCategory; description?: string | null; sizeBytes?: number };

/** Stores documents without files, each a minute newer than the one before. Returns their ids, newest first. */
export async function storeDocuments(
  { db, vaults }: Pick<VaultWorld, 'db' | 'vaults'>,
  { userId, vaultKey }: Principal,
  given: readonly Given[],
): Promise<string[]> {
  const rows = given.map(({ name, category = 'legal', description = null, sizeBytes = 1_000 }, index) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1) + index * 60_000);
    const file = { path: randomUUID(), name: `${name}.pdf`, sizeBytes, mimeType: 'application/pdf' };
    return { name, category, description, visibleToTrustedContact: false, createdAt, updatedAt: createdAt, file };
  });
  for (let at = 0; at < rows.length; at += 500) {
    const some = rows.slice(at, at + 500);
    await db.insert(fileObjects).values(some.map(({ file: { path }, createdAt }) => ({ path, createdAt })));
    await insertImportedDocuments(db, { userId, vault: vaults.open(userId, vaultKey) }, some);
  }
  const stored = await db
    .select({ id: documents.id })
    .from(documents)
    .where(eq(documents.userId, userId))
    .orderBy(desc(documents.createdAt));
  return stored.map(({ id }) => id);
}
