import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';

const unsaved = new Set<object>();
const question = 'You have changes that are not saved. Leave this page?';

/** Asks before the page is left, closed or reloaded, while `isUnsaved` holds. */
export function useLeaveWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const mark = {};
    unsaved.add(mark);
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(mark);
      removeEventListener('beforeunload', warn);
    };
  }, [isUnsaved]);
}

/** Given to the router: a link inside the product asks as well. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  if (unsaved.size === 0 || confirm(question)) navigate(to, options);
};
