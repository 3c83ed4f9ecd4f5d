/** Somebody was asked to confirm who they are and thought better of it: nothing was done, and there is nothing to say. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';
}
