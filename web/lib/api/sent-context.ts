import { createContext } from 'react';

/** The service's answer to one call: its status, and its body as JSON. */
export type SentAnswer = { status: number; body: unknown };

/** Content of a form: the pressed button, and its fields. */
export type SentFields = Partial<Record<SentField, string>>;

type SentField =
  | 'press'
  | 'letterId'
  | 'reason'
  | 'address'
  | 'email'
  | 'question'
  | 'keep'
  | 'card'
  | 'token'
  | 'userEmail'
  | 'contactEmail'
  | 'contactName'
  | 'firstName'
  | 'lastName'
  | 'plan'
  | 'name'
  | 'words';

/**
 * Data of a page that the server draws. `answers` are keyed by the address that was read, and after `POST` by the
 * form's address. The browser uses them for its first drawing only. On the server, `wish` records further reads of
 * the page, and `name` its title.
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
