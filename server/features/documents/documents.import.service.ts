import { randomUUIDv7 } from 'node:crypto';
import type { Files } from '#server/features/files/files.service.ts';
import type { StoredFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { insertDocuments, listDocumentsOfOwner } from './documents.repository.ts';
import { fileOf, openRow, sealFileName, sealWords } from './documents.sealing.ts';

/** A document that comes from elsewhere. */
export type ImportedDocument = {
  name: string;
  category: DocumentCategory;
  description: string | null;
  visibleToTrustedContact: boolean;
  createdAt: Date;
  updatedAt: Date;
  file: StoredFile;
};

/** A document that is there already, as far as it tells whether an imported one is the same. */
export type KnownDocument = { name: string; description: string | null; file: OutgoingFile };

export type DocumentImports = {
  knownDocuments(executor: Executor, userId: string, vault: Vault): Promise<KnownDocument[]>;
  /** Under the owner's lock, once there is room for the files. */
  insertImported(
    tx: Executor,
    owner: { userId: string; vault: Vault },
    given: readonly ImportedDocument[],
  ): Promise<void>;
};

export function createDocumentImports({ files }: { files: Pick<Files, 'giveOut'> }): DocumentImports {
  return {
    async knownDocuments(executor, userId, vault) {
      const rows = await listDocumentsOfOwner(executor, userId);
      // Of one that is damaged nobody can say what it was.
      const opened = rows.flatMap((row) => unlessBroken(() => openRow(vault, row)) ?? []);
      return opened.map((row) => {
        const { name, description } = row;
        return { name, description, file: files.giveOut(vault, fileOf(row)) };
      });
    },

    async insertImported(tx, { userId, vault }, given) {
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
        };
      });
      await insertDocuments(tx, rows);
    },
  };
}
