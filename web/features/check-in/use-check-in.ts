import { useRef, useState } from 'react';
import type { checkInByLink } from '#shared/contract/release/release.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Owner of the link. Reading is not activity. */
export function useCheckInLink(token: string) {
  // Once it was used, the link is dead: asking again would replace the thanks by an error.
  return useLinkRead(light.getCheckInLink, { token }, { staysFresh: true });
}

/** Answer to the press: its time, and the steps that would follow without another check-in. */
export type CheckedInAnswer = Omit<RouteResult<typeof checkInByLink>, 'ok'>;

export type CheckInState =
  | { state: 'idle' }
  | { state: 'busy' }
  | ({ state: 'done' } & CheckedInAnswer)
  | { state: 'failed'; message: string; isFinal: boolean; needsSignIn: boolean };

/** The check-in itself, once. */
export function useCheckIn(token: string) {
  const isTaken = useRef(false);
  const pressed = usePressed(light.checkInByLink, { token });
  const [checkIn, setCheckIn] = useState<CheckInState>(() => {
    if (!pressed) return { state: 'idle' };
    return pressed.error ? failed(pressed.error) : { state: 'done', ...pressed.data };
  });

  async function submit(): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setCheckIn({ state: 'busy' });
    try {
      const { lastCheckinAt, timeline, halted } = await call(light.checkInByLink, { params: { token } });
      setCheckIn({ state: 'done', lastCheckinAt, timeline, halted });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setCheckIn(failed(error));
    }
  }

  return { checkIn, submit };
}

function failed(error: ApiError): CheckInState {
  const needsSignIn = error.type === 'FORBIDDEN';
  return { state: 'failed', message: error.message, isFinal: isFinal(error) && !needsSignIn, needsSignIn };
}
