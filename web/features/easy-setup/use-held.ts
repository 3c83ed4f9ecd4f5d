import { useCallback, useEffect, useRef, useState } from 'react';
import type { Held } from './held.rules.ts';
import { forgetHeld, loadHeld, storeHeld } from './held-store.ts';

const storeDelayMs = 400;

export type Holding = {
  held: Held;
  /** Changes the answers; they are stored on this device a moment later. */
  hold: (change: Partial<Held>) => void;
  /** Current answers, whatever the page last showed. */
  current: () => Held;
  /** Stores the current answers, then no more until `resume`, because they are being saved in a vault. */
  pause: () => Promise<void>;
  resume: () => void;
  /** Replaces the answers by ones stored elsewhere. */
  adopt: (held: Held) => void;
  /** Forgets everything, here and on the device. */
  forget: () => Promise<void>;
};

/** Unsaved answers of a person or a visitor; undefined until loaded. */
export function useHeld(userId: string | null): Holding | undefined {
  const [held, setHeld] = useState<Held>();
  const latest = useRef<Held>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isPaused = useRef(false);

  const flush = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    if (latest.current) storeHeld(userId, latest.current);
  }, [userId]);

  useEffect(() => {
    let isCurrent = true;
    loadHeld(userId).then((kept) => {
      if (!isCurrent) return;
      latest.current = kept;
      setHeld(kept);
    });
    addEventListener('pagehide', flush);
    return () => {
      isCurrent = false;
      removeEventListener('pagehide', flush);
      flush();
    };
  }, [userId, flush]);

  const stop = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  };
  const storeSoon = () => {
    stop();
    if (!isPaused.current) timer.current = setTimeout(flush, storeDelayMs);
  };

  if (!held) return undefined;
  return {
    held,
    hold: (change) => {
      const next = { ...(latest.current ?? held), ...change };
      latest.current = next;
      setHeld(next);
      storeSoon();
      // A step is a place to come back to, so it does not wait for a pause in the typing.
      if (change.step) flush();
    },
    current: () => latest.current ?? held,
    pause: () => {
      stop();
      isPaused.current = true;
      return storeHeld(userId, latest.current ?? held);
    },
    resume: () => {
      isPaused.current = false;
      storeSoon();
    },
    adopt: (next) => {
      stop();
      isPaused.current = false;
      latest.current = next;
      setHeld(next);
    },
    forget: () => {
      stop();
      return forgetHeld(userId);
    },
  };
}
