import type { Message } from '#shared/contract/messages.ts';

/** Change of a message's attachment on saving: unchanged, removed, or replaced by a file. */
export type AttachmentChoice = { what: 'keep' | 'remove' } | { what: 'add'; file: File };

type FileFacts = Pick<Message, 'hasAttachment' | 'attachmentOriginalName' | 'attachmentSize' | 'attachmentMimeType'>;

/** True if another file is stored beside a message than the one that its form has shown. */
export function isOtherFile(shown: FileFacts | undefined, stored: FileFacts): boolean {
  if (!shown || shown.hasAttachment !== stored.hasAttachment) return stored.hasAttachment;
  const isSameName = shown.attachmentOriginalName === stored.attachmentOriginalName;
  const isSameContent =
    shown.attachmentSize === stored.attachmentSize && shown.attachmentMimeType === stored.attachmentMimeType;
  return !(isSameName && isSameContent);
}

/** Choice after another device has changed the message. A removal meant the file that the form has shown, so a newer file stays. */
export function choiceOver(
  stored: FileFacts,
  { choice, shown }: { choice: AttachmentChoice; shown: FileFacts | undefined },
): AttachmentChoice {
  return choice.what === 'remove' && isOtherFile(shown, stored) ? { what: 'keep' } : choice;
}
