import { useRef, useState } from 'react';
import type { NewsChoice } from '#shared/contract/news.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';

export type NewsState = {
  /** Choice made on this page; null before that. */
  chosen: NewsChoice | null;
  isBusy: boolean;
  /** Reason why the last press failed. */
  message: string | null;
};

/** Present choice of the link's holder. Reading changes nothing. */
export function useNewsChoice(token: string) {
  return useLinkRead(light.getNewsChoice, { token });
}

/** Stops the news, or begins them again. */
export function useChooseNews(token: string) {
  const isTaken = useRef(false);
  const pressed = usePressed(light.setNewsChoice, { token });
  const [state, setState] = useState<NewsState>({
    chosen: null,
    isBusy: false,
    message: pressed?.error?.message ?? null,
  });

  async function choose(wantsNews: boolean): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setState((before) => ({ ...before, isBusy: true, message: null }));
    try {
      const chosen = await call(light.setNewsChoice, { params: { token }, body: { wantsNews } });
      setState({ chosen, isBusy: false, message: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState((before) => ({ ...before, isBusy: false, message: error.message }));
    } finally {
      isTaken.current = false;
    }
  }

  return { ...state, choose };
}
