/** Signs that a press may have ended. A menu or a drag can end one without a sign of its own, but then the pointer moves. */
const signs = ['pointerup', 'pointercancel', 'pointermove', 'keyup', 'dragend'] as const;

/**
 * Calls `proceed` as soon as nothing on the page is being pressed. A press is lost if its element is replaced between its
 * beginning and its end: browsers then report no click.
 */
export function afterPress(page: Element, proceed: () => void): void {
  if (!page.matches(':active')) {
    proceed();
    return;
  }
  const waiting = new AbortController();
  const lookAgain = () => {
    waiting.abort();
    // The click follows the end of its press at once.
    setTimeout(() => afterPress(page, proceed));
  };
  for (const sign of signs) addEventListener(sign, lookAgain, waiting);
}
