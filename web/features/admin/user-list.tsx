import { useEffect, useState } from 'react';
import { type AdminUser, usersPerPage } from '#shared/contract/admin.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { SelectField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { counted } from '#web/lib/format.ts';
import { asksForProof, useUsers } from './admin-data.ts';
import { Pages } from './pages.tsx';
import { type Selection, sortChoiceOf, sortChoices } from './user-list.rules.ts';
import { UserTable } from './user-table.tsx';

const skeletonRows = 5;
/** Delay after a key, so that typing causes few searches. */
const searchDelayMs = 250;

type UserListProps = {
  selection: Selection;
  onSelect: (users: readonly AdminUser[], isSelected: boolean) => void;
  onClear: () => void;
  onWrite: () => void;
  onEdit: (user: AdminUser) => void;
  onDelete: (user: AdminUser) => void;
};

/** Everybody who has an account: searched, sorted, page by page, and selected to be written to. */
export function UserList({ selection, onSelect, onClear, onWrite, ...acts }: UserListProps) {
  const [words, setWords] = useState('');
  const [sort, setSort] = useState('newest');
  /** The last user of each page before this one. */
  const [before, setBefore] = useState<readonly string[]>([]);
  const search = useLater(words.trim());
  const { sort: by, direction } = sortChoiceOf(sort);
  const users = useUsers({ search, sort: by, direction, after: before.at(-1) });
  // Another list begins with its first page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the list is of has changed, though this does not read it.
  useEffect(() => setBefore([]), [search, sort]);
  const shown = users.data ?? [];
  const last = shown.at(-1);
  return (
    <section className="stack" aria-labelledby="admin-users">
      <h2 className="h-card" id="admin-users">
        Users
      </h2>
      <Filters words={words} onWords={setWords} sort={sort} onSort={setSort} />
      <SelectionBar selection={selection} onClear={onClear} onWrite={onWrite} />
      {shown.length > 0 ? (
        <div className="card admin-sheet" aria-busy={users.isPlaceholderData}>
          <UserTable users={shown} selection={selection} onSelect={onSelect} {...acts} />
        </div>
      ) : users.data ? (
        <Empty drawing="key" title="Nobody found" text="Try other words, or fewer of them." />
      ) : users.isError && !asksForProof(users.error) ? (
        <LoadError title="Failed to fetch users" onRetry={() => users.refetch()} />
      ) : (
        <SkeletonRows rows={skeletonRows} label="Loading users" />
      )}
      {before.length === 0 && shown.length < usersPerPage ? null : (
        <Pages
          of="users"
          number={before.length + 1}
          hasNext={shown.length === usersPerPage && !users.isPlaceholderData}
          onPrevious={() => setBefore(before.slice(0, -1))}
          onNext={() => last && setBefore([...before, last.id])}
        />
      )}
    </section>
  );
}

type FiltersProps = { words: string; onWords: (words: string) => void; sort: string; onSort: (sort: string) => void };

function Filters({ words, onWords, sort, onSort }: FiltersProps) {
  return (
    <div className="admin-filters">
      {/* biome-ignore lint/a11y/useSemanticElements: browsers from before 2023 do not know the element of that name. */}
      <div role="search" className="admin-search">
        <label className="search">
          <span className="vh">Search users</span>
          <Icon name="search" />
          <input
            className="input"
            type="search"
            placeholder="Name or email address"
            maxLength={100}
            value={words}
            onChange={(event) => onWords(event.target.value)}
          />
        </label>
      </div>
      <SelectField
        label="Sort by"
        options={sortChoices}
        value={sort}
        onChange={(event) => onSort(event.target.value)}
      />
    </div>
  );
}

type SelectionBarProps = Pick<UserListProps, 'selection' | 'onClear' | 'onWrite'>;

/** Selected people, on this page and on others. */
function SelectionBar({ selection, onClear, onWrite }: SelectionBarProps) {
  const isEmpty = selection.size === 0;
  return (
    <div className="admin-selection">
      <p aria-live="polite">
        {isEmpty ? 'Select people to write to them.' : `${counted(selection.size, 'person', 'people')} selected`}
      </p>
      <div className="btns">
        <Button size="small" disabled={isEmpty} onClick={onWrite}>
          Send bulk email
        </Button>
        {isEmpty ? null : (
          <Button variant="text" size="small" onClick={onClear}>
            Clear the selection
          </Button>
        )}
      </div>
    </div>
  );
}

/** A value once it has stood still for a moment. */
function useLater(value: string): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), searchDelayMs);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}
