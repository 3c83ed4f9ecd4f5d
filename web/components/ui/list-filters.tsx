import { searchLengthMax } from '#shared/rules/letters/envelopes.ts';
import { Icon } from '#web/components/ui/icon.tsx';

export type ListFilter<Category extends string> = { words: string; category: Category };

type ListFiltersProps<Category extends string> = {
  /** Names the search: "Search messages". */
  label: string;
  placeholder: string;
  categories: readonly { value: Category; label: string }[];
  filter: ListFilter<Category>;
  onFilter: (filter: ListFilter<Category>) => void;
};

/** Search and category. */
export function ListFilters<Category extends string>({
  label,
  placeholder,
  categories,
  filter,
  onFilter,
}: ListFiltersProps<Category>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers from before 2023 do not know the element of that name.
    <div className="filters" role="search">
      <label className="search">
        <span className="vh">{label}</span>
        <Icon name="search" />
        <input
          className="input"
          type="search"
          placeholder={placeholder}
          maxLength={searchLengthMax}
          value={filter.words}
          onChange={(event) => onFilter({ ...filter, words: event.target.value })}
        />
      </label>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what a form sends; these buttons only sift a list. */}
      <div className="chips" role="group" aria-label="Filter by category">
        {categories.map(({ value, label: words }) => (
          <button
            key={value}
            type="button"
            className="chip"
            aria-pressed={filter.category === value}
            onClick={() => onFilter({ ...filter, category: value })}
          >
            {words}
          </button>
        ))}
      </div>
    </div>
  );
}
