import { useRef, useState } from 'react';
import { ApiError, call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

export type Decision = 'confirmed' | 'cancelled' | 'alive';
export type Submission =
  | { state: 'idle' }
  | { state: 'busy'; decision: Decision }
  | { state: 'done'; decision: Decision; message: string }
  | { state: 'failed'; message: string };

/** Question to a contact, with the documents from this index on. Nothing is stored after the page is left. */
export function usePortal(token: string, documentsFrom: number) {
  return useLinkRead(light.getPortal, { token }, { query: documentsFrom > 0 ? { documentsFrom } : undefined });
}

/**
 * The contact's answer. It is sent once: while it is under way, and after it was taken, nothing more is sent.
 *
 * @param lookAgain called where it was taken, or the link was answered or has died meanwhile: the page is another now.
 */
export function useDecision(token: string, lookAgain: () => void) {
  const isTaken = useRef(false);
  const sent = [usePressed(light.confirmRelease, { token }), usePressed(light.sayAlive, { token })];
  const [submission, setSubmission] = useState<Submission>(() => {
    const refused = sent.flatMap((ended) => ended?.error ?? [])[0];
    return refused ? { state: 'failed', message: refused.message } : { state: 'idle' };
  });

  async function send(decision: Decision, words: string): Promise<{ decision: Decision; message: string }> {
    if (decision === 'alive') {
      const { message } = await call(light.sayAlive, { params: { token }, body: { reason: words } });
      return { decision, message };
    }
    const body = { confirmed: decision === 'confirmed', reason: words };
    const { state, message } = await call(light.confirmRelease, { params: { token }, body });
    return { decision: state, message };
  }

  async function submit(decision: Decision, reason: string): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setSubmission({ state: 'busy', decision });
    try {
      setSubmission({ state: 'done', ...(await send(decision, reason.trim())) });
      lookAgain();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setSubmission({ state: 'failed', message: error.message });
      if (isFinal(error)) lookAgain();
    }
  }

  return { submission, submit, backToForm: () => setSubmission({ state: 'idle' }) };
}

/** Answers without a reason: withdraw a confirmation, or "I did not ask". */
export type Press = 'take_back' | 'not_asked';
export type Pressed =
  | { state: 'idle' }
  | { state: 'busy' }
  | { state: 'done'; press: Press; message: string }
  | { state: 'failed'; message: string };

const routes = { take_back: light.takeBackConfirmation, not_asked: light.sayNotAsked } as const;

/** A press of one of these, sent once. @param lookAgain as of `useDecision`. */
export function usePress(token: string, lookAgain: () => void) {
  const isSent = useRef(false);
  const sent = [usePressed(light.takeBackConfirmation, { token }), usePressed(light.sayNotAsked, { token })];
  const [pressed, setPressed] = useState<Pressed>(() => {
    const refused = sent.flatMap((ended) => ended?.error ?? [])[0];
    return refused ? { state: 'failed', message: refused.message } : { state: 'idle' };
  });

  async function press(which: Press): Promise<void> {
    if (isSent.current) return;
    isSent.current = true;
    setPressed({ state: 'busy' });
    try {
      const { message } = await call(routes[which], { params: { token } });
      setPressed({ state: 'done', press: which, message });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isSent.current = false;
      setPressed({ state: 'failed', message: error.message });
      if (isFinal(error)) lookAgain();
    }
  }

  return { pressed, press, backToPage: () => setPressed({ state: 'idle' }) };
}
