import { createContext } from 'react';

/** What the service answers to one call: its status, and its body as JSON. */
export type SentAnswer = { status: number; body: unknown };

/** What a form held: which button was pressed, and what stood in its fields. */
export type SentFields = Partial<Record<'press' | 'reason' | 'address' | 'email' | 'question' | 'keep', string>>;

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
