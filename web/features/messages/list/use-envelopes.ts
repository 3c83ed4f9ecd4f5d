import { useMemo } from 'react';
import type { Envelope, EnvelopeGroup, EnvelopePage } from '#shared/contract/letters/envelopes.ts';
import { type EnvelopeCategory, type EnvelopeSort, envelopesPerPage } from '#shared/rules/letters/envelopes.ts';
import { type ListPages, type ListSource, useListPages } from '#web/components/list-pages/use-list-pages.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf } from '#web/lib/api/reads.ts';

type Wanted = { words: string; category: EnvelopeCategory; sort: EnvelopeSort };

export type Envelopes = Omit<ListPages<EnvelopePage>, 'pages'> & {
  /** Groups of all pages that were read; undefined while the first one is loading. */
  groups: readonly EnvelopeGroup[] | undefined;
  envelopes: readonly Envelope[];
  /** True if the groups are those of people. Until another order has come, the list shows the order before it. */
  isByPerson: boolean;
};

const source: ListSource<EnvelopePage, Wanted> = {
  list: light.listEnvelopes,
  keyOf: (query) => keyOf(light.listEnvelopes, { query }),
  searchPath: light.searchEnvelopes.path,
  search: (body, signal) => call(light.searchEnvelopes, { body, signal }),
  usualSort: 'person',
  perPage: envelopesPerPage,
};

/** Letters of the owner as the service finds and sorts them, a page at a time. */
export function useEnvelopes(given: Wanted): Envelopes {
  const { pages, ...list } = useListPages(source, given);
  const groups = useMemo(() => joined(pages), [pages]);
  return {
    ...list,
    groups: pages.length > 0 ? groups : undefined,
    envelopes: useMemo(() => groups.flatMap(({ envelopes }) => envelopes), [groups]),
    isByPerson: list.isPlaceholder ? groups.some(({ key }) => key !== '') : given.sort === 'person',
  };
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
