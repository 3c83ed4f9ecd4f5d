import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answers } from './answers.rules.ts';
import { forgetAnswers, loadAnswers, storeAnswers } from './answers-store.ts';

const storeDelayMs = 400;

export type AnswersState = {
  answers: Answers;
  /** Changes the answers; they are stored on this device a moment later. */
  change: (part: Partial<Answers>) => void;
  /** Current answers, whatever the page last showed. */
  current: () => Answers;
  /** Stores the current answers, then no more until `resume`, because they are being saved in a vault. */
  pause: () => Promise<void>;
  resume: () => void;
  /** Replaces the answers by ones stored elsewhere. */
  adopt: (answers: Answers) => void;
  /** Forgets everything, here and on the device. */
  forget: () => Promise<void>;
};

/** Unsaved answers of a person or a visitor; undefined until loaded. */
export function useAnswers(userId: string | null): AnswersState | undefined {
  const [answers, setAnswers] = useState<Answers>();
  const latest = useRef<Answers>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isPaused = useRef(false);

  const flush = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    if (latest.current) storeAnswers(userId, latest.current);
  }, [userId]);

  useEffect(() => {
    let isCurrent = true;
    loadAnswers(userId).then((kept) => {
      if (!isCurrent) return;
      latest.current = kept;
      setAnswers(kept);
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

  if (!answers) return undefined;
  return {
    answers,
    change: (part) => {
      const next = { ...(latest.current ?? answers), ...part };
      latest.current = next;
      setAnswers(next);
      storeSoon();
      // A step is a place to come back to, so it does not wait for a pause in the typing.
      if (part.step) flush();
    },
    current: () => latest.current ?? answers,
    pause: () => {
      stop();
      isPaused.current = true;
      return storeAnswers(userId, latest.current ?? answers);
    },
    resume: () => {
      isPaused.current = false;
      storeSoon();
    },
    adopt: (next) => {
      stop();
      isPaused.current = false;
      latest.current = next;
      setAnswers(next);
    },
    forget: () => {
      stop();
      return forgetAnswers(userId);
    },
  };
}
