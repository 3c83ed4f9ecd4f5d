import { AppError } from '#shared/contract/errors.ts';

/** Error with which a call was refused. Throws if it was not refused, or failed unexpectedly. */
export async function refusal(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => new Error('It was not refused.'),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error;
}
