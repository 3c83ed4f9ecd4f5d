import type { DocumentCategory } from '#shared/rules/categories.ts';

/** Number of documents in one page of the list. */
export const documentsPerPage = 50;

export const documentSorts = ['newest', 'oldest', 'name', 'largest'] as const;
export type DocumentSort = (typeof documentSorts)[number];

export const documentFilters = ['all', 'legal', 'financial', 'personal', 'instructions'] as const;
export type DocumentFilter = (typeof documentFilters)[number];

type Words = { name: string; description: string | null; fileName: string };

/** Texts of a document that a search reads. */
export function textsOf({ name, description, fileName }: Words): string[] {
  return [name, description ?? '', fileName];
}

/** True if the filter leaves documents of this category in the list. The words decide for `instructions`. */
export function isInFilter(category: DocumentCategory, filter: DocumentFilter): boolean {
  return filter === 'all' || filter === 'instructions' || category === filter;
}

/** Returns a test for documents that the filter and the searched words find; null if it needs no words of a document. */
export function wordTest(filter: DocumentFilter, words: string): ((document: Words) => boolean) | null {
  const wanted = words.trim().toLowerCase();
  if (wanted === '' && filter !== 'instructions') return null;
  return (document) => {
    const texts = textsOf(document);
    // No document has the category `instructions`, so its own words decide.
    if (filter === 'instructions' && !texts.some((text) => /\binstructions?\b/i.test(text))) return false;
    return texts.some((text) => text.toLowerCase().includes(wanted));
  };
}

const nameOrder = new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' });

type Sorted = { name: string; fileSize: number };

/** Comparisons of the sorts that need one. The others are the order of upload. */
export const documentOrders = {
  name: (one: Pick<Sorted, 'name'>, other: Pick<Sorted, 'name'>) => nameOrder.compare(one.name, other.name),
  largest: (one: Pick<Sorted, 'fileSize'>, other: Pick<Sorted, 'fileSize'>) => other.fileSize - one.fileSize,
};
