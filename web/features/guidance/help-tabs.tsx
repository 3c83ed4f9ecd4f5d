import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { Badge } from '#web/components/ui/badge.tsx';

export type HelpTab = {
  /** Names the tab in the address, after `#`. */
  id: string;
  title: string;
  needsUpgrade: boolean;
  content: ReactNode;
};

type HelpTabsProps = { tabs: readonly HelpTab[]; selectedId: string };

/** The tabs of the help page, as the WAI-ARIA practices describe them, and a link to the FAQs. */
export function HelpTabs({ tabs, selectedId }: HelpTabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const current = tabs.findIndex(({ id }) => id === selectedId);
    const chosen = tabs[indexAfter(event.key, current, tabs.length)];
    if (!chosen) return;
    event.preventDefault();
    select(chosen.id);
    list.current?.querySelector<HTMLElement>(`[href="#${chosen.id}"]`)?.focus();
  };
  return (
    <div className="help-tabs">
      <div className="tabs-list noprint">
        <div ref={list} className="help-tablist" role="tablist" aria-label="Help and guidance">
          {tabs.map(({ id, title, needsUpgrade }) => (
            <a
              key={id}
              id={`${id}-tab`}
              href={`#${id}`}
              role="tab"
              aria-selected={id === selectedId}
              aria-controls={id === selectedId ? `${id}-panel` : undefined}
              tabIndex={id === selectedId ? 0 : -1}
              onKeyDown={onKeyDown}
            >
              {title}
              {needsUpgrade ? (
                <>
                  {' '}
                  <Badge tone="warn">Upgrade</Badge>
                </>
              ) : null}
            </a>
          ))}
        </div>
        <Link href="/faq">FAQs</Link>
      </div>
      {tabs
        .filter(({ id }) => id === selectedId)
        .map(({ id, title, content }) => (
          <section key={id} id={`${id}-panel`} className="help-panel" role="tabpanel" aria-labelledby={`${id}-tab`}>
            <h2 className="vh">{title}</h2>
            {content}
          </section>
        ))}
    </div>
  );
}

/** Goes to a tab without a new entry in the history: going back leaves the page. */
function select(id: string) {
  location.replace(`#${id}`);
}

/** Tab that a key selects; -1 for other keys. The row wraps around. */
function indexAfter(key: string, current: number, count: number): number {
  if (key === 'ArrowRight') return (current + 1) % count;
  if (key === 'ArrowLeft') return (current + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : -1;
}
