import { useEffect } from 'react';
import { ApiError } from '#web/lib/api.ts';
import { tellOpened } from './letter-calls.ts';

/** What only somebody at the screen does. A scroll is told by the wheel, the finger or the key that makes it. */
const signsOfAPerson = ['pointerdown', 'keydown', 'touchstart', 'wheel'] as const;

/**
 * Records that a person has the letter before them, at their first touch of the page. Loading it proves nothing:
 * mail scanners load pages too, and some run their scripts.
 */
export function useOpening(token: string): void {
  useEffect(() => {
    let isUnderWay = false;
    const stop = () => {
      for (const sign of signsOfAPerson) removeEventListener(sign, record, true);
    };
    const record = async (event: Event) => {
      // A script can send events, but not trusted ones.
      if (!event.isTrusted || isUnderWay) return;
      isUnderWay = true;
      try {
        await tellOpened(token);
        stop();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // The reader need not know; the next touch tries again.
        isUnderWay = false;
      }
    };
    for (const sign of signsOfAPerson) addEventListener(sign, record, { capture: true, passive: true });
    return stop;
  }, [token]);
}
