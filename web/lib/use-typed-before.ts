import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For a field of a page that is there before its scripts: tells once what was typed into it by then, of which React knows
 * nothing, and which it would take away with the next change.
 */
export function useTypedBefore<Control extends { value: string }>(
  onTyped: (value: string) => void,
): RefObject<Control | null> {
  const control = useRef<Control>(null);
  const tell = useRef(onTyped);
  useLayoutEffect(() => {
    const typed = control.current?.value ?? '';
    if (typed !== '') tell.current(typed);
  }, []);
  return control;
}
