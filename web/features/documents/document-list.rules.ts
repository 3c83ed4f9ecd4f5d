import type { DocumentCategory } from '#shared/rules/categories.ts';
import type { DocumentFilter, DocumentSort } from '#shared/rules/documents/document-lists.ts';
import { fileTypes, otherFileTypes } from '#shared/rules/files.ts';
import { fileSize } from '#shared/rules/sizes.ts';

/** Filters of the list, which are not categories: `instructions` finds documents by their words. */
export const filterChoices: readonly { value: DocumentFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'legal', label: 'Legal' },
  { value: 'financial', label: 'Financial' },
  { value: 'personal', label: 'Personal' },
  { value: 'instructions', label: 'Instructions' },
];

export const documentCategoryLabels: Record<DocumentCategory, string> = {
  personal: 'Personal',
  legal: 'Legal',
  financial: 'Financial',
  medical: 'Medical',
  property: 'Property',
  business: 'Business',
  other: 'Other',
};

export const sortChoices: readonly { value: DocumentSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: 'largest', label: 'Largest first' },
];

/** Size such as `812 Bytes` or `4.2 KB`. Differs from `fileSize` only in the capital of `Bytes`. */
export function documentSize(sizeBytes: number): string {
  return fileSize(sizeBytes).replace(/bytes?$/, 'Bytes');
}

/** Short names of MIME types whose subtype is too long to show. */
const shortTypes: Readonly<Record<string, string>> = {
  [fileTypes.docx]: 'DOCX',
  [otherFileTypes.odt]: 'ODT',
};

/** Name of a MIME type: its short name, or else its subtype in capitals, such as `PDF`. `Unknown` without a type. */
export function documentType(mimeType: string | null): string {
  const short = shortTypes[mimeType ?? ''];
  if (short) return short;
  const subtype = mimeType?.split(';')[0]?.split('/')[1]?.trim();
  return subtype ? subtype.toUpperCase() : 'Unknown';
}

/** Used and allowed storage of the plan, such as `(498.2 MB / 500 MB)`. Both are given in megabytes. */
export function storageNote({ current, limit }: { current: number; limit: number }): string {
  return `(${Math.round(current * 10) / 10} MB / ${limit} MB)`;
}
