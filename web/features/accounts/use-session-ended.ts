import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionKey } from '#web/lib/session.ts';

/** Asks again who is signed in once a page has been told that nobody is; signed out, the product shows its front. */
export function useSessionEnded(isSignedOut: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (isSignedOut) client.invalidateQueries({ queryKey: sessionKey });
  }, [isSignedOut, client]);
}
