import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';

export type Tab = {
  /** Names the panel in the address, after `#`. */
  id: string;
  title: string;
  content: ReactNode;
};

/**
 * Parts of a page, one shown at a time. Before scripts run, the tabs are links and the style sheet shows the linked
 * part. Without any scripts all parts are shown. With scripts they follow the WAI-ARIA practices: arrows, Home and
 * End select, and the address names the selected tab.
 */
export function Tabs({ label, tabs }: { label: string; tabs: readonly [Tab, ...Tab[]] }) {
  const { isLive, selectedId, select } = useSelection(tabs);
  const list = useRef<HTMLElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isLive) return;
    const chosen = tabs[indexAfter(event.key, indexOf(tabs, selectedId), tabs.length)];
    if (!chosen) return;
    event.preventDefault();
    select(chosen.id);
    list.current?.querySelector<HTMLElement>(`[href="#${chosen.id}"]`)?.focus();
  };
  const onClick = (event: MouseEvent, id: string) => {
    if (!isLive) return;
    event.preventDefault();
    select(id);
  };

  return (
    <div className={isLive ? 'tabs is-live' : 'tabs'}>
      <nav ref={list} className="tabs-list noprint" role={isLive ? 'tablist' : undefined} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <a
            key={id}
            id={tabIdOf(id)}
            href={`#${id}`}
            data-tab=""
            onClick={(event) => onClick(event, id)}
            onKeyDown={onKeyDown}
            {...(isLive ? tabRole(id, id === selectedId) : {})}
          >
            {title}
          </a>
        ))}
      </nav>
      {tabs.map(({ id, title, content }) => (
        <section key={id} id={id} className="tab-panel" {...(isLive ? panelRole(id, id === selectedId) : {})}>
          <h2>{title}</h2>
          <div>{content}</div>
        </section>
      ))}
    </div>
  );
}

/** Selected tab: the one in the address, or else the first. */
function useSelection(tabs: readonly [Tab, ...Tab[]]) {
  const [isLive, setLive] = useState(false);
  const [selectedId, setSelectedId] = useState(tabs[0].id);
  useEffect(() => {
    const follow = () => {
      const named = tabs.find(({ id }) => location.hash === `#${id}`);
      if (named) setSelectedId(named.id);
    };
    follow();
    setLive(true);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [tabs]);

  const select = (id: string) => {
    setSelectedId(id);
    // Without a new entry in the history: going back leaves the page, as it did before.
    history.replaceState(history.state, '', `#${id}`);
  };
  return { isLive, selectedId, select };
}

const tabIdOf = (id: string) => `${id}-tab`;

function tabRole(id: string, isSelected: boolean) {
  return { role: 'tab', 'aria-selected': isSelected, 'aria-controls': id, tabIndex: isSelected ? 0 : -1 } as const;
}

function panelRole(id: string, isSelected: boolean) {
  return { role: 'tabpanel', 'aria-labelledby': tabIdOf(id), tabIndex: 0, hidden: !isSelected } as const;
}

function indexOf(tabs: readonly Tab[], id: string): number {
  return tabs.findIndex((tab) => tab.id === id);
}

/** Tab that a key selects; -1 for other keys. The row wraps around. */
function indexAfter(key: string, current: number, count: number): number {
  if (key === 'ArrowRight') return (current + 1) % count;
  if (key === 'ArrowLeft') return (current + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : -1;
}
