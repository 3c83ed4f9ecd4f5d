import { useEffect, useRef, useState } from 'react';
import { idle } from '#web/lib/loading/idle.ts';
import { toast } from '#web/lib/toast.ts';
import { fetchQuietly, notFetched } from './not-fetched.ts';

export type FetchedPart<Part> = {
  /** Undefined until it is there. */
  part: Part | undefined;
  /** True if a caller waits for it. */
  isFetching: boolean;
  /**
   * Resolves to true if the part is loaded and still wanted, and to false after another choice or a closed page. If
   * it can't load, a notice says so, and the person stays on the page.
   */
  want(): Promise<boolean>;
  /** Something else is wanted now. */
  unwant(): void;
};

/**
 * A part of a page that few need at once, and that is fetched when it is first wanted.
 *
 * @param isFetchedWhenIdle whether it is fetched in any case, once the page has nothing more urgent to do.
 */
export function useFetchedPart<Part extends object>(
  fetchPart: () => Promise<Part>,
  { isFetchedWhenIdle = false } = {},
): FetchedPart<Part> {
  const [part, setPart] = useState<Part>();
  const [isFetching, setFetching] = useState(false);
  const wishes = useRef(0);
  useEffect(() => {
    if (isFetchedWhenIdle) idle().then(() => fetchQuietly(fetchPart, setPart));
  }, [fetchPart, isFetchedWhenIdle]);
  useEffect(
    () => () => {
      wishes.current += 1;
    },
    [],
  );

  return {
    part,
    isFetching,
    async want() {
      wishes.current += 1;
      const wish = wishes.current;
      if (part) return true;
      setFetching(true);
      const fetched = await fetchPart().catch(() => null);
      if (wish !== wishes.current) return false;
      setFetching(false);
      if (fetched) setPart(fetched);
      else toast(notFetched);
      return fetched !== null;
    },
    unwant() {
      wishes.current += 1;
      setFetching(false);
    },
  };
}
