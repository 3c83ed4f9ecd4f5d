import { useRef, useState } from 'react';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';

/** The contact whom the link is about. Asking changes nothing. */
export function useAskerRemoval(token: string) {
  // Once it was used, the link is dead: asking again would replace the answer by an error.
  return useLinkRead(light.getAskerRemoval, { token }, { staysFresh: true });
}

export type Removal = { state: 'idle' | 'busy' | 'done' } | { state: 'failed'; message: string; needsSignIn: boolean };

/** The press, once. */
export function useRemoveContact(token: string) {
  const isTaken = useRef(false);
  const pressed = usePressed(light.removeAsker, { token });
  const [removal, setRemoval] = useState<Removal>(() => {
    if (!pressed) return { state: 'idle' };
    return pressed.error ? failed(pressed.error) : { state: 'done' };
  });

  async function remove(): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setRemoval({ state: 'busy' });
    try {
      await call(light.removeAsker, { params: { token } });
      setRemoval({ state: 'done' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setRemoval(failed(error));
    }
  }

  return { removal, remove };
}

function failed(error: ApiError): Removal {
  return { state: 'failed', message: error.message, needsSignIn: error.type === 'FORBIDDEN' };
}
