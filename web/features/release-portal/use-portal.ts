import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { confirmRelease, getPortal, type Portal } from '#shared/contract/release.ts';
import { ApiError, call } from '#web/lib/api.ts';

export type Decision = 'confirmed' | 'cancelled';
export type Submission =
  | { state: 'idle' }
  | { state: 'busy'; decision: Decision }
  | { state: 'done'; decision: Decision; message: string }
  | { state: 'failed'; message: string };

const loadRetries = 1;

/** What a contact is asked. Nothing of it is kept after the page is left. */
export function usePortal(token: string) {
  return useQuery<Portal, ApiError>({
    queryKey: portalKey(token),
    queryFn: ({ signal }) => call(getPortal, { params: { token }, signal }),
    retry: (failures, error) => failures < loadRetries && !isFinal(error),
    gcTime: 0,
  });
}

/** The contact's answer. It is sent once: while it is under way, and after it was taken, nothing more is sent. */
export function useDecision(token: string) {
  const client = useQueryClient();
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
      // Where the link was answered or has died meanwhile, the page that comes back says so.
      if (isFinal(error)) await client.invalidateQueries({ queryKey: portalKey(token) });
    }
  }

  return { submission, submit, backToForm: () => setSubmission({ state: 'idle' }) };
}

/** Whether asking again would be answered the same. */
export function isFinal(error: ApiError): boolean {
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

function portalKey(token: string) {
  return [getPortal.path, token] as const;
}
