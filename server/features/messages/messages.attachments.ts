import type { StoredFile, TakenFile } from '#server/features/files/receive-file.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { AttachmentRow } from './messages.repository.ts';
import { openWords, sealFileName, sealTranscript } from './messages.sealing.ts';

/** Facts of an attachment that its recipient sees before the download. */
export type Attachment = Pick<TakenFile, 'name' | 'sizeBytes' | 'mimeType' | 'pictureSize'> & {
  /** Transcript; empty if none was written. */
  transcript: string;
};

/** Fields of a message without an attachment, as its owner sees it. */
export const noAttachmentFields = {
  hasAttachment: false,
  attachmentOriginalName: null,
  attachmentSize: null,
  attachmentMimeType: null,
  attachmentTranscript: null,
};

/** Columns of a message whose attachment was removed. */
export const noAttachmentColumns = { ...noAttachmentFields, attachmentPath: null };

/** Fields of a message with this attachment, as its owner sees it. Its transcript is separate. */
export function attachmentFields({ name, sizeBytes, mimeType }: Omit<StoredFile, 'path'>) {
  return { hasAttachment: true, attachmentOriginalName: name, attachmentSize: sizeBytes, attachmentMimeType: mimeType };
}

/** Columns of a message with this attachment. Its name is sealed. */
export function attachmentColumns(vault: Vault, id: string, file: StoredFile) {
  const attachmentOriginalName = sealFileName(vault, id, file.name);
  return { ...attachmentFields(file), attachmentOriginalName, attachmentPath: file.path };
}

/** Returns the attachment of a message with its opened name. Null if it has none. Throws `SealBrokenError` if the name is damaged. */
export function attachedFileOf(vault: Vault, row: AttachmentRow): StoredFile | null {
  const { id, attachmentPath: path, attachmentOriginalName, attachmentSize, attachmentMimeType } = row;
  if (path === null || attachmentOriginalName === null || attachmentSize === null || !attachmentMimeType) return null;
  const name = openWords(vault, id, 'attachment_original_name', attachmentOriginalName);
  return { path, name, sizeBytes: attachmentSize, mimeType: attachmentMimeType };
}

/** `transcript` is undefined if the change names none. */
type TranscriptChange = { transcript: string | undefined; isReplaced: boolean; hasFile: boolean };

/** Column of the transcript. A change that names none keeps it, unless the file is new or missing. An empty transcript clears it. */
export function transcriptColumn(vault: Vault, id: string, { transcript, isReplaced, hasFile }: TranscriptChange) {
  if (transcript && hasFile) return { attachmentTranscript: sealTranscript(vault, id, transcript) };
  return transcript === undefined && hasFile && !isReplaced ? {} : { attachmentTranscript: null };
}
