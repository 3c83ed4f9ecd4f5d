import { PaymentError } from '#server/platform/payments/payments.ts';
import { AppError } from '#shared/contract/errors.ts';

/** Asks a provider, and says in words for a person what came of it where that was nothing. @throws AppError */
export async function asking<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    if (error.failure === 'refused') {
      throw new AppError('CONFLICT', 'The payment service did not accept this. Nothing has changed.');
    }
    const words = 'We cannot reach the payment service just now. Nothing has changed. Please try again in a while.';
    throw new AppError('UNAVAILABLE', words);
  }
}
