import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { FindProps } from '#web/components/layout/find-button.tsx';
import { type KeysProps, useKeys } from './use-keys.tsx';

/** The palette and the keys of a page, fetched after it. `onFind` gets what opens the palette; it is to stay the same. */
export function Keys({ onFind, ...props }: KeysProps & { onFind: (find: FindProps) => void }): ReactNode {
  const { find, dialogs } = useKeys(props);
  const { shortcut } = find;
  const latest = useRef(find);
  latest.current = find;
  useLayoutEffect(() => onFind({ open: () => latest.current.open(), shortcut }), [onFind, shortcut]);
  return dialogs;
}
