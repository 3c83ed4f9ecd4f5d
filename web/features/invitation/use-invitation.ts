import { useCallback, useRef, useState } from 'react';
import type { z } from 'zod';
import { answerInvitation, getInvitation, type invitationSchema } from '#shared/contract/contacts.ts';
import { ApiError, call } from '#web/lib/api.ts';
import { useLoaded } from '#web/lib/use-loaded.ts';

export type Invitation = z.input<typeof invitationSchema>;
export type Accepted = { contactId: string; name: string };

/** What somebody is asked to become. Reading it changes nothing. */
export function useInvitation(token: string) {
  return useLoaded(useCallback((signal: AbortSignal) => call(getInvitation, { params: { token }, signal }), [token]));
}

export type AnswerState =
  | { state: 'idle' }
  | { state: 'busy'; accept: boolean }
  | { state: 'declined' }
  | { state: 'failed'; message: string };

/** Accepts or declines, once. */
export function useAnswer(token: string, onAccepted: (accepted: Accepted) => void) {
  const isTaken = useRef(false);
  const [answer, setAnswer] = useState<AnswerState>({ state: 'idle' });

  async function submit(accept: boolean): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setAnswer({ state: 'busy', accept });
    try {
      const { contactId, name } = await call(answerInvitation, { params: { token }, body: { accept } });
      if (accept) onAccepted({ contactId, name });
      else setAnswer({ state: 'declined' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setAnswer({ state: 'failed', message: error.message });
    }
  }

  return { answer, submit };
}
