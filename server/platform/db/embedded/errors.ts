/** Reason why the embedded database can't run, and the operator's next step. Read on a terminal. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  /** The message is all the operator needs; a stack would only bury it. */
  readonly isForOperator = true;
}
