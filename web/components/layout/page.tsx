import { type ReactNode, useEffect, useRef } from 'react';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { useTitle } from '#web/lib/use-title.ts';

type PageProps = {
  /** Names the document and, unless `heading` is given, stands above the page. */
  title: string;
  /** Another first heading than the title; null where the page draws its own `h1` through `PageHeading`. */
  heading?: ReactNode;
  /** The sentence below the heading. */
  intro?: ReactNode;
  /** Buttons and badges beside the heading. */
  actions?: ReactNode;
  width?: 'wide' | 'narrow';
  children: ReactNode;
};

/** Main part of a page: sets the document title, and focuses the heading after a navigation. */
export function Page({ title, heading = title, intro, actions, width = 'wide', children }: PageProps) {
  useTitle(title);
  return (
    <main id="main" className={width === 'narrow' ? 'main narrow stack' : 'main wrap stack'} tabIndex={-1}>
      {heading === null ? null : (
        <div className="page-head">
          <div>
            <PageHeading>{heading}</PageHeading>
            {intro ? <p>{intro}</p> : null}
          </div>
          {actions ? <div className="btns">{actions}</div> : null}
        </div>
      )}
      {children}
    </main>
  );
}

/** In place of a page that is on its way. */
export function Waiting() {
  return (
    <main id="main" className="waiting">
      <Spinner />
    </main>
  );
}

const firstPath = typeof location === 'undefined' ? '' : location.pathname;
let headingsShown = 0;

let hasActed = false;
const acted = () => {
  hasActed = true;
};
const arrived = () => {
  hasActed = false;
};
if (typeof addEventListener === 'function') {
  for (const act of ['pointerdown', 'keydown']) addEventListener(act, acted, true);
  // A navigation ends the state of the previous one. The router announces it by the first of these events.
  for (const way of ['pushState', 'popstate']) addEventListener(way, arrived);
}

/** True if the person moved the focus outside of the page while it was loading, such as into a menu. */
function isFocusTheirs(): boolean {
  const focused = document.activeElement;
  return hasActed && focused !== null && focused !== document.body && focused.closest('main') === null;
}

/**
 * First heading of a page. A new one takes the focus, except the first of a visit, or after the person moved the
 * focus.
 */
export function PageHeading({ children, className }: { children: ReactNode; className?: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const isFirst = headingsShown === 0 && location.pathname === firstPath;
    headingsShown += 1;
    // The browser itself reads out the first page; moving the focus there would skip the header.
    if (!isFirst && !location.hash && !isFocusTheirs()) ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={ref} className={className} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** First element of every page, for people without a mouse. */
export function SkipLink() {
  return (
    <a className="skip" href="#main">
      Skip to the content
    </a>
  );
}
