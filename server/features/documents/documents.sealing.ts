import type { StoredFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import type { SealedDocument } from './documents.repository.ts';

type Words = { name: string; description: string | null };
type SealedColumn = 'name' | 'description' | 'file_name';

export function sealWords(vault: Vault, id: string, { name, description }: Words): Words {
  return {
    name: vault.seal(place(id, 'name'), name),
    description: description === null ? null : vault.seal(place(id, 'description'), description),
  };
}

export function sealFileName(vault: Vault, id: string, fileName: string): string {
  return vault.seal(place(id, 'file_name'), fileName);
}

/** The row with its words opened. Throws `SealBrokenError` for one that was not sealed for this very place. */
export function openRow(vault: Vault, row: SealedDocument): SealedDocument {
  const { id, name, description, fileName } = row;
  return {
    ...row,
    name: vault.unseal(place(id, 'name'), name),
    description: description === null ? null : vault.unseal(place(id, 'description'), description),
    fileName: vault.unseal(place(id, 'file_name'), fileName),
  };
}

/** The file itself may well open: its own name does not say what it is any more. */
const namelessFile = 'file';

/** The same in a list, where a document that is damaged stands without its words. */
export function openListed(vault: Vault, row: SealedDocument): SealedDocument & { isDamaged?: true } {
  const damaged = { ...row, name: damagedTitle, description: null, fileName: namelessFile, isDamaged: true as const };
  return unlessBroken(() => openRow(vault, row)) ?? damaged;
}

/** The file of a row whose words are opened. */
export function fileOf({ fileName, filePath, fileSize, mimeType }: SealedDocument): StoredFile {
  return { path: filePath, name: fileName, sizeBytes: fileSize, mimeType };
}

function place(rowId: string, column: SealedColumn) {
  return { table: 'documents', column, rowId };
}
