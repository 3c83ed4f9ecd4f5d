import { useContext, useEffect } from 'react';
import { type ApiError, apiErrorIn, type ErrorBody } from './api.ts';
import { SentAnswers, type SentFields } from './sent-context.ts';

/** Outcome of a call. */
export type Ended<Data> = { data: Data; error: null } | { data: undefined; error: ApiError };

/** Outcome of a call that the server made for this page; undefined if it made none. */
export function useSent<Data>(key: string): Ended<Data> | undefined {
  const { answers } = useContext(SentAnswers);
  // Used once: a page that is opened again must ask the server again.
  useEffect(() => () => void delete answers[key], [answers, key]);
  const sent = answers[key];
  if (!sent) return undefined;
  if (sent.status < 400) return { data: sent.body as Data, error: null };
  return { data: undefined, error: apiErrorIn(sent.body as ErrorBody, { status: sent.status }) };
}

/** Fields of a form that was sent without scripts, if the page is shown again for it. */
export function useSentFields(): SentFields {
  return useContext(SentAnswers).fields ?? {};
}
