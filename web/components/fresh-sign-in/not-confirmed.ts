/** Error of a person who cancelled the proof of identity: nothing was done, and no message is needed. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';
}
