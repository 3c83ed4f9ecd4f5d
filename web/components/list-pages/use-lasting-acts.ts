import { useLayoutEffect, useMemo, useRef } from 'react';

type Acts<Item> = Record<string, (item: Item) => void>;

/** Acts on items as one lasting object, so that an item of a list is drawn again only if it shows something else. */
export function useLastingActs<Item, Given extends Acts<Item>>(acts: Given & Acts<Item>): Given {
  const latest = useRef<Acts<Item>>(acts);
  useLayoutEffect(() => {
    latest.current = acts;
  });
  const names = Object.keys(acts).join(' ');
  return useMemo(() => {
    const lasting = names.split(' ').map((name) => [name, (item: Item) => latest.current[name]?.(item)]);
    return Object.fromEntries(lasting) as Given;
  }, [names]);
}
