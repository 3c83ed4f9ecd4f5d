import { type RefObject, useLayoutEffect, useRef } from 'react';

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** What stood in the named fields of the page when its scripts took it over. */
const typed = new Map<string, string>();

/**
 * Notes what somebody has typed into a page that was there before its scripts. They may draw it again, where a moment
 * or a day has passed since the server has drawn it, and then its fields are others and empty.
 */
export function noteTyped(page: ParentNode): void {
  for (const control of page.querySelectorAll<TextControl>('input[name]:not([type=password]), textarea[name]')) {
    if (control.value !== control.defaultValue) typed.set(control.name, control.value);
  }
}

/**
 * Tells once what was typed into a field before the scripts had come: React knows nothing of it, and would take it away
 * with the next change.
 */
export function useTypedBefore<Control extends TextControl>(
  name: string,
  onTyped: (value: string) => void,
): RefObject<Control | null> {
  const control = useRef<Control>(null);
  const tell = useRef(onTyped);
  useLayoutEffect(() => {
    const value = control.current?.value || typed.get(name);
    typed.delete(name);
    if (value) tell.current(value);
  }, [name]);
  return control;
}
