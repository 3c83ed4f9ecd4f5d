import { useRef, useState } from 'react';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { usePressed } from '#web/lib/api/use-link-read.ts';

export type GivingAddress = { state: 'idle' | 'busy' } | { state: 'done' | 'failed'; message: string };

/** Gives another address of the owner. It is sent once, and again only after a refusal. */
export function useOwnerAddress(token: string) {
  const isTaken = useRef(false);
  const sent = usePressed(light.giveOwnerAddress, { token });
  const [giving, setGiving] = useState<GivingAddress>(
    sent?.error ? { state: 'failed', message: sent.error.message } : { state: 'idle' },
  );

  async function give(address: string): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setGiving({ state: 'busy' });
    try {
      const { message } = await call(light.giveOwnerAddress, { params: { token }, body: { address } });
      setGiving({ state: 'done', message });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setGiving({ state: 'failed', message: error.message });
    }
  }

  return { giving, give };
}
