import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Route } from '#shared/contract/route.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { readByKey } from '#web/lib/api/query.ts';
import { useReadBy } from '#web/lib/api/reads.ts';

/** The service is asked once nothing has been typed for this time. */
const typingPauseMs = 200;

/** Page of a list as the service answers it. */
export type ListPage = { found: number; all: number; order: string; next: number | null };

/** Search, filter and order of a list. */
type Wanted = { words: string; category: string; sort: string };
/** The query of a list, without the defaults of the service. */
type Query<W extends Wanted> = {
  category: Exclude<W['category'], 'all'> | undefined;
  sort: W['sort'] | undefined;
  from?: number | undefined;
};

/** Reads of the pages of one list from the service. */
export type ListSource<Page, W extends Wanted> = {
  list: Route;
  /** Key of a read of `list`: its address. */
  keyOf: (query: Query<W>) => readonly string[];
  /** Path of the search, which begins its keys. */
  searchPath: string;
  /** Words are sent in the body: in an address they would reach logs. */
  search: (wanted: W & { from: number }, signal: AbortSignal) => Promise<Page>;
  /** Order that the service takes by default. */
  usualSort: W['sort'];
  perPage: number;
};

export type ListPages<Page extends ListPage> = {
  /** All pages that were read; none while the first one is loading. */
  pages: readonly Page[];
  /** Number of items that were found, and of all items. */
  found: number;
  all: number;
  /** True while the pages are those of an earlier search or order. */
  isPlaceholder: boolean;
  /** True while they are, and while the person is typing. */
  isBehind: boolean;
  isSearch: boolean;
  isSignedOut: boolean;
  hasFailed: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  hasFailedMore: boolean;
  more: () => void;
  retry: () => void;
};

/** Reads a list as the service finds and sorts it, a page at a time. */
export function useListPages<Page extends ListPage, W extends Wanted>(
  source: ListSource<Page, W>,
  given: W,
): ListPages<Page> {
  const words = useTypedOut(given.words.trim());
  const wanted = { ...given, words };
  const key = pageKey(source, wanted);
  const first = useReadBy<Page | null>({
    key,
    read: (signal) => readPage(source, wanted, 0, signal),
    placeholderData: keepPreviousData,
  });
  const client = useQueryClient();
  // Other words or another order show their first page alone.
  const [askedFor, setAskedFor] = useState('');
  const name = JSON.stringify(key);
  const isContinued = askedFor === name;
  const rest = useInfiniteQuery({
    queryKey: [...key, 'more'],
    queryFn: ({ pageParam, signal }) => readPage(source, wanted, pageParam, signal),
    initialPageParam: source.perPage,
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
    isBehind: first.isPlaceholderData || words !== given.words.trim(),
    isSearch: words !== '',
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

/** The first page without words has the key of its address, under which the page's head has read it. */
function pageKey<Page, W extends Wanted>(source: ListSource<Page, W>, wanted: W): readonly string[] {
  const { words, category, sort } = wanted;
  return words === '' ? source.keyOf(queryOf(source, wanted)) : [source.searchPath, words, category, sort];
}

function queryOf<Page, W extends Wanted>({ usualSort }: ListSource<Page, W>, { category, sort }: W): Query<W> {
  return {
    category: category === 'all' ? undefined : (category as Exclude<W['category'], 'all'>),
    sort: sort === usualSort ? undefined : sort,
  };
}

/** Null for a visitor. */
async function readPage<Page, W extends Wanted>(
  source: ListSource<Page, W>,
  wanted: W,
  from: number,
  signal: AbortSignal,
): Promise<Page | null> {
  if (wanted.words !== '') return source.search({ ...wanted, from }, signal).catch(nullIfSignedOut);
  const queryKey = source.keyOf({ ...queryOf(source, wanted), from: from || undefined });
  return (await readByKey({ queryKey, signal }, source.list)) as Page | null;
}

/** The words once they have stopped changing; no words count at once. */
function useTypedOut(words: string): string {
  const [typed, setTyped] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(words), words === '' ? 0 : typingPauseMs);
    return () => clearTimeout(timer);
  }, [words]);
  return words === '' ? '' : typed;
}

/** Turns the refusal of a visitor into null, as reads of an address do. */
function nullIfSignedOut(error: unknown): null {
  if (error instanceof ApiError && error.status === 401) return null;
  throw error;
}

/** Fingerprints of two pages that were read before and after a change of the list; empty if all are of one list. */
function tornBetween([first, ...others]: readonly ListPage[]): string {
  const other = others.find(({ order }) => order !== first?.order);
  return other && first ? `${first.order} ${other.order}` : '';
}
