import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

export type MenuItem = {
  label: string;
  onSelect: () => void;
  /** Keeps the menu open, so that the person sees the choice and can undo it. */
  staysOpen?: boolean;
  /** True if a line stands above it. */
  startsGroup?: boolean;
};

type MenuProps = {
  /** Content of the button that opens it, with words for a screen reader. */
  button: ReactNode;
  /** Content above the items, which can't be chosen. */
  head: ReactNode;
  items: readonly MenuItem[];
};

/** Space between the menu and the left edge of the window. */
const edgePx = 16;

/** A menu behind a button, as the WAI-ARIA practices describe it: arrows, Home, End and first letters move, Escape closes. */
export function Menu({ button, head, items }: MenuProps) {
  const [opened, setOpened] = useState<'by key' | 'by pointer'>();
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (andReturn: boolean) => {
    setOpened(undefined);
    if (andReturn) trigger.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    setOpened('by key');
  };
  return (
    <div className="drop-place">
      <button
        ref={trigger}
        type="button"
        className="avatar"
        id={`${id}-button`}
        aria-haspopup="menu"
        aria-expanded={opened !== undefined}
        aria-controls={opened && id}
        onKeyDown={onKeyDown}
        // A key that presses a button is a click without a pointer, and has no count.
        onClick={({ detail }) => setOpened(opened ? undefined : detail === 0 ? 'by key' : 'by pointer')}
      >
        {button}
      </button>
      {opened ? (
        <OpenMenu
          id={id}
          trigger={trigger}
          head={head}
          items={items}
          startsOnFirst={opened === 'by key'}
          onClose={close}
        />
      ) : null}
    </div>
  );
}

type OpenMenuProps = Omit<MenuProps, 'button'> & {
  id: string;
  trigger: { current: HTMLElement | null };
  /** True after a key: the focus starts on the first item. */
  startsOnFirst: boolean;
  /** `andReturn`: the focus goes back to the button, unless the person moved it. */
  onClose: (andReturn: boolean) => void;
};

function OpenMenu({ id, trigger, head, items, startsOnFirst, onClose }: OpenMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    (startsOnFirst ? itemsIn(menu.current)[0] : menu.current)?.focus();
  }, [startsOnFirst]);

  useLayoutEffect(() => {
    const element = menu.current;
    const { left } = element?.getBoundingClientRect() ?? { left: edgePx };
    // Ends at its button, unless there is too little room.
    if (element && left < edgePx) element.style.right = `${left - edgePx}px`;
  }, []);

  useCloseOutside([menu, trigger], onClose);

  const onKeyDown = (event: KeyboardEvent) => {
    // Nothing behind the menu is meant while it is open.
    if (event.key === 'Tab') event.preventDefault();
    if (event.key === 'Escape') onClose(true);
    const all = itemsIn(menu.current);
    const next = all[indexAfter(event, all)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    const isInside = [menu.current, trigger.current].some((part) => part?.contains(relatedTarget));
    if (relatedTarget && !isInside) onClose(false);
  };
  return (
    <div
      ref={menu}
      id={id}
      className="drop"
      role="menu"
      aria-labelledby={`${id}-button`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <div className="drop-who">{head}</div>
      {items.map(({ label, onSelect, staysOpen, startsGroup }) => (
        <div key={label} role="none">
          {startsGroup ? <hr className="drop-line" /> : null}
          <button
            type="button"
            role="menuitem"
            className="drop-item"
            tabIndex={-1}
            onPointerMove={({ currentTarget }) => currentTarget.focus()}
            onPointerLeave={() => menu.current?.focus()}
            onClick={() => {
              if (!staysOpen) onClose(true);
              onSelect();
            }}
          >
            {label}
          </button>
        </div>
      ))}
    </div>
  );
}

/** Closes on a press outside of these parts. */
function useCloseOutside(parts: readonly RefObject<HTMLElement | null>[], onClose: OpenMenuProps['onClose']): void {
  const latest = useRef({ parts, onClose });
  latest.current = { parts, onClose };
  useEffect(() => {
    const closeOutside = ({ target }: PointerEvent) => {
      const isInside = latest.current.parts.some((part) => part.current?.contains(target as Node));
      if (!isInside) latest.current.onClose(false);
    };
    addEventListener('pointerdown', closeOutside);
    return () => removeEventListener('pointerdown', closeOutside);
  }, []);
}

function itemsIn(menu: HTMLElement | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
}

/** Item that a key selects; -1 for other keys. The list does not wrap around. */
function indexAfter({ key, ctrlKey, altKey, metaKey }: KeyboardEvent, items: readonly HTMLElement[]): number {
  const current = items.indexOf(document.activeElement as HTMLElement);
  if (key === 'ArrowDown') return Math.min(current + 1, items.length - 1);
  if (key === 'ArrowUp') return current < 0 ? items.length - 1 : Math.max(current - 1, 0);
  if (key === 'Home' || key === 'PageUp') return 0;
  if (key === 'End' || key === 'PageDown') return items.length - 1;
  if (key.length !== 1 || key === ' ' || ctrlKey || altKey || metaKey) return -1;
  const begins = (item: HTMLElement | undefined) => item?.textContent?.toLowerCase().startsWith(key.toLowerCase());
  const order = items.map((_, index) => (current + 1 + index) % items.length);
  return order.find((index) => begins(items[index])) ?? -1;
}
