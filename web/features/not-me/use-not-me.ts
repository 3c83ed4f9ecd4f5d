import { useRef, useState } from 'react';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';

/** Content of the account that the link is about. Reading changes nothing. */
export function useNotMe(token: string) {
  // Once it was used, the link is dead: asking again would replace the answer by an error.
  return useLinkRead(light.getNotMe, { token }, { staysFresh: true });
}

export type SaidState =
  | { state: 'idle' }
  | { state: 'busy' }
  /** `goesAt` is null where everything is gone already. */
  | { state: 'done'; goesAt: string | null }
  | { state: 'failed'; message: string; isFinal: boolean };

/** The press, once. */
export function useSayNotMe(token: string) {
  const isTaken = useRef(false);
  const pressed = usePressed(light.sayNotMe, { token });
  const [said, setSaid] = useState<SaidState>(() => {
    if (!pressed) return { state: 'idle' };
    return pressed.error ? failed(pressed.error) : { state: 'done', goesAt: pressed.data.goesAt };
  });

  async function say(): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setSaid({ state: 'busy' });
    try {
      const { goesAt } = await call(light.sayNotMe, { params: { token } });
      setSaid({ state: 'done', goesAt });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setSaid(failed(error));
    }
  }

  return { said, say };
}

function failed({ message, status }: ApiError): SaidState {
  return { state: 'failed', message, isFinal: status === 404 };
}
