import type { ReactNode, Ref } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { SelectField } from '#web/components/ui/field.tsx';
import { counted } from '#web/lib/format.ts';
import './choosing.css';

type ListBarProps<Sort extends string> = {
  /** Number of items; undefined while loading. */
  count: number | undefined;
  /** Noun for an item: `Message`. */
  noun: string;
  sort: Sort;
  sorts: readonly { value: Sort; label: string }[];
  onSort: (sort: Sort) => void;
  isSelecting: boolean;
  /** Absent while there is nothing to choose from. */
  onSelect: (() => void) | undefined;
  selectRef: Ref<HTMLButtonElement>;
  /** Whatever else decides how they are shown. */
  children?: ReactNode;
};

/** Number of things a list has, and how they are shown. */
export function ListBar<Sort extends string>({ count, noun, sort, sorts, onSort, ...rest }: ListBarProps<Sort>) {
  const { isSelecting, onSelect, selectRef, children } = rest;
  return (
    <div className="list-bar">
      {count === undefined ? (
        <div className="list-count-skel" />
      ) : (
        <h2 className="entries-title" aria-live="polite">
          {counted(count, noun)}
        </h2>
      )}
      <div className="list-bar-acts">
        {children}
        <div className="list-sort">
          <SelectField
            label="Sort"
            options={sorts}
            value={sort}
            onChange={({ currentTarget }) => onSort(currentTarget.value as Sort)}
          />
        </div>
        <Button
          ref={selectRef}
          variant="secondary"
          size="small"
          aria-pressed={isSelecting}
          onClick={onSelect}
          disabled={!onSelect}
        >
          Select
        </Button>
      </div>
    </div>
  );
}
