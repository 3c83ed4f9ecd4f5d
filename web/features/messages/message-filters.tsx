import { Icon } from '#web/components/ui/icon.tsx';
import { type CategoryFilter, categoryFilters } from './message-list.rules.ts';

export type MessageFilter = { words: string; category: CategoryFilter };

type MessageFiltersProps = { filter: MessageFilter; onFilter: (filter: MessageFilter) => void };

/** Search and category. Both act at once, and neither asks the service. */
export function MessageFilters({ filter, onFilter }: MessageFiltersProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers from before 2023 do not know the element of that name.
    <div className="filters" role="search">
      <label className="search">
        <span className="vh">Search messages</span>
        <Icon name="search" />
        <input
          className="input"
          type="search"
          placeholder="Search messages..."
          value={filter.words}
          onChange={(event) => onFilter({ ...filter, words: event.target.value })}
        />
      </label>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what a form sends; these buttons only sift a list. */}
      <div className="chips" role="group" aria-label="Filter by category">
        {categoryFilters.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            className="chip"
            aria-pressed={filter.category === value}
            onClick={() => onFilter({ ...filter, category: value })}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}
