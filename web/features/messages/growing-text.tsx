import { type ComponentProps, useCallback, useLayoutEffect, useRef } from 'react';

type GrowingTextProps = ComponentProps<'textarea'> & {
  /** One line that may be broken for the eye, but holds no line break. */
  oneLine?: boolean;
};

/** A place to write that is as tall as its words. Nothing of them is ever out of sight. */
export function GrowingText({ ref, oneLine = false, onKeyDown, onInput, ...rest }: GrowingTextProps) {
  const element = useRef<HTMLTextAreaElement>(null);
  const hold = useCallback(
    (node: HTMLTextAreaElement | null) => {
      element.current = node;
      if (typeof ref === 'function') ref(node);
      else if (ref) ref.current = node;
    },
    [ref],
  );
  useLayoutEffect(() => stretch(element.current));
  return (
    <textarea
      rows={1}
      {...rest}
      ref={hold}
      onKeyDown={(event) => {
        if (oneLine && event.key === 'Enter') event.preventDefault();
        onKeyDown?.(event);
      }}
      onInput={(event) => {
        const { currentTarget } = event;
        // Pasted text may have several lines.
        if (oneLine && /[\r\n]/.test(currentTarget.value))
          currentTarget.value = currentTarget.value.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space));
        stretch(currentTarget);
        onInput?.(event);
      }}
    />
  );
}

/** Browsers from before 2024 do not let a field grow by themselves. */
function stretch(element: HTMLTextAreaElement | null): void {
  if (!element || globalThis.CSS?.supports?.('field-sizing', 'content') !== false) return;
  element.style.height = 'auto';
  element.style.height = `${element.scrollHeight}px`;
}
