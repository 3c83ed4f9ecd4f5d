import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import type { DocumentPage, searchDocuments } from '#shared/contract/vault/document-pages.ts';
import { documentOrders, documentsPerPage, isInFilter, wordTest } from '#shared/rules/documents/document-lists.ts';

type Wanted = RouteBodyInput<typeof searchDocuments>;

/** True for a read of pages of documents. */
export const isOfDocuments = (key: string) => /^(GET \/api\/documents\/page|POST \/api\/documents\/search)/.test(key);

/** Answer of the service about these documents, newest first, to a read of a page. */
export function documentAnswer(documents: readonly VaultDocument[], key: string, body: unknown): DocumentPage {
  const [, query = ''] = key.split('?');
  const { from, ...wanted } = Object.fromEntries(new URLSearchParams(query));
  return pageOf(
    documents,
    key.startsWith('POST') ? (body as Wanted) : ({ ...wanted, from: Number(from ?? 0) } as Wanted),
  );
}

function pageOf(all: readonly VaultDocument[], { words = '', category = 'all', sort = 'newest', from = 0 }: Wanted) {
  const isMatch = wordTest(category, words) ?? (() => true);
  const found = all.filter((document) => isInFilter(document.category, category) && isMatch(document));
  const ordered = {
    newest: found,
    oldest: found.toReversed(),
    name: found.toSorted(documentOrders.name),
    largest: found.toSorted(documentOrders.largest),
  }[sort];
  const end = from + documentsPerPage;
  return {
    documents: ordered.slice(from, end),
    found: found.length,
    all: all.length,
    order: ordered.map(({ id }) => id).join(' '),
    next: end < found.length ? end : null,
  };
}
