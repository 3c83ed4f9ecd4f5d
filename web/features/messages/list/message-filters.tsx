import type { EnvelopeCategory } from '#shared/rules/letters/envelopes.ts';
import { type ListFilter, ListFilters } from '#web/components/ui/list-filters.tsx';
import { categoryFilters } from './message-list.rules.ts';

export type MessageFilter = ListFilter<EnvelopeCategory>;

type MessageFiltersProps = { filter: MessageFilter; onFilter: (filter: MessageFilter) => void };

export function MessageFilters(props: MessageFiltersProps) {
  return (
    <ListFilters label="Search messages" placeholder="Search messages..." categories={categoryFilters} {...props} />
  );
}
