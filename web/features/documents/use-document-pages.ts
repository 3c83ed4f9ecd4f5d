import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import type { DocumentPage } from '#shared/contract/vault/document-pages.ts';
import { type DocumentFilter, type DocumentSort, documentsPerPage } from '#shared/rules/documents/document-lists.ts';
import {
  type ListPages,
  nullIfSignedOut,
  useListPages,
  useTypedOut,
} from '#web/components/list-pages/use-list-pages.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { readByKey } from '#web/lib/api/query.ts';
import { keyOf, useReadBy } from '#web/lib/api/reads.ts';

type Wanted = { words: string; category: DocumentFilter; sort: DocumentSort };

export type DocumentPages = Omit<ListPages<DocumentPage>, 'pages' | 'isPlaceholder'> & {
  /** Documents of all pages that were read; undefined while the first one is loading. */
  documents: readonly VaultDocument[] | undefined;
  /** True while the list shows an earlier search or order. */
  isBehind: boolean;
  isSearch: boolean;
};

/** Documents of the owner as the service finds and sorts them, a page at a time. */
export function useDocumentPages(given: Wanted): DocumentPages {
  const words = useTypedOut(given.words.trim());
  const wanted = { ...given, words };
  const key = pageKey(wanted);
  const { pages, isPlaceholder, ...list } = useListPages({
    first: useReadBy<DocumentPage | null>({
      key,
      read: (signal) => readPage(wanted, 0, signal),
      placeholderData: keepPreviousData,
    }),
    key,
    readPage: (from, signal) => readPage(wanted, from, signal),
    perPage: documentsPerPage,
  });
  const documents = useMemo(() => joined(pages), [pages]);
  return {
    ...list,
    documents: pages.length > 0 ? documents : undefined,
    isBehind: isPlaceholder || words !== given.words.trim(),
    isSearch: words !== '',
  };
}

/** The first page without words has the key of its address, under which the page's head has read it. */
function pageKey({ words, category, sort }: Wanted): readonly string[] {
  if (words === '') return keyOf(light.listDocumentPage, { query: queryOf({ category, sort }) });
  return [light.searchDocuments.path, words, category, sort];
}

/** Leaves out the defaults of the service. */
function queryOf({ category, sort }: Pick<Wanted, 'category' | 'sort'>) {
  return {
    category: category === 'all' ? undefined : category,
    sort: sort === 'newest' ? undefined : sort,
  };
}

/** Words are sent in the body: in an address they would reach logs. Null for a visitor. */
async function readPage(wanted: Wanted, from: number, signal: AbortSignal): Promise<DocumentPage | null> {
  const { words, category, sort } = wanted;
  if (words !== '') {
    const search = call(light.searchDocuments, { body: { words, category, sort, from }, signal });
    return search.catch(nullIfSignedOut);
  }
  const queryKey = keyOf(light.listDocumentPage, { query: { ...queryOf(wanted), from: from || undefined } });
  return (await readByKey({ queryKey, signal }, light.listDocumentPage)) as DocumentPage | null;
}

/** Joins consecutive pages. A document that moved between two reads is shown once. */
function joined(pages: readonly DocumentPage[]): VaultDocument[] {
  return [...new Map(pages.flatMap(({ documents }) => documents).map((document) => [document.id, document])).values()];
}
