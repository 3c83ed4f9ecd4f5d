import { type FormEvent, useRef, useState } from 'react';
import { type ChecklistState, itemLengthMax } from '#shared/rules/checklists.ts';
import { Badge, type BadgeTone } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { ConfirmDialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { Icon, type IconName } from '#web/components/ui/icon.tsx';
import type { ChecklistCategory, Priority } from '#web/content/checklists.ts';
import { asReset, type ShownItem, shownItems, withItem, withTick } from './checklist.rules.ts';

const icons: Record<ChecklistCategory['iconType'], IconName> = {
  financial: 'coins',
  utilities: 'house',
  contacts: 'person',
  funeral: 'letter',
  digital: 'list',
};
const priorities: Record<Priority, { words: string; tone: BadgeTone }> = {
  high: { words: 'High priority', tone: 'warn' },
  medium: { words: 'Medium priority', tone: 'plain' },
  low: { words: 'Low priority', tone: 'plain' },
};

type ChecklistCardProps = {
  category: ChecklistCategory;
  state: ChecklistState;
  isDamaged: boolean;
  /** One list is open at a time; this one to begin with. */
  isOpenAtFirst: boolean;
  /** Absent where the plan has no checklists: they can be read, and nothing else. */
  onChange: ((state: ChecklistState) => void) | undefined;
};

/** One list, to tick and to make one's own. */
export function ChecklistCard({ category, state, isDamaged, isOpenAtFirst, onChange }: ChecklistCardProps) {
  const [isCustomizing, setCustomizing] = useState(false);
  // Later changes are up to the person and the browser.
  const [wasOpen] = useState(isOpenAtFirst);
  const items = shownItems(category.items, state);
  const done = items.filter(({ isCompleted }) => isCompleted).length;
  const priority = priorities[category.priority];
  const titleId = `list-${category.id}`;
  return (
    <Card as="section" className={onChange ? 'checklist' : 'checklist is-dim'} aria-labelledby={titleId}>
      {/* One shared name, so that the browser closes the others. */}
      <details name="checklists" open={wasOpen}>
        <summary className="checklist-head">
          <Icon name={icons[category.iconType]} />
          <h3 id={titleId}>{category.title}</h3>
          <Badge tone={priority.tone}>{priority.words}</Badge>
          <span className="checklist-count num" aria-live="polite">
            {done} of {items.length} done
          </span>
        </summary>
        {isDamaged ? (
          <DamagedNote>
            You see what this browser has kept of the list. What you changed on another device may be missing.
          </DamagedNote>
        ) : null}
        <ul className="checklist-items">
          {items.map((item) => (
            <Item
              key={item.text}
              item={item}
              onTick={onChange && ((isCompleted) => onChange(withTick(state, { ...item, isCompleted }, Date.now())))}
              onDelete={
                isCustomizing && onChange
                  ? () => onChange(withItem(state, { text: item.text, isListed: false }, Date.now()))
                  : undefined
              }
            />
          ))}
        </ul>
        {onChange ? (
          <div className="checklist-tools noprint">
            {isCustomizing ? <Customizing category={category} state={state} onChange={onChange} /> : null}
            <Button
              variant="secondary"
              size="small"
              aria-pressed={isCustomizing}
              aria-label={`${isCustomizing ? 'Done with' : 'Customize'} ${category.title}`}
              onClick={() => setCustomizing(!isCustomizing)}
            >
              {isCustomizing ? 'Done' : 'Customize'}
            </Button>
          </div>
        ) : null}
      </details>
    </Card>
  );
}

type ItemProps = {
  item: ShownItem;
  onTick: ((isCompleted: boolean) => void) | undefined;
  onDelete: (() => void) | undefined;
};

function Item({ item, onTick, onDelete }: ItemProps) {
  return (
    <li>
      <label className="box">
        <input
          type="checkbox"
          checked={item.isCompleted}
          disabled={!onTick}
          onChange={(event) => onTick?.(event.target.checked)}
        />
        <span>{item.text}</span>
      </label>
      {onDelete ? (
        <button type="button" className="icon-btn noprint" aria-label={`Delete: ${item.text}`} onClick={onDelete}>
          <Icon name="trash" />
        </button>
      ) : null}
    </li>
  );
}

type CustomizingProps = Pick<ChecklistCardProps, 'category' | 'state'> & { onChange: (state: ChecklistState) => void };

function Customizing({ category, state, onChange }: CustomizingProps) {
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const wanted = text.trim();
  const add = (event: FormEvent) => {
    event.preventDefault();
    input.current?.focus();
    if (wanted === '') return;
    onChange(withItem(state, { text: wanted, isListed: true }, Date.now()));
    setText('');
  };
  return (
    <>
      <form className="checklist-add" onSubmit={add}>
        <TextField
          ref={input}
          label="Add an item"
          autoComplete="off"
          maxLength={itemLengthMax}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" size="small" disabled={wanted === ''}>
          Add
        </Button>
      </form>
      <Button
        variant="text"
        size="small"
        aria-label={`Reset to the usual items: ${category.title}`}
        onClick={() => setAsking(true)}
      >
        Reset to the usual items
      </Button>
      <ConfirmDialog
        open={isAsking}
        title={`Reset ${category.title}?`}
        text="Your own items of this list are removed, and all its ticks are cleared."
        confirmLabel="Reset the list"
        cancelLabel="Keep it"
        onClose={() => setAsking(false)}
        onConfirm={() => {
          onChange(asReset(state, Date.now()));
          setAsking(false);
        }}
      />
    </>
  );
}
