import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { Button } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { onDialogsChange, uppermostDialog } from '#web/lib/open-dialogs.ts';
import { dismissToast, type ToastEntry, toastDisplayMs } from '#web/lib/toast.ts';

/** Key that moves the focus to the notices. */
const hotkey = 'F8';
/** From where on a movement to the left is a push, and where a notice has been pushed away. */
const swipeFromPx = 10;
const swipedAwayPx = 50;
/** A live region is read out when its words change, so it has to be there before them, and must not stay after. */
const announcedAfterMs = 50;
const announcementEndsMs = 1_000;

/** The notices themselves, in a place without controls if there is one. Each stays while it is pointed at or holds the focus, or the window is left. */
export function ToastList({ entries }: { entries: readonly ToastEntry[] }) {
  // A modal dialog covers and silences whatever is outside of it, so while one is open, the notices stand in it.
  const dialog = useSyncExternalStore(onDialogsChange, uppermostDialog);
  const list = useRef<HTMLElement>(null);
  const place = useFreePlace(dialog === null ? entries : null);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    const reach = ({ key }: globalThis.KeyboardEvent) => {
      if (key === hotkey) list.current?.focus();
    };
    const leave = () => setHeld(true);
    const comeBack = () => setHeld(false);
    addEventListener('keydown', reach);
    addEventListener('blur', leave);
    addEventListener('focus', comeBack);
    return () => {
      removeEventListener('keydown', reach);
      removeEventListener('blur', leave);
      removeEventListener('focus', comeBack);
    };
  }, []);

  const close = (id: number) => {
    // The button that was pressed goes away, and the focus would go with it.
    if (list.current?.contains(document.activeElement)) list.current.focus();
    dismissToast(id);
  };
  const notices = (
    <section
      ref={list}
      className="notices"
      aria-label={`Notices (${hotkey})`}
      tabIndex={-1}
      onPointerMove={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={({ relatedTarget }) => {
        if (!list.current?.contains(relatedTarget)) setHeld(false);
      }}
    >
      <ol ref={place} className="toasts">
        {entries
          .filter(({ isOpen }) => isOpen)
          .map((entry) => (
            <ToastItem key={entry.id} entry={entry} isHeld={isHeld} onClose={close} />
          ))}
      </ol>
    </section>
  );
  return dialog ? createPortal(notices, dialog) : notices;
}

type ToastItemProps = { entry: ToastEntry; isHeld: boolean; onClose: (id: number) => void };

function ToastItem({ entry, isHeld, onClose }: ToastItemProps) {
  const { id, title, description, variant, action } = entry;
  const isBad = variant === 'destructive';
  const close = () => onClose(id);
  const swipe = useSwipe(close);
  useDisplayTime(isHeld, close);
  return (
    <li
      className={isBad ? 'toast toast-bad' : 'toast'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever reads it by keyboard keeps it from going.
      tabIndex={0}
      onKeyDown={({ key }: KeyboardEvent) => {
        if (key === 'Escape') close();
      }}
      {...swipe}
    >
      <Icon name={isBad ? 'warning' : 'check'} />
      <div>
        <b>{title}</b>
        {description === undefined ? null : <div>{description}</div>}
        {action ? (
          <Button
            variant="text"
            size="small"
            onClick={() => {
              close();
              action.run();
            }}
          >
            {action.label}
          </Button>
        ) : null}
      </div>
      <button type="button" className="icon-btn" aria-label="Dismiss" onClick={close}>
        <Icon name="close" />
      </button>
      <Announcement isUrgent={isBad} words={`Notice ${title} ${description ?? ''}`} />
    </li>
  );
}

/** Says a notice to a screen reader, once. */
function Announcement({ isUrgent, words }: { isUrgent: boolean; words: string }) {
  const [stage, setStage] = useState<'before' | 'now' | 'over'>('before');
  useEffect(() => {
    const begin = setTimeout(() => setStage('now'), announcedAfterMs);
    const end = setTimeout(() => setStage('over'), announcementEndsMs);
    return () => {
      clearTimeout(begin);
      clearTimeout(end);
    };
  }, []);
  if (stage === 'over') return null;
  return (
    <span className="vh" role={isUrgent ? 'alert' : 'status'}>
      {stage === 'now' ? words : ''}
    </span>
  );
}

/** Calls `end` after the time that a notice stands; while it is held, the rest of that time waits. */
function useDisplayTime(isHeld: boolean, end: () => void): void {
  const leftMs = useRef(toastDisplayMs);
  const latest = useRef(end);
  latest.current = end;
  useEffect(() => {
    if (isHeld) return;
    const startedMs = Date.now();
    const timer = setTimeout(() => latest.current(), leftMs.current);
    return () => {
      clearTimeout(timer);
      leftMs.current -= Date.now() - startedMs;
    };
  }, [isHeld]);
}

/** Follows a finger to the left, and calls `onAway` where it went far enough. */
function useSwipe(onAway: () => void) {
  const startX = useRef<number>(undefined);
  const move = (element: HTMLElement, byPx: number) => {
    element.style.transform = byPx < 0 ? `translateX(${byPx}px)` : '';
  };
  const end = ({ currentTarget, clientX }: PointerEvent<HTMLElement>, isDone: boolean) => {
    if (startX.current === undefined) return;
    const byPx = clientX - startX.current;
    startX.current = undefined;
    if (isDone && byPx <= -swipedAwayPx) onAway();
    else move(currentTarget, 0);
  };
  return {
    onPointerDown: ({ button, clientX }: PointerEvent<HTMLElement>) => {
      if (button === 0) startX.current = clientX;
    },
    onPointerMove: ({ currentTarget, clientX, pointerId }: PointerEvent<HTMLElement>) => {
      if (startX.current === undefined || startX.current - clientX < swipeFromPx) return;
      currentTarget.setPointerCapture(pointerId);
      move(currentTarget, clientX - startX.current);
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => end(event, true),
    onPointerCancel: (event: PointerEvent<HTMLElement>) => end(event, false),
  };
}

/** Elements that a person may press or type into next. */
const controls =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, label, [role=option], [role=tab], [role=menuitem]';
/** Distance between two places that are tried. */
const stepPx = 8;

type Span = { top: number; bottom: number };

/**
 * Moves a fixed list up or down to the nearest place where its first item covers no control, or else the fewest.
 *
 * @param shown changes with the content of the element; null if the element covers nothing anyway.
 */
export function useFreePlace(shown: unknown): RefObject<HTMLOListElement | null> {
  const element = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    const settle = () => place(list, shown !== null);
    settle();
    if (shown === null) return;
    // The page behind a notice is often still loading.
    const watch = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(settle);
    watch?.observe(document.body);
    addEventListener('resize', settle);
    addEventListener('scrollend', settle);
    return () => {
      watch?.disconnect();
      removeEventListener('resize', settle);
      removeEventListener('scrollend', settle);
    };
  }, [shown]);
  return element;
}

function place(list: HTMLElement, isFixed: boolean): void {
  list.style.translate = '';
  const shown = list.firstElementChild;
  if (!isFixed || !shown) return;
  const home = shown.getBoundingClientRect();
  const taken = [...document.querySelectorAll(controls)]
    .filter((control) => !list.contains(control) && control.checkVisibility?.() !== false)
    .map((control) => control.getBoundingClientRect())
    .filter(({ width, height, left, right }) => width > 0 && height > 0 && left < home.right && right > home.left);
  const shift = freeShift(home, taken, innerHeight);
  if (shift !== 0) list.style.translate = `0 ${shift}px`;
}

/** Distance from `home` to the nearest place within the window that covers no control, or else the fewest. */
export function freeShift(home: Span, taken: readonly Span[], windowHeight: number): number {
  const coveredAt = (shift: number) =>
    taken.filter(({ top, bottom }) => bottom > home.top + shift && top < home.bottom + shift).length;
  let best = { shift: 0, covered: coveredAt(0) };
  for (let distance = stepPx; best.covered > 0 && distance < windowHeight; distance += stepPx) {
    for (const shift of [distance, -distance]) {
      if (home.top + shift < 0 || home.bottom + shift > windowHeight) continue;
      const covered = coveredAt(shift);
      if (covered < best.covered) best = { shift, covered };
    }
  }
  return best.shift;
}
