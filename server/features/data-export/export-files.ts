import type { Readable } from 'node:stream';
import type { App } from '#server/app.ts';
import { outgoingFile } from '#server/features/files/files.ts';
import type { StoredEnclosure } from '#server/features/messages/enclosures.rows.ts';
import { fileOf } from '#server/features/messages/enclosures.sealing.ts';
import { openWords } from '#server/features/messages/messages.sealing.ts';
import { SealBrokenError, unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { FileMissingError } from '#server/platform/files/file-store.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { FileProblem } from './export-format.ts';
import type { AttachmentRow, FilesRow } from './export-messages.repository.ts';

/** The name of a file whose own is damaged. */
const namelessFile = 'file';

/** A file as it is exported; `id` tells it from all others while that goes on, and stands in no export. */
export type ExportedFile = {
  id: string;
  facts: { name: string; mimeType: string; sizeBytes: number };
  content: OutgoingFile;
};

/** A file opens with a key of its own, and its name by itself: also beside a letter that is damaged. */
export function attachmentOf(app: App, vault: Vault, row: AttachmentRow): ExportedFile | null {
  const { attachmentPath: path, attachmentSize: sizeBytes, attachmentMimeType: mimeType } = row;
  if (path === null || sizeBytes === null || !mimeType) return null;
  const sealed = row.attachmentOriginalName;
  const open = () => sealed && openWords(vault, row.id, 'attachment_original_name', sealed);
  const name = unlessBroken(open) ?? namelessFile;
  return fileGiven(path, outgoingFile(app, vault, { path, name, sizeBytes, mimeType }));
}

/** The file of a picture or a voice, or of an original. */
export function enclosedFile(app: App, vault: Vault, row: StoredEnclosure): ExportedFile {
  return fileGiven(row.filePath, outgoingFile(app, vault, fileOf(vault, row)));
}

/** All files of a message, the attachment first. */
export function filesOf(app: App, vault: Vault, row: FilesRow): ExportedFile[] {
  const attachment = attachmentOf(app, vault, row);
  const rows = row.enclosures.flatMap((enclosure) => [enclosure, ...(enclosure.original ? [enclosure.original] : [])]);
  const enclosed = rows.map((enclosure) => enclosedFile(app, vault, enclosure));
  return attachment ? [attachment, ...enclosed] : enclosed;
}

/** A stored file as it is exported; `id` is its place in the store. */
export function fileGiven(id: string, content: OutgoingFile): ExportedFile {
  const { name, mimeType, sizeBytes } = content;
  return { id, facts: { name, mimeType, sizeBytes }, content };
}

/**
 * Opens a file to be exported. One that is gone or broken must not keep its owner from all the others, so that is
 * said in place of its bytes; a store that does not answer is a failure like any other.
 */
export async function openForExport(file: OutgoingFile): Promise<Readable | FileProblem> {
  try {
    const opened = await file.open();
    // It may break before anybody reads it; whoever does is told then.
    opened.on('error', () => undefined);
    return opened;
  } catch (error) {
    return problemOf(error);
  }
}

/** Gives the bytes of an opened file, and after the last one that can be read what is wrong with the rest. */
export async function* readForExport(content: Readable): AsyncGenerator<Buffer, FileProblem | null> {
  try {
    for await (const piece of content) yield piece as Buffer;
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): FileProblem {
  if (error instanceof FileMissingError) return 'missing';
  if (error instanceof SealBrokenError) return 'damaged';
  throw error;
}
