import type { StoredFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import type { SealedDocument } from './documents.repository.ts';

type Words = { name: string; description: string | null };
type SealedColumn = 'name' | 'description' | 'file_name';

export function sealWords(vault: Vault, id: string, { name, description }: Words): Words {
  return {
    name: vault.seal(contextOf(id, 'name'), name),
    description: description === null ? null : vault.seal(contextOf(id, 'description'), description),
  };
}

export function sealFileName(vault: Vault, id: string, fileName: string): string {
  return vault.seal(contextOf(id, 'file_name'), fileName);
}

/** Opens the words of a row. Throws `SealBrokenError` if they were not sealed for this row and column. */
export function openRow(vault: Vault, row: SealedDocument): SealedDocument {
  const { id, name, description, fileName } = row;
  return {
    ...row,
    name: vault.unseal(contextOf(id, 'name'), name),
    description: description === null ? null : vault.unseal(contextOf(id, 'description'), description),
    fileName: vault.unseal(contextOf(id, 'file_name'), fileName),
  };
}

/** Name of a document in a list. A damaged name is replaced by words that say so. */
export function openName(vault: Vault, { id, name }: Pick<SealedDocument, 'id' | 'name'>): string {
  return unlessBroken(() => vault.unseal(contextOf(id, 'name'), name)) ?? damagedTitle;
}

/** Name of a file whose own name is damaged. The file may still open. */
const namelessFile = 'file';

/** Opens a row for a list. A damaged document has no words. */
export function openListed(vault: Vault, row: SealedDocument): SealedDocument & { isDamaged?: true } {
  const damaged = { ...row, name: damagedTitle, description: null, fileName: namelessFile, isDamaged: true as const };
  return unlessBroken(() => openRow(vault, row)) ?? damaged;
}

/** The file of a row whose words are opened. */
export function fileOf({ fileName, filePath, fileSize, mimeType }: SealedDocument): StoredFile {
  return { path: filePath, name: fileName, sizeBytes: fileSize, mimeType };
}

function contextOf(rowId: string, column: SealedColumn) {
  return { table: 'documents', column, rowId };
}
