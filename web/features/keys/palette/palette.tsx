import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeysProps } from '../use-keys.tsx';
import { countWords, foundIn, movedBy } from './palette.rules.ts';
import {
  type PaletteGo,
  type PaletteGroup,
  type PaletteItem,
  paletteGroups,
  searchesElsewhere,
} from './palette-items.ts';
import './palette.css';

/** Finds by words, as a combobox with a list below it (WAI-ARIA practices). Choosing opens a page and does nothing else. */
export function Palette({ onChoose, ...having }: KeysProps & { onChoose: (go: PaletteGo) => void }) {
  const id = useId();
  const [words, setWords] = useState('');
  const [active, setActive] = useState(0);
  const groups = useFound(having, words);
  const items = groups.flatMap((group) => group.items);
  const optionId = (item: PaletteItem | undefined) => item && `${id}-${item.id}`;
  const activeItem = items[active];
  const onKeyDown = (event: KeyboardEvent) => {
    const { ctrlKey, metaKey, altKey, shiftKey, nativeEvent } = event;
    if (ctrlKey || metaKey || altKey || shiftKey || nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (activeItem) onChoose(activeItem.go);
      return;
    }
    const next = movedBy(event.key, active, items.length);
    if (next === null) return;
    event.preventDefault();
    setActive(next);
  };
  return (
    <div className="palette">
      <label className="field">
        <span className="label">Page, action, letter, document or contact</span>
        <input
          className="input"
          type="text"
          role="combobox"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={optionId(activeItem)}
          value={words}
          onKeyDown={onKeyDown}
          onChange={({ currentTarget }) => {
            setWords(currentTarget.value);
            setActive(0);
          }}
        />
      </label>
      {/* Words that change stand in an element of their own, so that a translated page can change them. */}
      <p role="status" className={items.length > 0 ? 'small quiet' : undefined}>
        <span key={countWords(items.length)}>{countWords(items.length)}</span>
      </p>
      <Results {...{ id, groups, activeItem, optionId, onChoose }} onPoint={(item) => setActive(items.indexOf(item))} />
    </div>
  );
}

function useFound({ user, hasPage }: KeysProps, words: string): PaletteGroup[] {
  const client = useQueryClient();
  const groups = useMemo(() => paletteGroups({ user, hasPage, client }), [user, hasPage, client]);
  return useMemo(() => {
    const items = searchesElsewhere(words, client);
    const elsewhere = items.length > 0 ? [{ title: 'Search', items, isShownUnasked: false }] : [];
    return [...foundIn<PaletteItem, PaletteGroup>(groups, words), ...elsewhere];
  }, [groups, words, client]);
}

type ResultsProps = {
  id: string;
  groups: readonly PaletteGroup[];
  activeItem: PaletteItem | undefined;
  optionId: (item: PaletteItem) => string | undefined;
  onPoint: (item: PaletteItem) => void;
  onChoose: (go: PaletteGo) => void;
};

function Results({ id, groups, activeItem, optionId, onPoint, onChoose }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  const activeId = activeItem && optionId(activeItem);
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' });
  }, [activeId]);
  return (
    <div ref={list} className="palette-list" id={`${id}-list`} role="listbox" aria-label="Results" tabIndex={-1}>
      {groups.map(({ title, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list box.
        <div key={title} role="group" aria-labelledby={`${id}-${title}`}>
          <div className="palette-title" id={`${id}-${title}`} role="presentation">
            {title}
          </div>
          {items.map((item) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are read by the field, which keeps the focus.
            <div
              key={item.id}
              id={optionId(item)}
              className="palette-item"
              role="option"
              aria-selected={item === activeItem}
              tabIndex={-1}
              onPointerMove={() => onPoint(item)}
              // The focus stays in the field.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(item.go)}
            >
              <bdi key={item.label}>{item.label}</bdi>
              {item.note ? <small>{item.note}</small> : null}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
