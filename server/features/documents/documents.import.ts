import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { App } from '#server/app.ts';
import { outgoingFile } from '#server/features/files/files.ts';
import type { StoredFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { insertDocuments, listDocumentsOfOwner, type SealedDocument } from './documents.repository.ts';
import { fileOf, openRow, sealFileName, sealWords } from './documents.sealing.ts';

/** A document of an export. */
export type ImportedDocument = {
  name: string;
  category: DocumentCategory;
  description: string | null;
  visibleToTrustedContact: boolean;
  createdAt: Date;
  updatedAt: Date;
  file: StoredFile;
};

/** A stored document, with the values that an imported one is compared with. */
export type KnownDocument = { name: string; description: string | null; file: OutgoingFile };

/** Returns the owner's documents. It leaves out damaged ones, because their words are unknown. */
export async function listKnownDocuments(
  app: App,
  executor: Executor,
  userId: string,
  vault: Vault,
): Promise<KnownDocument[]> {
  const rows = await listDocumentsOfOwner(executor, userId);
  const known = (row: SealedDocument) => {
    const opened = openRow(vault, row);
    const { name, description } = opened;
    return { name, description, file: outgoingFile(app, vault, fileOf(opened)) };
  };
  const all = await mapInSlices(rows, (row): KnownDocument | null => unlessBroken(() => known(row)));
  return all.filter((document) => document !== null);
}

/** Inserts imported documents. The caller holds the owner's lock, and has checked the room for the files. */
export async function insertImportedDocuments(
  tx: Executor,
  { userId, vault }: { userId: string; vault: Vault },
  given: readonly ImportedDocument[],
): Promise<void> {
  const rows = given.map(({ name, description, file, ...settings }) => {
    const id = randomUUIDv7();
    return {
      ...settings,
      ...sealWords(vault, id, { name, description }),
      id,
      userId,
      fileName: sealFileName(vault, id, file.name),
      filePath: file.path,
      fileSize: file.sizeBytes,
      mimeType: file.mimeType,
      version: randomUUID(),
      createdAs: null,
    };
  });
  await insertDocuments(tx, rows);
}
