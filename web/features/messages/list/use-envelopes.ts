import { keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Envelope, EnvelopeGroup, EnvelopePage } from '#shared/contract/letters/envelopes.ts';
import { type EnvelopeCategory, type EnvelopeSort, envelopesPerPage } from '#shared/rules/letters/envelopes.ts';
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

type Wanted = { words: string; category: EnvelopeCategory; sort: EnvelopeSort };

export type Envelopes = Omit<ListPages<EnvelopePage>, 'pages' | 'isPlaceholder'> & {
  /** Groups of all pages that were read; undefined while the first one is loading. */
  groups: readonly EnvelopeGroup[] | undefined;
  envelopes: readonly Envelope[];
  /** True if the groups are those of people. Until another order has come, the list shows the order before it. */
  isByPerson: boolean;
  /** True while the list shows an earlier search or order. */
  isBehind: boolean;
  isSearch: boolean;
};

/** Letters of the owner as the service finds and sorts them, a page at a time. */
export function useEnvelopes(given: Wanted): Envelopes {
  const words = useTypedOut(given.words.trim());
  const wanted = { ...given, words };
  const key = pageKey(wanted);
  const { pages, isPlaceholder, ...list } = useListPages({
    first: useReadBy<EnvelopePage | null>({
      key,
      read: (signal) => readPage(wanted, 0, signal),
      placeholderData: keepPreviousData,
    }),
    key,
    readPage: (from, signal) => readPage(wanted, from, signal),
    perPage: envelopesPerPage,
  });
  const groups = useMemo(() => joined(pages), [pages]);
  return {
    ...list,
    groups: pages.length > 0 ? groups : undefined,
    envelopes: useMemo(() => groups.flatMap(({ envelopes }) => envelopes), [groups]),
    isByPerson: isPlaceholder ? groups.some(({ key }) => key !== '') : wanted.sort === 'person',
    isBehind: isPlaceholder || words !== given.words.trim(),
    isSearch: words !== '',
  };
}

/** The first page without words has the key of its address, under which the page's head has read it. */
function pageKey({ words, category, sort }: Wanted): readonly string[] {
  if (words === '') return keyOf(light.listEnvelopes, { query: queryOf({ category, sort }) });
  return [light.searchEnvelopes.path, words, category, sort];
}

/** Leaves out what the service assumes. */
function queryOf({ category, sort }: Pick<Wanted, 'category' | 'sort'>) {
  return {
    category: category === 'all' ? undefined : category,
    sort: sort === 'person' ? undefined : sort,
  };
}

/** Words are sent in the body: in an address they would reach logs. Null for a visitor. */
async function readPage(wanted: Wanted, from: number, signal: AbortSignal): Promise<EnvelopePage | null> {
  const { words, category, sort } = wanted;
  if (words !== '') {
    const search = call(light.searchEnvelopes, { body: { words, category, sort, from }, signal });
    return search.catch(nullIfSignedOut);
  }
  const queryKey = keyOf(light.listEnvelopes, { query: { ...queryOf(wanted), from: from || undefined } });
  return (await readByKey({ queryKey, signal }, light.listEnvelopes)) as EnvelopePage | null;
}

/** Joins the groups of consecutive pages. A letter that moved between two reads is shown once. */
function joined(pages: readonly EnvelopePage[]): EnvelopeGroup[] {
  const seen = new Set<string>();
  const groups = new Map<string, EnvelopeGroup>();
  for (const group of pages.flatMap(({ groups }) => groups)) {
    const envelopes = group.envelopes.filter(({ id }) => !seen.has(id));
    for (const { id } of envelopes) seen.add(id);
    const known = groups.get(group.key);
    groups.set(
      group.key,
      known ? { ...known, envelopes: [...known.envelopes, ...envelopes] } : { ...group, envelopes },
    );
  }
  return [...groups.values()];
}
