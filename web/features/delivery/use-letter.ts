import { useCallback, useEffect, useState } from 'react';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { readLetter } from './letter-calls.ts';

export type LoadedLetter =
  | { state: 'loading' }
  | { state: 'ready'; letter: DeliveredMessage }
  /** Expired, withdrawn or never there: the service does not tell them apart. */
  | { state: 'gone' }
  /** The service could not be reached, or failed. */
  | { state: 'failed'; message: string };

/** Loads the letter behind a link. Nothing is kept in the browser and nothing is recorded. */
export function useLetter(token: string): LoadedLetter & { retry: () => void } {
  const [loaded, setLoaded] = useState<LoadedLetter>({ state: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is a new reason to load.
  useEffect(() => {
    const controller = new AbortController();
    setLoaded({ state: 'loading' });
    readLetter(token, controller.signal).then(
      (letter) => setLoaded(letter ? { state: 'ready', letter } : { state: 'gone' }),
      (error: unknown) => {
        if (!controller.signal.aborted) setLoaded(failureOf(error));
      },
    );
    return () => controller.abort();
  }, [token, attempt]);

  const retry = useCallback(() => setAttempt((made) => made + 1), []);
  return { ...loaded, retry };
}

function failureOf(error: unknown): LoadedLetter {
  if (!(error instanceof ApiError)) throw error;
  const isTheirs = error.status >= 400 && error.status < 500 && error.status !== 429;
  return isTheirs ? { state: 'gone' } : { state: 'failed', message: error.message };
}
