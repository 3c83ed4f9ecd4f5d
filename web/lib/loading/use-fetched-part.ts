import { useEffect, useState } from 'react';
import { idle } from '#web/lib/loading/idle.ts';
import { toast } from '#web/lib/toast.ts';

/**
 * A part of a page that few need at once, and that is fetched when it is first wanted. Gives it once it is there, and what fetches
 * it, which says whether it could be had: where not, a notice does, and whoever wanted it stays where they are.
 *
 * @param isFetchedWhenIdle whether it is fetched in any case, once the page has nothing more urgent to do.
 */
export function useFetchedPart<Part extends object>(
  fetchPart: () => Promise<Part>,
  { isFetchedWhenIdle = false } = {},
): [part: Part | undefined, fetch: () => Promise<boolean>] {
  const [part, setPart] = useState<Part>();
  useEffect(() => {
    if (isFetchedWhenIdle) idle().then(fetchPart).then(setPart, leaveToPress);
  }, [fetchPart, isFetchedWhenIdle]);
  const fetch = async () => {
    try {
      setPart(await fetchPart());
      return true;
    } catch {
      toast({
        title: 'That could not be loaded',
        description: 'The connection failed. Try again in a minute.',
        variant: 'destructive',
      });
      return false;
    }
  };
  return [part, fetch];
}

/** Whoever wants it is told. */
function leaveToPress(): void {}
