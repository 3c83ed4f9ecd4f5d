import type { StoredFile, TakenFile } from '#server/features/files/receive-file.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { AttachmentRow } from './messages.repository.ts';
import { openWords, sealFileName, sealTranscript } from './messages.sealing.ts';

/** Facts of an attachment that its recipient sees before the download. */
export type Attachment = Pick<TakenFile, 'name' | 'sizeBytes' | 'mimeType' | 'pictureSize'> & {
  /** Transcript; empty if none was written. */
  transcript: string;
};

export const noAttachment = {
  hasAttachment: false,
  attachmentOriginalName: null,
  attachmentSize: null,
  attachmentMimeType: null,
  attachmentTranscript: null,
};

/** Columns of a message whose attachment was removed. */
export const clearedColumns = { ...noAttachment, attachmentPath: null };

/** Fields of an attachment as its owner sees it. */
export function shownOf({ name, sizeBytes, mimeType }: Omit<StoredFile, 'path'>) {
  return { hasAttachment: true, attachmentOriginalName: name, attachmentSize: sizeBytes, attachmentMimeType: mimeType };
}

/** Columns of a message with this file. */
export function columnsOf(vault: Vault, id: string, file: StoredFile) {
  const attachmentOriginalName = sealFileName(vault, id, file.name);
  return { ...shownOf(file), attachmentOriginalName, attachmentPath: file.path };
}

/** Returns the file of a message. Null if it has none. */
export function attachmentOf(vault: Vault, row: AttachmentRow): StoredFile | null {
  const { id, attachmentPath: path, attachmentOriginalName, attachmentSize, attachmentMimeType } = row;
  if (path === null || attachmentOriginalName === null || attachmentSize === null || !attachmentMimeType) return null;
  const name = openWords(vault, id, 'attachment_original_name', attachmentOriginalName);
  return { path, name, sizeBytes: attachmentSize, mimeType: attachmentMimeType };
}

type Transcribed = { transcript: string | undefined; isReplaced: boolean; hasFile: boolean };

/** Returns the column of a file's transcript. If the change has none, the column stays, and is cleared for a new or missing file. */
export function transcriptColumn(vault: Vault, id: string, { transcript, isReplaced, hasFile }: Transcribed) {
  if (transcript && hasFile) return { attachmentTranscript: sealTranscript(vault, id, transcript) };
  return transcript === undefined && hasFile && !isReplaced ? {} : { attachmentTranscript: null };
}
