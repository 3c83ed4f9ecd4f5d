import { createContext, useContext, useEffect } from 'react';
import { type ApiError, apiErrorIn, type ErrorBody } from './api.ts';

/** What the service answers to one call: its status, and its body as JSON. */
export type SentAnswer = { status: number; body: unknown };

/** What a form held: which button was pressed, and what stood in its fields. */
export type SentFields = Partial<Record<'press' | 'reason' | 'email' | 'question' | 'keep', string>>;

/**
 * What a page that the server draws goes by: answers by the address that was read, and after `POST` by the one that a form
 * was for; and what the form held. In the browser they serve the first drawing alone. On the server `wish` is told what else
 * the page would read, and `name` its title.
 */
export type Sent = {
  answers: Record<string, SentAnswer>;
  fields?: SentFields | undefined;
  wish?: (address: string) => void;
  name?: (title: string) => void;
  /** Told of fields of an answer that are not to leave with the page, since it does not show them. */
  withhold?: (address: string, fields: readonly string[]) => void;
};

export const SentAnswers = createContext<Sent>({ answers: {} });

/** How a call ended. */
export type Ended<Data> = { data: Data; error: null } | { data: undefined; error: ApiError };

/** How a call ended that the server has made for this page; undefined where it has made none. */
export function useSent<Data>(key: string): Ended<Data> | undefined {
  const { answers } = useContext(SentAnswers);
  // Good for the drawing that it came with. A page that is come back to asks anew.
  useEffect(() => () => void delete answers[key], [answers, key]);
  const sent = answers[key];
  if (!sent) return undefined;
  if (sent.status < 400) return { data: sent.body as Data, error: null };
  return { data: undefined, error: apiErrorIn(sent.body as ErrorBody, { status: sent.status }) };
}

/** What was in a form that was sent without scripts, where the page is shown again for it. */
export function useSentFields(): SentFields {
  return useContext(SentAnswers).fields ?? {};
}
