import { idle } from '#web/lib/loading/idle.ts';
import { holdPresses, leaveToBrowser, pressAgain } from '#web/lib/loading/pending-press.ts';

const signs = ['pointerover', 'pointerdown', 'touchstart', 'focusin'] as const;
const controls = 'a, button, input, textarea, select, summary, label, audio, video';
/**
 * Elements that scripts show differently: a question that accepts any answer yet, a letter that needs scripts, a
 * voice in the browser's own player. They must not change during use.
 */
const shownOtherwise = 'form:not([data-posted-by]), input, audio';

/**
 * Calls `load` at the first pointer, touch or keyboard contact with a usable element, on a page that works without
 * scripts. Readers never load them. If scripts would show the page differently, they load with the page. Presses
 * during the load are done afterwards; if it fails, the browser does them.
 */
export function onFirstUse(page: HTMLElement, load: () => Promise<void>): void {
  let loading: Promise<void> | undefined;
  const begin = () => {
    if (loading) return;
    stop();
    loading = load().then(
      () => pressAgain(page),
      () => {
        leaveToBrowser();
        // The next touch tries again.
        loading = undefined;
        listen();
      },
    );
  };
  const notice = ({ target }: Event) => {
    if (target instanceof Element && target.closest(controls)) begin();
  };
  function stop() {
    for (const sign of signs) page.removeEventListener(sign, notice);
  }

  function listen() {
    for (const sign of signs) page.addEventListener(sign, notice, { passive: true });
    holdPresses(page, begin);
  }

  listen();
  if (page.querySelector(shownOtherwise))
    document.addEventListener('DOMContentLoaded', () => idle().then(begin), { once: true });
}
