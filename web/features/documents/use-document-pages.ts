import { useMemo } from 'react';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import type { DocumentPage } from '#shared/contract/vault/document-pages.ts';
import { type DocumentFilter, type DocumentSort, documentsPerPage } from '#shared/rules/documents/document-lists.ts';
import { type ListPages, type ListSource, useListPages } from '#web/components/list-pages/use-list-pages.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf } from '#web/lib/api/reads.ts';

type Wanted = { words: string; category: DocumentFilter; sort: DocumentSort };

export type DocumentPages = Omit<ListPages<DocumentPage>, 'pages'> & {
  /** Documents of all pages that were read; undefined while the first one is loading. */
  documents: readonly VaultDocument[] | undefined;
};

const source: ListSource<DocumentPage, Wanted> = {
  list: light.listDocumentPage,
  keyOf: (query) => keyOf(light.listDocumentPage, { query }),
  searchPath: light.searchDocuments.path,
  search: (body, signal) => call(light.searchDocuments, { body, signal }),
  usualSort: 'newest',
  perPage: documentsPerPage,
};

/** Documents of the owner as the service finds and sorts them, a page at a time. */
export function useDocumentPages(given: Wanted): DocumentPages {
  const { pages, ...list } = useListPages(source, given);
  const documents = useMemo(() => joined(pages), [pages]);
  return { ...list, documents: pages.length > 0 ? documents : undefined };
}

/** Joins consecutive pages. A document that moved between two reads is shown once. */
function joined(pages: readonly DocumentPage[]): VaultDocument[] {
  return [...new Map(pages.flatMap(({ documents }) => documents).map((document) => [document.id, document])).values()];
}
