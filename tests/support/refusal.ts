import { AppError } from '#shared/contract/errors.ts';

/** What a call was refused with. Throws where it was not refused, or failed in a way nobody expects. */
export async function refusal(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => new Error('It was not refused.'),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error;
}
