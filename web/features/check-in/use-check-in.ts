import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { checkInByLink, getCheckInLink } from '#shared/contract/release.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { ApiError, call } from '#web/lib/api.ts';

const loadRetries = 1;

/** Whose link it is. Asking is no sign of life. */
export function useCheckInLink(token: string) {
  return useQuery<RouteResult<typeof getCheckInLink>, ApiError>({
    queryKey: [getCheckInLink.path, token],
    queryFn: ({ signal }) => call(getCheckInLink, { params: { token }, signal }),
    retry: (failures, error) => failures < loadRetries && !isFinal(error),
    // Once it was used, the link is dead: asking again would replace the thanks by an error.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export type CheckInState =
  | { state: 'idle' }
  | { state: 'busy' }
  | { state: 'done'; lastCheckinAt: string }
  | { state: 'failed'; message: string; isFinal: boolean };

/** The check-in itself, once. */
export function useCheckIn(token: string) {
  const isTaken = useRef(false);
  const [checkIn, setCheckIn] = useState<CheckInState>({ state: 'idle' });

  async function submit(): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setCheckIn({ state: 'busy' });
    try {
      const { lastCheckinAt } = await call(checkInByLink, { params: { token } });
      setCheckIn({ state: 'done', lastCheckinAt });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setCheckIn({ state: 'failed', message: error.message, isFinal: isFinal(error) });
    }
  }

  return { checkIn, submit };
}

/** Whether asking again would be answered the same. */
export function isFinal(error: ApiError): boolean {
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}
