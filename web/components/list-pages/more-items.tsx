import { useEffect, useRef } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import type { ListPage, ListPages } from './use-list-pages.ts';

type MoreItemsProps = {
  list: Pick<ListPages<ListPage>, 'hasMore' | 'isLoadingMore' | 'hasFailedMore' | 'more'> & {
    /** Number of all items of the list. Null if it is unknown. */
    found: number | null;
  };
  /** Number of items that the list shows. */
  shown: number;
  perPage: number;
  /** Selector of the items on the page, to move the focus. */
  items: string;
  /** Noun for several items: `messages`. */
  noun: string;
};

/** Offers the next page of the list, and states how much of it is shown. */
export function MoreItems({ list, shown, perPage, items, noun }: MoreItemsProps) {
  const { found, hasMore, isLoadingMore, hasFailedMore, more } = list;
  const status = useRef<HTMLParagraphElement>(null);
  const shownBefore = useRef<number>(undefined);
  useEffect(() => {
    const before = shownBefore.current;
    if (hasFailedMore) shownBefore.current = undefined;
    if (before === undefined || (shown <= before && hasMore)) return;
    shownBefore.current = undefined;
    // The focus follows the new items, as the reading does. If none came, the button is gone with the focus.
    const firstNew = document.querySelectorAll<HTMLElement>(items)[before];
    const target = firstNew?.querySelector<HTMLElement>('input, button, a') ?? firstNew ?? status.current;
    if (target === firstNew) target?.setAttribute('tabindex', '-1');
    target?.focus();
  }, [shown, hasMore, hasFailedMore, items]);
  const press = () => {
    if (isLoadingMore) return;
    shownBefore.current = shown;
    more();
  };
  if (!hasMore && shown <= perPage) return null;
  return (
    <div className="btns">
      {hasMore ? (
        <Button className="noprint" variant="secondary" busy={isLoadingMore} onClick={press}>
          {isLoadingMore ? 'Loading…' : hasFailedMore ? 'Try again' : 'Show more'}
        </Button>
      ) : null}
      <p className="quiet small" role="status" tabIndex={-1} ref={status}>
        {hasFailedMore && !isLoadingMore ? `We could not load more ${noun}. ` : ''}
        {countWords(shown, hasMore || found !== null ? found : shown)}
      </p>
    </div>
  );
}

function countWords(shown: number, found: number | null): string {
  const [some, all] = [shown, found].map((count) => count?.toLocaleString('en-GB'));
  return found === null ? `${some} shown` : `${some} of ${all} shown`;
}
