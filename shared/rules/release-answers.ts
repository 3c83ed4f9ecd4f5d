/** How long a contact's reason may be. */
export const reasonLengthMax = 2_000;

/** What a contact types before letters leave. */
export const wordToSend = 'SEND';

/** However it is written. */
export function isWordToSend(typed: string): boolean {
  return typed.trim().toUpperCase() === wordToSend;
}
