import { useCallback, useRef, useState } from 'react';
import { confirmRelease, getPortal } from '#shared/contract/release.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { isFinal, useLoaded } from '#web/lib/api/use-loaded.ts';

export type Decision = 'confirmed' | 'cancelled';
export type Submission =
  | { state: 'idle' }
  | { state: 'busy'; decision: Decision }
  | { state: 'done'; decision: Decision; message: string }
  | { state: 'failed'; message: string };

/** What a contact is asked. Nothing of it is kept after the page is left. */
export function usePortal(token: string) {
  return useLoaded(useCallback((signal: AbortSignal) => call(getPortal, { params: { token }, signal }), [token]));
}

/**
 * The contact's answer. It is sent once: while it is under way, and after it was taken, nothing more is sent.
 *
 * @param onRefused called where the link was answered or has died meanwhile, to look again at what is behind it.
 */
export function useDecision(token: string, onRefused: () => void) {
  const isTaken = useRef(false);
  const [submission, setSubmission] = useState<Submission>({ state: 'idle' });

  async function submit(decision: Decision, reason: string): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setSubmission({ state: 'busy', decision });
    try {
      const body = { confirmed: decision === 'confirmed', reason: reason.trim() };
      const { state, message } = await call(confirmRelease, { params: { token }, body });
      setSubmission({ state: 'done', decision: state, message });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setSubmission({ state: 'failed', message: error.message });
      if (isFinal(error)) onRefused();
    }
  }

  return { submission, submit, backToForm: () => setSubmission({ state: 'idle' }) };
}
