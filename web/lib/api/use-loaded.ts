import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from './api.ts';
import type { Ended } from './sent-answers.ts';

export type Loaded<Data> = {
  /** Undefined until it is there. It stays while it is asked for again. */
  data: Data | undefined;
  /** Why the last try failed; null if it did not. */
  error: ApiError | null;
  reload: () => void;
};

type State<Data> = Pick<Loaded<Data>, 'data' | 'error'> & { load: Load<Data>; loadedMs: number };
type Load<Data> = (signal: AbortSignal) => Promise<Data>;
type Habits<Data> = {
  /** True where asking again would tell nothing new. */
  staysFresh?: boolean;
  /** How the first read ended, where it is not to be made any more. */
  first?: Ended<Data> | undefined;
};

const retriesMax = 1;
const retryDelayMs = 1_000;
const freshMs = 5 * 60_000;

/**
 * Reads one thing for a page behind a link, with the product's reading habits and without what an account needs: once
 * again after a failure that may pass, and again when the tab comes back into view after five minutes.
 *
 * @param load asks for it; a new function is a new thing. Fails with `ApiError`.
 */
export function useLoaded<Data>(load: Load<Data>, { staysFresh = false, first }: Habits<Data> = {}): Loaded<Data> {
  const [state, setState] = useState<State<Data>>(() => ({
    load,
    ...(first ?? { data: undefined, error: null }),
    loadedMs: first?.data === undefined ? 0 : Date.now(),
  }));
  const [attempt, setAttempt] = useState(0);
  const madeBefore = useRef(first && load);
  const reload = useCallback(() => setAttempt((made) => made + 1), []);

  useEffect(() => {
    if (attempt === 0 && madeBefore.current === load) return;
    const controller = new AbortController();
    loadPatiently(load, controller.signal).then(
      (data) => setState({ load, data, error: null, loadedMs: Date.now() }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setState((before) => ({ load, data: before.load === load ? before.data : undefined, error, loadedMs: 0 }));
      },
    );
    return () => controller.abort();
  }, [load, attempt]);

  const { loadedMs } = state;
  useEffect(() => {
    if (staysFresh) return;
    const look = () => {
      if (document.visibilityState === 'visible' && loadedMs > 0 && Date.now() - loadedMs > freshMs) reload();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [staysFresh, loadedMs, reload]);

  // What was loaded for another link is not this one's.
  if (state.load !== load) return { data: undefined, error: null, reload };
  return { data: state.data, error: state.error, reload };
}

/** True if asking again would be answered the same. */
export function isFinal(error: ApiError): boolean {
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

async function loadPatiently<Data>(load: Load<Data>, signal: AbortSignal): Promise<Data> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await load(signal);
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted || isFinal(error) || failures >= retriesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }
}
