import { type ListFilter, ListFilters } from '#web/components/ui/list-filters.tsx';
import { type CategoryFilter, categoryFilters } from './message-list.rules.ts';

export type MessageFilter = ListFilter<CategoryFilter>;

type MessageFiltersProps = { filter: MessageFilter; onFilter: (filter: MessageFilter) => void };

export function MessageFilters(props: MessageFiltersProps) {
  return (
    <ListFilters label="Search messages" placeholder="Search messages..." categories={categoryFilters} {...props} />
  );
}
