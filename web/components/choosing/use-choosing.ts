import { type RefObject, useRef, useState } from 'react';

type Thing = { id: string };

export type Choosing<T extends Thing> = {
  /** Those that are chosen, in the order of the list; null while none can be. */
  chosen: readonly T[] | null;
  /** True if one of them is; null while none can be. */
  isChosen: (thing: T) => boolean | null;
  choose: (thing: T) => void;
  all: () => void;
  begin: () => void;
  done: () => void;
  /** Of the button that begins: it has the focus again once nothing is chosen any more. */
  buttonRef: RefObject<HTMLButtonElement | null>;
};

/** Which of the things that a list shows are chosen, for something to be done with all of them. */
export function useChoosing<T extends Thing>(found: readonly T[]): Choosing<T> {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null);
  const buttonRef = useRef<HTMLButtonElement>(null);
  return {
    chosen: ids && found.filter(({ id }) => ids.has(id)),
    isChosen: ({ id }) => ids?.has(id) ?? null,
    choose: ({ id }) => {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setIds(next);
    },
    all: () => setIds(new Set(found.map(({ id }) => id))),
    begin: () => setIds(ids ? null : new Set()),
    done: () => {
      setIds(null);
      // The bar goes away, and the focus would go with it.
      buttonRef.current?.focus();
    },
    buttonRef,
  };
}
