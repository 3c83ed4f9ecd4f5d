import { type UseQueryResult, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ApiError } from '#web/lib/api/api.ts';

/** The service is asked once nothing has been typed for this time. */
const typingPauseMs = 200;

/** Page of a list as the service answers it. */
export type ListPage = { found: number; all: number; order: string; next: number | null };

type Reading<Page> = {
  /** Read of the first page. While another search is read, it has the page before as a placeholder. */
  first: UseQueryResult<Page | null>;
  /** Key of the first page. Another key is another list. */
  key: readonly string[];
  /** Reads the page that begins at this index. Null for a visitor. */
  readPage: (from: number, signal: AbortSignal) => Promise<Page | null>;
  perPage: number;
};

export type ListPages<Page extends ListPage> = {
  /** All pages that were read; none while the first one is loading. */
  pages: readonly Page[];
  /** Number of items that were found, and of all items. */
  found: number;
  all: number;
  /** True while the list shows an earlier search or order. */
  isPlaceholder: boolean;
  isSignedOut: boolean;
  hasFailed: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  hasFailedMore: boolean;
  more: () => void;
  retry: () => void;
};

/** Reads a list as the service finds and sorts it, a page at a time. */
export function useListPages<Page extends ListPage>({ first, key, readPage, perPage }: Reading<Page>): ListPages<Page> {
  const client = useQueryClient();
  // Other words or another order show their first page alone.
  const [askedFor, setAskedFor] = useState('');
  const name = JSON.stringify(key);
  const isContinued = askedFor === name;
  const rest = useInfiniteQuery({
    queryKey: [...key, 'more'],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: perPage,
    getNextPageParam: (page) => page?.next ?? undefined,
    enabled: isContinued,
  });
  const following = isContinued && !first.isPlaceholderData ? rest.data?.pages : undefined;
  const pages = useMemo(
    () => [first.data, ...(following ?? [])].filter((page): page is Page => page != null),
    [first.data, following],
  );
  const last = pages.at(-1);
  const torn = tornBetween(pages);
  useEffect(() => {
    // All pages again, once for each such pair: items that moved across the cut would be missing.
    if (torn !== '') client.invalidateQueries({ queryKey: JSON.parse(name) });
  }, [torn, name, client]);
  return {
    pages,
    found: first.data?.found ?? 0,
    all: first.data?.all ?? 0,
    isPlaceholder: first.isPlaceholderData,
    isSignedOut: [first.data, ...(following ?? [])].includes(null),
    hasFailed: first.isError && !first.data,
    hasMore: last?.next != null,
    isLoadingMore: isContinued && (rest.isFetchingNextPage || rest.isLoading),
    hasFailedMore: isContinued && (rest.isFetchNextPageError || rest.isLoadingError),
    more: () => {
      if (!isContinued) setAskedFor(name);
      else if (rest.data) rest.fetchNextPage();
      else rest.refetch();
    },
    retry: () => first.refetch(),
  };
}

/** The words once they have stopped changing; no words count at once. */
export function useTypedOut(words: string): string {
  const [typed, setTyped] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(words), words === '' ? 0 : typingPauseMs);
    return () => clearTimeout(timer);
  }, [words]);
  return words === '' ? '' : typed;
}

/** Turns the refusal of a visitor into null, as reads of an address do. */
export function nullIfSignedOut(error: unknown): null {
  if (error instanceof ApiError && error.status === 401) return null;
  throw error;
}

/** Fingerprints of two pages that were read before and after a change of the list; empty if all are of one list. */
function tornBetween([first, ...others]: readonly ListPage[]): string {
  const other = others.find(({ order }) => order !== first?.order);
  return other && first ? `${first.order} ${other.order}` : '';
}
