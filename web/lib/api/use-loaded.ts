import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from './api.ts';
import type { Ended } from './sent-answers.ts';

export type Loaded<Data> = {
  /** Undefined until it is there. It stays while it is asked for again. */
  data: Data | undefined;
  /** Error of the last attempt; null if it succeeded. */
  error: ApiError | null;
  reload: () => void;
};

type State<Data> = Pick<Loaded<Data>, 'data' | 'error'> & { load: Load<Data>; loadedMs: number };
type Load<Data> = (signal: AbortSignal) => Promise<Data>;
type Habits<Data> = {
  /** True where asking again would tell nothing new. */
  staysFresh?: boolean;
  /** Outcome of the first read, if it was made already. */
  first?: Ended<Data> | undefined;
};

const retriesMax = 1;
const retryDelayMs = 1_000;
const freshMs = 5 * 60_000;

/**
 * Reads one resource for a linked page, with the product's defaults but without a session. Retries once after a
 * temporary failure, and again when the tab becomes visible after five minutes.
 *
 * @param load makes the request; a new function is a new resource. Fails with `ApiError`.
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

  // Data of another link does not belong to this one.
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
