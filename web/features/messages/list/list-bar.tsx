import type { Ref } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { SelectField } from '#web/components/ui/field.tsx';
import { counted } from '#web/lib/format.ts';
import { type LetterSort, letterSorts } from './letter-groups.rules.ts';

type ListBarProps = {
  /** How many there are; undefined while they are being read. */
  count: number | undefined;
  hidesWords: boolean;
  onHideWords: (isHidden: boolean) => void;
  sort: LetterSort;
  onSort: (sort: LetterSort) => void;
  isSelecting: boolean;
  /** Absent while there is nothing to choose from. */
  onSelect: (() => void) | undefined;
  selectRef: Ref<HTMLButtonElement>;
};

/** How many letters there are, and how they are shown. */
export function ListBar({ count, hidesWords, onHideWords, sort, onSort, ...selecting }: ListBarProps) {
  const { isSelecting, onSelect, selectRef } = selecting;
  return (
    <div className="lbar">
      {count === undefined ? (
        <div className="lcount-skel" />
      ) : (
        <h2 className="entries-title" aria-live="polite">
          {counted(count, 'Message')}
        </h2>
      )}
      <div className="lbar-acts">
        <label className="switch">
          <input
            type="checkbox"
            checked={hidesWords}
            onChange={({ currentTarget }) => onHideWords(currentTarget.checked)}
          />
          <span>Hide the words</span>
        </label>
        <div className="lsort">
          <SelectField
            label="Sort"
            options={letterSorts}
            value={sort}
            onChange={({ currentTarget }) => onSort(currentTarget.value as LetterSort)}
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
