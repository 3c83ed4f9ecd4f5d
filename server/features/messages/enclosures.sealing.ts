import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { StoredFile, TakenFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { enclosureSchema } from '#shared/contract/letters/enclosures.ts';
import { enclosureTypes, originalTypes } from '#shared/rules/letters/enclosures.ts';
import type { EnclosureRow, StoredEnclosure } from './enclosures.rows.ts';

/** A picture or a voice as its writer and its reader see it. */
export type ShownEnclosure = z.output<typeof enclosureSchema>;

type Words = { caption: string; transcript: string };
type Column = 'caption' | 'transcript' | 'file_name';

/** File of an enclosure, with its words. */
type Enclosing = Pick<EnclosureRow, 'kind' | 'afterParagraph'> & Words & { file: TakenFile };

/** Returns the row of a new enclosure. */
export function newEnclosure(
  vault: Vault,
  owned: Pick<EnclosureRow, 'userId' | 'messageId' | 'staging' | 'position' | 'createdAt' | 'createdAs'>,
  { kind, afterParagraph, caption, transcript, file }: Enclosing,
): EnclosureRow {
  const id = randomUUIDv7();
  return {
    ...owned,
    ...{ id, kind, afterParagraph, originalOf: null, original: null, pictureSize: file.pictureSize },
    caption: vault.seal(place(id, 'caption'), caption),
    transcript: vault.seal(place(id, 'transcript'), transcript),
    fileName: vault.seal(place(id, 'file_name'), file.name),
    ...{ filePath: file.path, fileSize: file.sizeBytes, mimeType: file.mimeType },
  };
}

/** Returns the row of a picture's original. */
export function newOriginal(
  vault: Vault,
  { id: originalOf, original: _, ...picture }: EnclosureRow,
  file: TakenFile,
): StoredEnclosure {
  const words = { caption: '', transcript: '', afterParagraph: null };
  const { original, ...row } = newEnclosure(vault, picture, { kind: picture.kind, ...words, file });
  return { ...row, originalOf, createdAs: null };
}

/** Returns the columns of changed words. */
export function sealChange(
  vault: Vault,
  id: string,
  { caption, transcript }: { [Word in keyof Words]?: string | undefined },
): Partial<StoredEnclosure> {
  return {
    ...(caption === undefined ? {} : { caption: vault.seal(place(id, 'caption'), caption) }),
    ...(transcript === undefined ? {} : { transcript: vault.seal(place(id, 'transcript'), transcript) }),
  };
}

/** Opens the words of an enclosure. Damaged words are left out, and its file stays. */
export function openEnclosure(vault: Vault, row: EnclosureRow): ShownEnclosure {
  const { id, kind, fileSize: sizeBytes, mimeType, pictureSize, position, afterParagraph, original } = row;
  return {
    id,
    kind,
    name: nameOf(vault, row),
    sizeBytes,
    mimeType,
    pictureSize,
    caption: open(vault, row, 'caption', row.caption) ?? '',
    transcript: open(vault, row, 'transcript', row.transcript) ?? '',
    position,
    afterParagraph,
    original: original && originalFacts(vault, original),
  };
}

function originalFacts(vault: Vault, row: StoredEnclosure): ShownEnclosure['original'] {
  const { id, fileSize: sizeBytes, mimeType } = row;
  return { id, name: nameOf(vault, row), sizeBytes, mimeType };
}

/** Returns the stored file of an enclosure. */
export function fileOf(vault: Vault, row: StoredEnclosure): StoredFile {
  const { filePath: path, fileSize: sizeBytes, mimeType } = row;
  return { path, name: nameOf(vault, row), sizeBytes, mimeType };
}

/** Opens the name of a file. A damaged name is replaced by one with the ending of its type. */
function nameOf(vault: Vault, row: StoredEnclosure): string {
  const endings = Object.entries(row.originalOf ? originalTypes : enclosureTypes[row.kind]);
  const [ending] = endings.find(([, type]) => type === row.mimeType) ?? [];
  return open(vault, row, 'file_name', row.fileName) ?? `${row.kind}.${ending}`;
}

function open(vault: Vault, { id }: StoredEnclosure, column: Column, sealed: string): string | null {
  return unlessBroken(() => vault.unseal(place(id, column), sealed));
}

function place(rowId: string, column: Column) {
  return { table: 'message_enclosures', column, rowId };
}
