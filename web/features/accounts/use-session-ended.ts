import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionKey } from '#web/lib/session.ts';

/** Reads the session again after a page was refused as signed out. A visitor then sees the front page. */
export function useSessionEnded(isSignedOut: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (isSignedOut) client.invalidateQueries({ queryKey: sessionKey });
  }, [isSignedOut, client]);
}
