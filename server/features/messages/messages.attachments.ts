import type { StoredFile, TakenFile } from '#server/features/files/receive-file.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { AttachmentRow } from './messages.repository.ts';
import { openWords, sealFileName, sealTranscript } from './messages.sealing.ts';

/** What a recipient is told of an attachment before they fetch it. */
export type Attachment = Pick<TakenFile, 'name' | 'sizeBytes' | 'mimeType' | 'pictureSize'> & {
  /** What is said in it; empty where nobody has written it down. */
  transcript: string;
};

export const noAttachment = {
  hasAttachment: false,
  attachmentOriginalName: null,
  attachmentSize: null,
  attachmentMimeType: null,
  attachmentTranscript: null,
};

/** The columns of a message that has none any more. */
export const clearedColumns = { ...noAttachment, attachmentPath: null };

/** The attachment as its owner sees it. */
export function shownOf({ name, sizeBytes, mimeType }: Omit<StoredFile, 'path'>) {
  return { hasAttachment: true, attachmentOriginalName: name, attachmentSize: sizeBytes, attachmentMimeType: mimeType };
}

/** The columns of a message with this file. */
export function columnsOf(vault: Vault, id: string, file: StoredFile) {
  const attachmentOriginalName = sealFileName(vault, id, file.name);
  return { ...shownOf(file), attachmentOriginalName, attachmentPath: file.path };
}

/** The file of a message, or null where it has none. */
export function attachmentOf(vault: Vault, row: AttachmentRow): StoredFile | null {
  const { id, attachmentPath: path, attachmentOriginalName, attachmentSize, attachmentMimeType } = row;
  if (path === null || attachmentOriginalName === null || attachmentSize === null || !attachmentMimeType) return null;
  const name = openWords(vault, id, 'attachment_original_name', attachmentOriginalName);
  return { path, name, sizeBytes: attachmentSize, mimeType: attachmentMimeType };
}

type Said = { transcript: string | undefined; isReplaced: boolean; hasFile: boolean };

/**
 * The column of what is said in the file of a message: as it was where nothing is told of it, and null where there is no
 * file, or another one.
 */
export function transcriptColumn(vault: Vault, id: string, { transcript, isReplaced, hasFile }: Said) {
  if (transcript && hasFile) return { attachmentTranscript: sealTranscript(vault, id, transcript) };
  return transcript === undefined && hasFile && !isReplaced ? {} : { attachmentTranscript: null };
}
