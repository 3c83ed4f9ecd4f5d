import { useState } from 'react';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { usePressed } from '#web/lib/api/use-link-read.ts';

type Renewal = { state: 'idle' | 'busy' } | { state: 'sent' | 'failed'; message: string };

/** Asks for a new link to a letter. `renewal` also holds the answer to a form that was sent without scripts. */
export function useNewLink(token: string) {
  const pressed = usePressed(light.renewDelivery, { token });
  const [renewal, setRenewal] = useState<Renewal>(() => {
    if (!pressed) return { state: 'idle' };
    return pressed.error ? failed(pressed.error) : { state: 'sent', message: pressed.data.message };
  });

  async function renew(): Promise<void> {
    setRenewal({ state: 'busy' });
    try {
      const { message } = await call(light.renewDelivery, { params: { token } });
      setRenewal({ state: 'sent', message });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setRenewal(failed(error));
    }
  }

  return { renewal, renew };
}

function failed({ message }: ApiError): Renewal {
  return { state: 'failed', message };
}
