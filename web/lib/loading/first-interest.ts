const signs = ['pointerover', 'pointerdown', 'touchstart', 'focusin'] as const;
const ownLink = 'a[href^="/"]';
const answersToScript = `${ownLink}, [data-tab], input`;

/**
 * Calls `load` at the first pointer, touch or keyboard contact with an element that needs scripts, so that readers
 * never load them. A product link that is pressed during the load is followed afterwards, as if pressed then. If the
 * load fails, the browser follows it.
 */
export function onFirstInterest(root: HTMLElement, load: () => Promise<void>): void {
  let loading: Promise<void> | undefined;

  const begin = () => {
    loading ??= load().finally(stop);
    return loading;
  };
  const notice = ({ target }: Event) => {
    if (target instanceof Element && target.closest(answersToScript)) begin().catch(leaveToBrowser);
  };
  const hold = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(ownLink) : null;
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    begin().then(
      () => link.click(),
      () => location.assign(link.href),
    );
  };
  function stop() {
    for (const sign of signs) root.removeEventListener(sign, notice);
    root.removeEventListener('click', hold);
  }

  for (const sign of signs) root.addEventListener(sign, notice, { passive: true });
  root.addEventListener('click', hold);
}

/** Without scripts the page still reads, and its links still lead on; there is nothing to say to the reader. */
function leaveToBrowser(): void {}
