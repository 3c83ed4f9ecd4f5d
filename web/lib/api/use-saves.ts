import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createSaves, type Saves, storedIn } from './saves.ts';

/** Saves of one form, and the stored item if another window or device has changed it. */
export function useSaves<Item extends { version: string }>(first: Item | undefined) {
  const client = useQueryClient();
  const [saves] = useState<Saves<Item>>(() => createSaves(first));
  const [conflict, setConflict] = useState<Item>();
  const [shown, setShown] = useState(first);
  return {
    saves,
    conflict,
    /** The stored item that the words in this window are to replace; undefined for a new one. */
    shown,
    /** True if the save failed because the item was changed elsewhere. Its owner then chooses. */
    isConflict: (error: unknown): boolean => {
      const stored = storedIn<Item>(error);
      if (!stored) return false;
      setConflict(stored);
      client.invalidateQueries();
      return true;
    },
    /** The owner has read the stored item, and goes on with the words in this window. */
    keepMine: (baseOf: (stored: Item) => Item = (stored) => stored) => {
      if (conflict) {
        const base = baseOf(conflict);
        saves.rebase(base);
        setShown(base);
      }
      setConflict(undefined);
    },
  };
}
