import { type RefObject, useLayoutEffect, useRef } from 'react';

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Text in the named fields of the page when its scripts took over. */
const typed = new Map<string, string>();

/**
 * Stores text that was typed before the scripts ran. They may redraw the page, if the server's drawing is older than
 * a moment or a day, and then its fields are new and empty.
 */
export function noteTyped(page: ParentNode): void {
  for (const control of page.querySelectorAll<TextControl>('input[name]:not([type=password]), textarea[name]')) {
    if (control.value !== control.defaultValue) typed.set(control.name, control.value);
  }
}

/**
 * Returns once the text that was typed before the scripts ran. React does not know it, and would remove it with the
 * next change.
 *
 * @param name of the field; null if other fields of the page have the same name.
 */
export function useTypedBefore<Control extends TextControl>(
  name: string | null,
  onTyped: (value: string) => void,
): RefObject<Control | null> {
  const control = useRef<Control>(null);
  const tell = useRef(onTyped);
  useLayoutEffect(() => {
    const value = control.current?.value || (name === null ? '' : typed.get(name));
    if (name !== null) typed.delete(name);
    if (value) tell.current(value);
  }, [name]);
  return control;
}
