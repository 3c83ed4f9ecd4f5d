import type { DocumentCategory } from '#shared/rules/categories.ts';
import type { DocumentFilter, DocumentSort } from '#shared/rules/documents/document-lists.ts';
import { fileTypes, otherFileTypes } from '#shared/rules/files.ts';
import { fileSize } from '#shared/rules/sizes.ts';

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

/** `812 Bytes`, `4.2 KB`, `412.6 MB`, `1.1 GB`: as everywhere, with the capital that this list writes. */
export function documentSize(sizeBytes: number): string {
  return fileSize(sizeBytes).replace(/bytes?$/, 'Bytes');
}

/** Types whose subtype is no word for a person. */
const shortTypes: Readonly<Record<string, string>> = {
  [fileTypes.docx]: 'DOCX',
  [otherFileTypes.odt]: 'ODT',
};

/** The subtype of a MIME type in upper case, or `Unknown`. A type that is no word for a person has its short name. */
export function documentType(mimeType: string | null): string {
  const short = shortTypes[mimeType ?? ''];
  if (short) return short;
  const subtype = mimeType?.split(';')[0]?.split('/')[1]?.trim();
  return subtype ? subtype.toUpperCase() : 'Unknown';
}

/** `(498.2 MB / 500 MB)`: how much of the plan's storage is used. */
export function storageNote({ current, limit }: { current: number; limit: number }): string {
  return `(${Math.round(current * 10) / 10} MB / ${limit} MB)`;
}
