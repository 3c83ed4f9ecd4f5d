/** Why the embedded database cannot run, with what the operator can do about it. Read on a terminal. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  /** The message is all the operator needs; a stack would only bury it. */
  readonly isForOperator = true;
}
