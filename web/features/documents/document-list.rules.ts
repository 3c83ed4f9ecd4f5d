import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import type { DocumentCategory } from '#shared/rules/categories.ts';
import { fileTypes, otherFileTypes } from '#shared/rules/files.ts';
import { fileSize } from '#shared/rules/sizes.ts';

export type DocumentFilterCategory = 'all' | 'legal' | 'financial' | 'personal' | 'instructions';

export const documentFilters: readonly { value: DocumentFilterCategory; label: string }[] = [
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

/** Documents of a category whose name, description or file name holds the words, in any case. */
export function matchingDocuments(
  documents: readonly VaultDocument[],
  { words, category }: { words: string; category: DocumentFilterCategory },
): VaultDocument[] {
  const wanted = words.trim().toLowerCase();
  return documents.filter(
    (document) => isUnder(document, category) && textsOf(document).some((text) => text.toLowerCase().includes(wanted)),
  );
}

export type DocumentSort = 'newest' | 'oldest' | 'name' | 'largest';

export const documentSorts: readonly { value: DocumentSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'name', label: 'Name, A to Z' },
  { value: 'largest', label: 'Largest first' },
];

/** Documents in an order. They come newest first. */
export function sortedDocuments(documents: readonly VaultDocument[], sort: DocumentSort): VaultDocument[] {
  if (sort === 'oldest') return documents.toReversed();
  if (sort === 'name') return documents.toSorted((a, b) => byName.compare(a.name, b.name));
  if (sort === 'largest') return documents.toSorted((a, b) => b.fileSize - a.fileSize);
  return [...documents];
}

const byName = new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' });

function isUnder(document: VaultDocument, filter: DocumentFilterCategory): boolean {
  if (filter === 'all') return true;
  // No document has this category, so its own words decide.
  if (filter === 'instructions') return textsOf(document).some((text) => /\binstructions?\b/i.test(text));
  return document.category === filter;
}

function textsOf({ name, description, fileName }: VaultDocument): string[] {
  return [name, description ?? '', fileName];
}

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
