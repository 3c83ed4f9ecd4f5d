import { useEffect } from 'react';
import { ApiError } from '#web/lib/api/api.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';
import { tellOpened } from './letter-calls.ts';

/** What only somebody at the screen does. A scroll is told by the wheel, the finger or the key that makes it. */
const signsOfAPerson = ['pointerdown', 'keydown', 'touchstart', 'wheel'] as const;

/** A letter that was before somebody for so long has been read, although they touched nothing. */
const readAfterMs = 10_000;

/**
 * Records that a person has the letter before them: at their first touch of the page, or once it was in the foreground for
 * ten seconds together. Loading it proves nothing: mail scanners load pages too, and some run their scripts.
 */
export function useOpening(token: string): void {
  useEffect(() => {
    let isUnderWay = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      for (const sign of signsOfAPerson) removeEventListener(sign, touched, true);
      document.removeEventListener('visibilitychange', watch);
    };
    const record = async () => {
      if (isUnderWay) return;
      isUnderWay = true;
      try {
        await tellOpened(token);
        stop();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // The reader need not know; the next touch, or another ten seconds, tries again.
        isUnderWay = false;
        if (!isFinal(error)) watch();
      }
    };
    // A script can send events, but not trusted ones.
    const touched = (event: Event) => (event.isTrusted ? record() : undefined);
    // A page that is fetched ahead, or stands behind others, is not visible; a browser that a program drives says so itself.
    const watch = () => {
      clearTimeout(timer);
      const isShown = document.visibilityState === 'visible' && !navigator.webdriver;
      timer = isShown ? setTimeout(record, readAfterMs) : undefined;
    };
    for (const sign of signsOfAPerson) addEventListener(sign, touched, { capture: true, passive: true });
    document.addEventListener('visibilitychange', watch);
    watch();
    return stop;
  }, [token]);
}
