import { type RefObject, useRef, useState } from 'react';

type Thing = { id: string };

export type Choosing<T extends Thing> = {
  /** Chosen items in list order; null while choosing is off. */
  chosen: readonly T[] | null;
  /** True if one of them is; null while none can be. */
  isChosen: (thing: T) => boolean | null;
  choose: (thing: T) => void;
  all: () => void;
  begin: () => void;
  done: () => void;
  /** Button that starts choosing. The focus returns to it at the end. */
  buttonRef: RefObject<HTMLButtonElement | null>;
};

/** State of choosing several items of a list for one action. */
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
