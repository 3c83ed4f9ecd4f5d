import { useRef, useState } from 'react';
import type { z } from 'zod';
import type { invitationSchema } from '#shared/contract/contacts.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';

export type Invitation = z.input<typeof invitationSchema>;
export type Accepted = { contactId: string; name: string; ownerName: string };

/** Reads an invitation. Reading changes nothing. */
export function useInvitation(token: string) {
  return useLinkRead(light.getInvitation, { token });
}

/** State of the last press. */
export type AnswerState = { state: 'idle' } | { state: 'busy'; accept: boolean } | { state: 'failed'; message: string };

/** A no that was said on this page. */
export type Declined = {
  /** They had accepted before. */
  hasLeft: boolean;
  answerableUntil: string | null;
};

type Answering = { token: string; invitation: Invitation; onAccepted: (accepted: Accepted) => void };

/** Accepts or declines, once for a press. A no can be followed by a yes, and a failure by another try. */
export function useAnswer({ token, invitation, onAccepted }: Answering) {
  const isTaken = useRef(false);
  const pressed = usePressed(light.answerInvitation, { token });
  const [answer, setAnswer] = useState<AnswerState>(
    pressed?.error ? { state: 'failed', message: pressed.error.message } : { state: 'idle' },
  );
  const [declined, setDeclined] = useState<Declined | null>(null);

  async function submit(accept: boolean): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setAnswer({ state: 'busy', accept });
    try {
      const { contactId, name, answerableUntil } = await call(light.answerInvitation, {
        params: { token },
        body: { accept },
      });
      // The next page takes over; the button stays pressed until then.
      if (accept) return onAccepted({ contactId, name, ownerName: invitation.ownerName });
      setDeclined({ hasLeft: invitation.state === 'accepted', answerableUntil });
      setAnswer({ state: 'idle' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setAnswer({ state: 'failed', message: error.message });
    }
    isTaken.current = false;
  }

  return { answer, declined, submit };
}
