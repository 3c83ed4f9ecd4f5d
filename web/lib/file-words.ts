import { fileSize } from '#shared/rules/sizes.ts';

export type FileKind = 'picture' | 'video' | 'PDF' | 'Word' | 'text' | 'file';

/** Everyday word for a file of this type. */
export function fileKind(mimeType: string): FileKind {
  if (mimeType.startsWith('image/')) return 'picture';
  if (mimeType.startsWith('video/')) return 'video';
  if (mimeType === 'application/pdf') return 'PDF';
  if (mimeType === 'text/plain') return 'text';
  return /word/.test(mimeType) ? 'Word' : 'file';
}

/** `2.4 MB, picture`. */
export function sizeAndKind({ sizeBytes, mimeType }: { sizeBytes: number; mimeType: string }): string {
  return `${fileSize(sizeBytes)}, ${fileKind(mimeType)}`;
}

/** Sentence for a stored file whose ending was corrected. Empty if it kept its name. */
export function renamedWords(name: string, renamedFrom: string | undefined): string {
  return renamedFrom ? ` We stored ${renamedFrom} as ${name}, because that is the kind of file it is.` : '';
}
