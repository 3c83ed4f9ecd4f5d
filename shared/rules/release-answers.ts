/** Number of visible messages that a contact's page lists. */
export const portalMessagesMax = 200;
/** Number of documents in one page of that list. */
export const portalDocumentsPerPage = 200;

/** Highest length of a contact's reason. */
export const reasonLengthMax = 2_000;

/** Healthy days after "alive, but can't answer" before its contact is asked for news. */
export const askForNewsDays = 30;

/** Word that a contact types before letters leave. */
export const wordToSend = 'SEND';

/** However it is written. */
export function isWordToSend(typed: string): boolean {
  return typed.trim().toUpperCase() === wordToSend;
}
